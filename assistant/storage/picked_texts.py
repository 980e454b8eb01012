"""The user's older messages that a turn wants, such as orders about the language, without reading all of them again.

A long conversation has thousands of messages before its window, and hardly any is wanted. So what was found stays known
as long as the messages that were read are the same: their number, their newest change and their revisions.
"""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from assistant.storage.rows import AFTER_ALL

Place = tuple[int, str]
"""``added`` and ``id`` of a message: its place in the order of rows."""
BEFORE_ALL: Place = (0, "")
BEHIND_ALL: Place = (AFTER_ALL, "")

_ASKED = "FROM messages WHERE conversation = ? AND shown = 1 AND role = 'user' AND (added, id) < (?, ?)"
_SEAL = f"SELECT COUNT(*), MAX(changed), SUM(revision) {_ASKED}"
_TEXTS = f"SELECT text {_ASKED} AND (added, id) >= (?, ?) ORDER BY added, id"


@dataclass(frozen=True, slots=True)
class _Read:
    """What was read of a conversation: up to which place, the seal of these messages, and what was found."""

    until: Place
    seal: tuple[Any, ...]
    texts: tuple[str, ...]


class PickedTexts:
    """Finds texts, and knows those that it has found. Use it on the database's thread."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, Callable[[str], bool]], _Read] = {}

    def of(
        self, connection: sqlite3.Connection, conversation: str, before: Place, picks: Callable[[str], bool]
    ) -> tuple[str, ...]:
        """The texts of the user's shown messages before a place that ``picks`` accepts, oldest first."""
        known = self._known.get((conversation, picks))
        if known is None or known.until > before or self._seal(connection, conversation, known.until) != known.seal:
            known = _Read(BEFORE_ALL, (), ())
        if known.until == before:
            return known.texts
        rows = connection.execute(_TEXTS, (conversation, *before, *known.until))
        texts = (*known.texts, *(text for (text,) in rows if picks(text)))
        self._known[conversation, picks] = _Read(before, self._seal(connection, conversation, before), texts)
        return texts

    def _seal(self, connection: sqlite3.Connection, conversation: str, until: Place) -> tuple[Any, ...]:
        seal: tuple[Any, ...] = connection.execute(_SEAL, (conversation, *until)).fetchone()
        return seal
