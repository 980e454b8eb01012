"""Which messages and conversations were written since the last search.

Triggers of the connection itself tell of its writes; they are not stored in the file. Of the writes of another process
only the fact is known.
"""

import sqlite3
from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

_MOST = 10_000
"""Rows that are noted. After more, everything counts as written."""

NO_ROW, INDEX_ROW = -1, -2
"""Numbers that no message has: nothing about a message, and a row of the index."""
_NUMBERS = count()
"""Names the triggers, because several lists may watch one connection."""
_WATCHED = (
    ("messages", "{0}.rowid", "{0}.conversation"),
    ("conversations", f"{NO_ROW}", "{0}.id"),
    # A deleted message tells the conversation of its attachments.
    ("attachments", f"{NO_ROW}", "COALESCE((SELECT conversation FROM messages WHERE id = {0}.message), '')"),
    ("search_blocks", f"{INDEX_ROW}", "''"),
)
"""For each table what is told of a row: the number of a message, and the conversation."""
# A row may get another number, so an update tells both.
_SIDES = {"INSERT": ("new",), "UPDATE": ("old", "new"), "DELETE": ("old",)}


def _triggers(function: str) -> Iterator[str]:
    """The statements that make the triggers, which call this function."""
    for table, row, conversation in _WATCHED:
        for event, sides in _SIDES.items():
            told = " ".join(f"SELECT {function}({row}, {conversation});".format(side) for side in sides)
            yield f"CREATE TEMP TRIGGER {function}_{table}_{event} AFTER {event} ON main.{table} BEGIN {told} END"


class Changed(NamedTuple):
    """What was written."""

    rows: frozenset[int]
    """Row numbers of messages; ``INDEX_ROW`` if the index was written."""
    conversations: frozenset[str]
    """Conversations whose title, messages or files were written."""


class WrittenRows:
    """Notes what is written through one connection. Only the database's thread uses it."""

    def __init__(self) -> None:
        self._connection: sqlite3.Connection | None = None
        self._by_others = -1
        self._rows = set[int]()
        self._conversations = set[str]()
        self._too_many = False

    def since_last(self, connection: sqlite3.Connection) -> Changed | None:
        """What was written since the last call; ``None`` if anything may have been, as before the first call."""
        (by_others,) = connection.execute("PRAGMA data_version").fetchone()
        unknown = self._too_many or self._connection is not connection or self._by_others != by_others
        changed = None if unknown else Changed(frozenset(self._rows), frozenset(self._conversations))
        self._watch(connection)
        self._by_others = int(by_others)
        self._clear()
        return changed

    def lose_count(self) -> None:
        """Let everything count as written."""
        self._clear()
        self._too_many = True

    def _watch(self, connection: sqlite3.Connection) -> None:
        if self._connection is connection:
            return
        function = f"sori_written_{next(_NUMBERS)}"
        connection.create_function(function, 2, self._note)
        for trigger in _triggers(function):
            connection.execute(trigger)
        self._connection = connection

    def _note(self, row: int, conversation: str) -> None:
        if len(self._rows) + len(self._conversations) >= _MOST:
            self.lose_count()
        if not self._too_many:
            self._rows.add(row)
            self._conversations.add(conversation)

    def _clear(self) -> None:
        self._rows.clear()
        self._conversations.clear()
        self._too_many = False
