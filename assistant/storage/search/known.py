"""What searches have read, without what was written since. While a user types, each letter is a search."""

import json
import sqlite3
from collections.abc import Iterable
from typing import Any, NamedTuple

from assistant.core.records.conversations import ConversationEntry
from assistant.storage.search.blocks import BLOCK
from assistant.storage.search.index import Index, IndexReader
from assistant.storage.search.passages import composed
from assistant.storage.search.written import INDEX_ROW, Changed, WrittenRows
from assistant.storage.titles import title_of

_ENTRIES = """
SELECT conversations.id, conversations.title, CASE WHEN conversations.title != '' THEN '' ELSE COALESCE(
    (SELECT text FROM messages WHERE conversation = conversations.id AND shown = 1 AND role = 'user' AND text != ''
        ORDER BY added, id LIMIT 1),
    (SELECT attachments.name FROM attachments JOIN messages ON attachments.message = messages.id
        WHERE conversation = conversations.id AND shown = 1 AND attachments.name != ''
        ORDER BY messages.added, messages.id LIMIT 1),
    (SELECT text FROM messages WHERE conversation = conversations.id AND shown = 1 AND text != ''
        ORDER BY added, id LIMIT 1),
    '') END, newest.created_at, newest.added, newest.id, conversations.pinned, conversations.workspace
FROM conversations JOIN messages AS newest ON newest.rowid = (
    SELECT rowid FROM messages WHERE conversation = conversations.id ORDER BY added DESC, id DESC LIMIT 1
)
WHERE conversations.deleted_at = ''
"""
_NEWEST_FIRST = f"{_ENTRIES} ORDER BY newest.added DESC, newest.id DESC LIMIT ?"
_SOME = f"{_ENTRIES} AND conversations.id IN (SELECT value FROM json_each(?))"  # noqa: S608 - constants
_MOST_LETTERS = 8_000_000
"""Letters of the texts that are kept."""


Text = tuple[int, str, str, str]
"""Time of a message, its text in the form that is searched, its id, and its conversation."""


class KnownMessages:
    """Messages that searches have read.

    Attributes:
        rows: by row number; ``None`` for a row that is not searched.
    """

    def __init__(self) -> None:
        self.rows: dict[int, Text | None] = {}
        self._letters = 0

    def add(self, rows: Iterable[int], found: Iterable[tuple[int, int, str, str, str]]) -> None:
        """Keep what was found in these rows: row number, time, text, id, conversation."""
        known = self.rows
        known.update(dict.fromkeys(rows))
        for row, added, text, message, conversation in found:
            known[row] = added, composed(text), message, conversation
            self._letters += len(text)

    def forget(self, rows: Iterable[int]) -> None:
        """Drop the texts of these rows."""
        for row in rows:
            self.rows.pop(row, None)

    def make_room(self) -> None:
        """Drop all texts if they have too many letters."""
        if self._letters > _MOST_LETTERS:
            self.rows.clear()
            self._letters = 0


class TitledEntry(NamedTuple):
    """An entry of the list, compared by its place: the later message is greater."""

    added: int
    message: str
    """Id of the newest message."""
    entry: ConversationEntry
    title: str
    """The title in the form that is searched."""


class Known:
    """What searches have read. Only the database's thread uses it; ``refresh`` comes before each use.

    Attributes:
        entries: all entries, newest first.
        index: what the index knows.
        texts: messages that were read.
    """

    def __init__(self) -> None:
        self.entries: list[TitledEntry] = []
        self.texts = KnownMessages()
        self.index = Index(frozenset(), {})
        self._written = WrittenRows()
        self._reader = IndexReader()

    def refresh(self, connection: sqlite3.Connection) -> None:
        """Drop or read again what was written since the last call."""
        changed = self._written.since_last(connection)
        if changed is None:
            self.texts = KnownMessages()
            self.entries = [_titled(row) for row in connection.execute(_NEWEST_FIRST, (-1,))]
        elif changed.conversations:
            self.texts.forget(changed.rows)
            self._read_entries(connection, changed.conversations)
        if changed is None or self._concerns_index(changed):
            self.index = self._reader.index(connection)

    def forget(self) -> None:
        """Drop all texts and titles from memory."""
        self.texts = KnownMessages()
        self.entries = []
        self._written.lose_count()

    def _concerns_index(self, changed: Changed) -> bool:
        """Whether the index may have changed. A block does not count any more when its last message is gone."""
        blocks = self.index.blocks
        return any(row == INDEX_ROW or row // BLOCK in blocks for row in changed.rows)

    def _read_entries(self, connection: sqlite3.Connection, conversations: frozenset[str]) -> None:
        kept = [each for each in self.entries if each.entry.id not in conversations]
        read = map(_titled, connection.execute(_SOME, (json.dumps(list(conversations)),)))
        self.entries = sorted((*kept, *read), reverse=True)


def newest_entries(connection: sqlite3.Connection, limit: int) -> list[ConversationEntry]:
    """The entries of the list, newest first; -1 for all."""
    return [_entry(row) for row in connection.execute(_NEWEST_FIRST, (limit,))]


def _entry(row: tuple[Any, ...]) -> ConversationEntry:
    identity, title, said, at, _, _, pinned, workspace = row
    return ConversationEntry(
        id=identity, title=title or title_of(said), updated_at=at, pinned=bool(pinned), workspace=workspace
    )


def _titled(row: tuple[Any, ...]) -> TitledEntry:
    entry = _entry(row)
    return TitledEntry(row[4], row[5], entry, composed(entry.title))
