"""The list of conversations: titles, search, which one is open, renaming and deleting.

A deleted conversation is hidden at once and can be restored until it is purged. Purging overwrites its messages, files
and traces in the database file.
"""

import asyncio
import json
import sqlite3
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, TypeVar

from assistant.core.clock import Clock
from assistant.core.records.agents import AgentId
from assistant.core.records.conversations import ConversationEntry, TalkedAbout
from assistant.storage.database import Database
from assistant.storage.migrations.backups import forget
from assistant.storage.rows import CONVERSATIONS, THIS_DEVICE, Rows, until_undone, write_rows
from assistant.storage.search.finding import FoundMessage, best_messages
from assistant.storage.search.index import PAUSE_S, catch_up, forget_stale
from assistant.storage.search.known import Known, TitledEntry, newest_entries
from assistant.storage.search.no_collection import no_collection
from assistant.storage.search.passages import MatchingText, Query, composed
from assistant.storage.stored_message import storable
from assistant.storage.titles import title_of
from assistant.storage.typed_lines import TypedLines
from assistant.storage.versions import branching, deleting

EMPTY_STAYS = timedelta(hours=12)
"""Age up to which a conversation without messages is not removed."""
LONGEST_TITLE = 120
"""Longest title given by the user or a model, in characters."""

TitledBy = Literal["", "model", "user"]
Result = TypeVar("Result")

_TITLING = """
SELECT title, titled_by, (SELECT text FROM messages WHERE conversation = conversations.id AND shown = 1
    AND role = 'user' AND text != '' ORDER BY added, id LIMIT 1) FROM conversations WHERE id = ?
"""
_COUNTS = """
SELECT conversation, COUNT(*) FROM messages WHERE role != 'tool' AND superseded = 0 AND shown = 1 GROUP BY conversation
"""
_SAID_SINCE = """
SELECT conversation, role FROM messages WHERE conversation IN (SELECT value FROM json_each(?)) AND shown = 1
    AND (role = 'user' OR (role = 'assistant' AND tool_uses = '[]' AND superseded = 0))
    AND julianday(created_at) >= julianday(?) ORDER BY added, id
"""
_MOST_TALKED = 200
"""Newest conversations among which those of a time are looked for."""
_MARK_OPEN = """
INSERT INTO opened (conversation, number)
    SELECT id, (SELECT COALESCE(MAX(number), 0) + 1 FROM opened) FROM conversations WHERE id = ? AND deleted_at = ''
ON CONFLICT (conversation) DO UPDATE SET number = excluded.number
"""
_LAST_OPEN = """
SELECT conversations.id FROM conversations LEFT JOIN opened ON opened.conversation = conversations.id
WHERE deleted_at = '' ORDER BY opened.number IS NULL, opened.number DESC,
    COALESCE((SELECT MAX(added) FROM messages WHERE conversation = conversations.id), 0) DESC,
    conversations.added DESC, conversations.id DESC LIMIT 1
"""
_SHOWN = "SELECT titled_by FROM conversations WHERE id = ? AND deleted_at = ''"
_HIDDEN = f"""
SELECT id FROM conversations
    WHERE deleted_at != '' AND (id = :id OR (:id = '' AND (changed_by = {THIS_DEVICE} OR changed < :before)))
    ORDER BY added, id
"""  # noqa: S608 - a constant
_WORDS = """
SELECT id, text FROM messages WHERE conversation = ? AND shown = 1 AND superseded = 0 AND role != 'tool'
    ORDER BY added, id
"""
_TYPED = "SELECT text FROM messages WHERE conversation = ? AND role = 'user'"
_EMPTY = """
SELECT id, created_at FROM conversations WHERE id != ? AND title = ''
    AND NOT EXISTS (SELECT 1 FROM messages WHERE conversation = conversations.id)
    AND id NOT IN (SELECT id FROM sync_numbers)
"""
"""The messages of a conversation of another device may be on their way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Titling:
    """The title of a conversation and who gave it; ``by`` is empty when the title is made from the first message."""

    title: str
    by: TitledBy


class ConversationList:
    """Reads and changes the list. Every method raises ``StorageError`` when the database cannot be read or written.

    Args:
        database: the open database.
        clock: gives the time of each write.
        on_purged: called with the id of each purged conversation, to remove its data outside the database.
        typed_lines: history of the terminal, which holds messages of the user too.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        on_purged: Callable[[str], Awaitable[None]] | None = None,
        typed_lines: TypedLines | None = None,
    ) -> None:
        self._database = database
        self._clock = clock
        self._on_purged = on_purged
        self._typed_lines = typed_lines
        self._known = Known()

    async def entries(self, query: str = "", limit: int = -1) -> tuple[ConversationEntry, ...]:
        """Conversations that have messages, newest first; those that match a query best come first.

        Args:
            query: words that must all occur in the title or all in one message; empty for every conversation.
            limit: maximum number of entries; -1 for all.
        """

        def work(connection: sqlite3.Connection) -> Sequence[ConversationEntry]:
            wanted = Query(query)
            if not wanted:
                return newest_entries(connection, limit)
            with no_collection():
                self._known.refresh(connection)
                found = best_messages(connection, self._known.index, wanted, self._known.texts)
                matched = _matched(self._known.entries, wanted, found, limit)
                return [_with_passage(entry, message, wanted) for entry, message in matched]

        return tuple(await self._database.read(work))

    async def index(self, *, most: int = -1, pause_s: float = PAUSE_S) -> int:
        """Index messages that are not indexed yet. A search finds them without the index too, only later.

        Args:
            most: how many blocks of messages to index; -1 for all.
            pause_s: seconds to wait after each block.

        Returns:
            How many blocks were indexed.
        """
        return await catch_up(self._database, self._clock, most=most, pause_s=pause_s)

    async def message_counts(self) -> dict[str, int]:
        """How many messages each conversation has, by its id; without results of tools and replaced answers."""

        def work(connection: sqlite3.Connection) -> dict[str, int]:
            return {str(row[0]): int(row[1]) for row in connection.execute(_COUNTS)}

        return await self._database.read(work)

    async def talked_about(
        self, workspace: str, since: datetime, *, asking: str = "", without: Collection[str] = ()
    ) -> tuple[TalkedAbout, ...]:
        """The conversations of a workspace in which something was said since a time, the newest first.

        Args:
            workspace: its name.
            since: the time.
            asking: id of the conversation that asks; its newest question and what follows it do not count.
            without: ids of conversations that are left out.
        """

        def work(connection: sqlite3.Connection) -> list[TalkedAbout]:
            entries = {
                each.id: (each.title, at)
                for each in newest_entries(connection, _MOST_TALKED)
                if each.workspace == workspace
                and each.id not in without
                and (at := datetime.fromisoformat(each.updated_at)) >= since
            }
            roles: dict[str, list[str]] = {}
            for identity, role in connection.execute(_SAID_SINCE, (json.dumps(list(entries)), since.isoformat())):
                roles.setdefault(identity, []).append(role)
            if said := roles.get(asking):
                while said and said.pop() != "user":
                    pass
            return [
                TalkedAbout(title=title, last_at=at, messages=len(roles[identity]))
                for identity, (title, at) in entries.items()
                if roles.get(identity)
            ]

        return tuple(await self._database.read(work))

    async def mark_open(self, conversation: str) -> bool:
        """Record that this conversation is open now; ``False`` when the id is unknown or the conversation deleted."""
        # Which conversation is open concerns this device only, so it is not part of the shared row.
        row = (conversation,)
        return await self._database.write(lambda connection: connection.execute(_MARK_OPEN, row).rowcount > 0)

    async def last_open(self) -> str | None:
        """Id of the conversation that was opened last; if none was ever opened, the one with the newest message.

        ``None`` when there is no conversation.
        """

        def work(connection: sqlite3.Connection) -> str | None:
            row = connection.execute(_LAST_OPEN).fetchone()
            return None if row is None else str(row[0])

        return await self._database.read(work)

    async def titling(self, conversation: str) -> Titling:
        """The title of the conversation; empty when it has neither a title nor a message of the user's."""
        return await self._database.read(lambda connection: _titling(connection, conversation))

    async def rename(self, conversation: str, title: str, by: TitledBy = "user") -> bool:
        """Set the title of the conversation. An empty title restores the one made from the first message.

        Returns:
            Whether the title was set. A model's title never replaces the user's, and a deleted conversation has none.
        """
        title = " ".join(storable(title).split())[:LONGEST_TITLE]
        values = {"title": title, "titled_by": by if title else ""}

        def work(rows: Rows) -> bool:
            shown = rows.connection.execute(_SHOWN, (conversation,)).fetchone()
            if shown is None or (shown[0] == "user" and by != "user"):
                return False
            return rows.change(CONVERSATIONS, conversation, values)

        return await self._write(work)

    async def pin(self, conversation: str, *, pinned: bool) -> bool:
        """Keep the conversation at the top of the list, or no longer; ``False`` when it is not in the list."""
        return await self._change(conversation, {"pinned": int(pinned)})

    async def move(self, conversation: str, agent: AgentId) -> bool:
        """Give the conversation to another agent; ``False`` when it is not in the list."""
        return await self._change(conversation, {"workspace": agent.workspace, "agent": agent.name})

    async def _change(self, conversation: str, values: Mapping[str, Any]) -> bool:
        def work(rows: Rows) -> bool:
            shown = rows.connection.execute(_SHOWN, (conversation,)).fetchone() is not None
            return shown and rows.change(CONVERSATIONS, conversation, values)

        return await self._write(work)

    async def find(self, conversation: str, query: str) -> tuple[str, ...]:
        """Ids of the shown questions and answers of a conversation that contain a text, oldest first.

        Letter case and the normal form of Unicode do not count.
        """
        wanted = composed(query).casefold()

        def work(connection: sqlite3.Connection) -> tuple[str, ...]:
            rows = connection.execute(_WORDS, (conversation,))
            return tuple(identity for identity, text in rows if wanted in composed(text).casefold())

        return await self._database.read(work) if wanted.strip() else ()

    async def branch(self, conversation: str, message: str) -> str:
        """Copy the shown messages of a conversation, up to ``message`` and the end of its answer, into a new one.

        Returns:
            Id of the new conversation; empty if the conversation does not show such a message.
        """
        now = self._clock.now().isoformat()

        def work(rows: Rows) -> str:
            shown = _titling(rows.connection, conversation).title
            return branching.branch(rows, conversation, message, now, shown)

        return await self._write(work)

    async def delete(self, conversation: str) -> bool:
        """Hide the conversation until it is restored or purged; ``False`` when it was not in the list."""
        values = {"deleted_at": self._clock.now().isoformat()}

        def work(rows: Rows) -> bool:
            if rows.connection.execute(_SHOWN, (conversation,)).fetchone() is None:
                return False
            return rows.change(CONVERSATIONS, conversation, values)

        return await self._write(work)

    async def delete_all(self) -> None:
        """Hide every conversation until it is purged."""
        values = {"deleted_at": self._clock.now().isoformat()}

        def work(rows: Rows) -> None:
            for (each,) in rows.connection.execute("SELECT id FROM conversations WHERE deleted_at = ''").fetchall():
                rows.change(CONVERSATIONS, each, values)

        await self._write(work)

    async def restore(self, conversation: str) -> bool:
        """Show a deleted conversation again; ``False`` when it has been purged."""

        def work(rows: Rows) -> bool:
            if conversation not in _hidden(rows.connection, conversation, 0):
                return False
            return rows.change(CONVERSATIONS, conversation, {"deleted_at": ""})

        return await self._write(work)

    async def delete_messages(self, conversation: str, message: str, *, after: bool) -> deleting.Deletion | None:
        """Hide a message until it is restored, or purged with the deleted conversation that the result names.

        Args:
            conversation: its conversation.
            message: its id.
            after: whether all messages after it are deleted too.

        Returns:
            ``None`` if the conversation does not show such a message.
        """
        now = self._clock.now().isoformat()
        return await self._write(lambda rows: deleting.delete(rows, conversation, message, now, after=after))

    async def restore_messages(self, deletion: deleting.Deletion) -> bool:
        """Put deleted messages back; ``False`` when they have been purged."""
        return await self._write(lambda rows: deleting.restore(rows, deletion))

    async def purge(self, conversation: str = "") -> tuple[str, ...]:
        """Remove a deleted conversation from the disk; without an id, every deleted conversation.

        What another device has deleted can still be restored there, so without an id it stays for a day.

        Messages, files and traces are removed too, also from backups; messages also from the terminal's history. Rows
        of usage and egress stay; they hold no words of the conversation. A tombstone with id and time stays for each
        conversation.

        Returns:
            Ids of the conversations that were removed.
        """
        before = until_undone(self._clock)
        hidden = await self._database.read(lambda connection: _hidden(connection, conversation, before))
        if not hidden:
            return ()
        # Backups first: after a crash the conversation is still hidden here, so the purge is repeated.
        # Messages that were deleted alone are in another conversation there.
        messages = await self._database.read(lambda connection: _messages_of(connection, hidden))
        await asyncio.to_thread(forget, self._database.path, hidden, messages)
        await self._forget_typed(hidden)

        def work(rows: Rows) -> tuple[str, ...]:
            gone = tuple(each for each in _hidden(rows.connection, conversation, before) if each in hidden)
            for each in gone:
                rows.delete(CONVERSATIONS, each)
            forget_stale(rows.connection)
            return gone

        gone = await self._write(work)
        await self._database.read(self._forget_read)
        await self._database.forget_deleted()
        if self._on_purged is not None:
            for each in gone:
                await self._on_purged(each)
        return gone

    async def _forget_typed(self, conversations: Sequence[str]) -> None:
        """Remove the conversations' messages from the terminal's history."""
        if self._typed_lines is None:
            return

        def work(connection: sqlite3.Connection) -> set[str]:
            return {text for each in conversations for (text,) in connection.execute(_TYPED, (each,))}

        await asyncio.to_thread(self._typed_lines.forget, await self._database.read(work))

    async def remove_empty(self, except_for: str) -> None:
        """Remove every conversation without title and messages, except the one with this id.

        Those of the last ``EMPTY_STAYS`` remain, because another process may have one of them open.
        """
        before = self._clock.now() - EMPTY_STAYS

        def work(rows: Rows) -> None:
            for conversation, created_at in rows.connection.execute(_EMPTY, (except_for,)).fetchall():
                if datetime.fromisoformat(created_at) < before:
                    rows.delete(CONVERSATIONS, conversation)

        await self._write(work, durable=False)

    async def is_empty(self, conversation: str) -> bool:
        """Whether the conversation has no messages."""
        query = "SELECT NOT EXISTS (SELECT 1 FROM messages WHERE conversation = ?)"
        return await self._database.read(
            lambda connection: bool(connection.execute(query, (conversation,)).fetchone()[0])
        )

    async def is_used(self) -> bool:
        """Whether any conversation has a message."""
        query = "SELECT EXISTS (SELECT 1 FROM messages)"
        return await self._database.read(lambda connection: bool(connection.execute(query).fetchone()[0]))

    def _forget_read(self, _: sqlite3.Connection) -> None:
        self._known.forget()

    async def _write(self, work: Callable[[Rows], Result], *, durable: bool = True) -> Result:
        return await write_rows(self._database, self._clock, work, durable=durable)


def _titling(connection: sqlite3.Connection, conversation: str) -> Titling:
    row: tuple[Any, ...] | None = connection.execute(_TITLING, (conversation,)).fetchone()
    if row is None:
        return Titling(title="", by="")
    title, by, asked = row
    return Titling(title=title or title_of(asked or ""), by=by)


def _hidden(connection: sqlite3.Connection, conversation: str, before: int) -> tuple[str, ...]:
    """Ids of deleted conversations that are not yet purged; with a non-empty id, only that one.

    Args:
        connection: the connection.
        conversation: its id.
        before: see ``until_undone``.
    """
    values = {"id": conversation, "before": before}
    return tuple(str(row[0]) for row in connection.execute(_HIDDEN, values))


def _messages_of(connection: sqlite3.Connection, conversations: Sequence[str]) -> tuple[str, ...]:
    query = "SELECT id FROM messages WHERE conversation = ?"
    return tuple(identity for each in conversations for (identity,) in connection.execute(query, (each,)))


def _matched(
    entries: Iterable[TitledEntry], query: Query, found: Mapping[str, FoundMessage], limit: int
) -> list[tuple[ConversationEntry, FoundMessage | None]]:
    """The entries that match, the best first, each with its message unless the title matches as well.

    Equally good ones keep their order.
    """
    ranked: list[tuple[int, ConversationEntry, FoundMessage | None]] = []
    for _, _, entry, title in entries:
        titled, message = query.rank_composed(title), found.get(entry.id)
        if titled and (message is None or titled >= message.rank):
            ranked.append((titled, entry, None))
        elif message is not None:
            ranked.append((message.rank, entry, message))
    ranked.sort(key=lambda each: -each[0])
    return [(entry, message) for _, entry, message in ranked[: None if limit < 0 else limit]]


def _with_passage(entry: ConversationEntry, found: FoundMessage | None, query: Query) -> ConversationEntry:
    if found is None:
        return entry
    return ConversationEntry(
        id=entry.id,
        title=entry.title,
        updated_at=entry.updated_at,
        pinned=entry.pinned,
        workspace=entry.workspace,
        message=found.message,
        passage=MatchingText(query, found.text),
    )
