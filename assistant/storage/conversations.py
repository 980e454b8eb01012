"""Stores conversations and their messages.

``StoredMessage`` is the form of the row. The rest of Sori works with ``core.messages.Message`` (C-34).
"""

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from assistant.core.clock import Clock
from assistant.core.errors import StorageError
from assistant.core.machine.effects import Origin
from assistant.core.messages import Attachment, Completion, Message, Role, Summary, ToolUse
from assistant.storage.attachments import files_of, kept, save_files
from assistant.storage.database import Database
from assistant.storage.identities import new_id
from assistant.storage.rows import AFTER_ALL, CONVERSATIONS, MESSAGES, ROW_NAMES, Rows, write_rows

_MESSAGES_AFTER = """
SELECT * FROM messages WHERE conversation = ? AND added > COALESCE((SELECT added FROM messages WHERE id = ?), '')
ORDER BY added DESC LIMIT ?
"""
_PAGE_START = """
SELECT MAX(added) FROM messages WHERE conversation = :conversation AND role = :user AND added <= COALESCE(
    (SELECT added FROM messages WHERE conversation = :conversation
        AND added < COALESCE((SELECT added FROM messages WHERE id = :before), :after_all)
        ORDER BY added DESC LIMIT 1 OFFSET :size - 1), '')
"""
_PAGE = """
SELECT * FROM messages WHERE conversation = ? AND added >= ?
    AND added < COALESCE((SELECT added FROM messages WHERE id = ?), ?) ORDER BY added
"""
_COUNT_AFTER = """
SELECT COUNT(*) FROM messages
WHERE conversation = ? AND added > COALESCE((SELECT added FROM messages WHERE id = ?), '')
"""
# 'streaming' is a literal, because SQLite uses the partial index of these rows only for a literal, not for a parameter.
_CUT_OFF = "SELECT id FROM messages WHERE completion = 'streaming' AND device = ?"
_ANSWERS_TO_NEWEST = """
SELECT id FROM messages WHERE conversation = :conversation AND role = :assistant AND provider != '' AND added > (
    SELECT MAX(added) FROM messages WHERE conversation = :conversation AND role = :user
)
"""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMessage:
    """One row of the table ``messages``.

    Attributes:
        conversation: id of its conversation.
        origin: where the turn came from.

    The other attributes are those of ``Message``.
    """

    id: str
    conversation: str
    role: Role
    text: str
    created_at: str
    origin: Origin = Origin.TEXT
    reasoning: str = ""
    heard: str | None = None
    completion: Completion = Completion.COMPLETE
    error: str = ""
    provider: str = ""
    model: str = ""
    tool_uses: tuple[ToolUse, ...] = ()
    tool_use_id: str = ""
    usage: dict[str, int] = field(default_factory=dict)
    attachments: tuple[Attachment, ...] = ()
    signatures: tuple[dict[str, Any], ...] = ()
    superseded: bool = False

    def to_message(self) -> Message:
        """The row as a ``Message``."""
        return Message(
            role=self.role,
            text=self.text,
            id=self.id,
            created_at=self.created_at,
            completion=self.completion,
            heard=self.heard,
            error=self.error,
            provider=self.provider,
            model=self.model,
            tool_uses=self.tool_uses,
            tool_use_id=self.tool_use_id,
            reasoning=self.reasoning,
            usage=self.usage,
            attachments=self.attachments,
            signatures=self.signatures,
            superseded=self.superseded,
        )


class ConversationStore:
    """Reads and writes conversations.

    Every method raises ``StorageError`` when the database cannot be read or written.

    Args:
        database: the open database.
        clock: gives the time of each write.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    @classmethod
    async def open(cls, database: Database, clock: Clock) -> "ConversationStore":
        """Make a store. Messages that a crash cut off are marked incomplete and keep their text.

        They are marked only when no other process has the database open: it may still be writing them.
        """
        store = cls(database, clock)
        if database.alone:
            await store.recover()
        return store

    async def recover(self) -> int:
        """Mark every message that this device has not finished writing as incomplete.

        Messages of other devices are not marked: those devices may still be writing them.

        Returns:
            How many messages were marked.
        """
        values = {"completion": Completion.INCOMPLETE.value, "error": "incomplete"}

        def work(rows: Rows) -> int:
            cut_off = rows.connection.execute(_CUT_OFF, (rows.device,)).fetchall()
            return sum(rows.change(MESSAGES, identity, values) for (identity,) in cut_off)

        return await self._write(work)

    async def create(self) -> str:
        """Make an empty conversation; returns its id."""
        conversation = new_id()
        row = {"id": conversation, "created_at": self._clock.now().isoformat()}
        await self._write(lambda rows: rows.put(CONVERSATIONS, row))
        return conversation

    async def exists(self, conversation: str) -> bool:
        """Whether the conversation exists and is not deleted."""
        query = "SELECT EXISTS (SELECT 1 FROM conversations WHERE id = ? AND deleted_at = '')"
        return await self._database.read(
            lambda connection: bool(connection.execute(query, (conversation,)).fetchone()[0])
        )

    async def ids(self) -> frozenset[str]:
        """Ids of all conversations, including deleted ones that are not yet purged."""

        def work(connection: sqlite3.Connection) -> frozenset[str]:
            return frozenset(str(row[0]) for row in connection.execute("SELECT id FROM conversations"))

        return await self._database.read(work)

    async def add(self, conversation: str, message: Message, *, origin: Origin = Origin.TEXT) -> Message:
        """Save a complete message durably.

        Returns:
            The message with its ``id`` and ``created_at``; its files refer to the database.
        """
        identity = message.id or new_id()
        stored = StoredMessage(
            id=identity,
            conversation=conversation,
            origin=origin,
            role=message.role,
            text=message.text,
            heard=message.heard,
            completion=message.completion,
            error=message.error,
            provider=message.provider,
            model=message.model,
            tool_uses=message.tool_uses,
            tool_use_id=message.tool_use_id,
            reasoning=message.reasoning,
            usage=message.usage,
            attachments=message.attachments,
            signatures=message.signatures,
            superseded=message.superseded,
            created_at=message.created_at or self._clock.now().isoformat(),
        )
        await self.save([stored])
        return replace(stored.to_message(), attachments=kept(self._database, identity, message.attachments))

    async def save(self, messages: Sequence[StoredMessage], *, durable: bool = True) -> None:
        """Add messages in this order, or replace those with the same id, in one transaction.

        Withdrawn messages are not added again.

        Args:
            messages: the messages.
            durable: ``False`` for text that still grows: a power cut may lose it, a crash of Sori does not.
        """

        def work(rows: Rows) -> None:
            for message in messages:
                if rows.put(MESSAGES, _to_row(message)):
                    save_files(rows.connection, message.id, message.attachments)

        if messages:
            await self._write(work, durable=durable)

    async def messages(self, conversation: str, limit: int | None = None, *, after: str = "") -> tuple[Message, ...]:
        """The conversation's messages, oldest first; the bytes of their files stay in the database.

        Args:
            conversation: its id.
            limit: how many of the newest messages; ``None`` for all.
            after: id of a message; only messages after it. Empty for no such bound.
        """

        def work(connection: sqlite3.Connection) -> list[dict[str, Any]]:
            return self._rows(connection, _MESSAGES_AFTER, (conversation, after, -1 if limit is None else limit))

        rows = await self._database.read(work)
        return tuple(self._message(row) for row in reversed(rows))

    async def count(self, conversation: str, *, after: str = "") -> int:
        """How many messages the conversation has; with ``after``, how many after the message with that id."""

        def work(connection: sqlite3.Connection) -> int:
            return int(connection.execute(_COUNT_AFTER, (conversation, after)).fetchone()[0])

        return await self._database.read(work)

    async def page(self, conversation: str, size: int, *, before: str = "") -> tuple[tuple[Message, ...], bool]:
        """A page of messages, oldest first, and whether there are older messages.

        The page begins with a message of the user's, so that no answer is split between pages. It may therefore hold
        more than ``size`` messages.

        Args:
            conversation: its id.
            size: how many messages.
            before: id of a message; the page ends just before it. Empty for the newest page.
        """

        def work(connection: sqlite3.Connection) -> tuple[list[dict[str, Any]], bool]:
            values = {
                "conversation": conversation,
                "before": before,
                "size": size,
                "user": Role.USER.value,
                "after_all": AFTER_ALL,
            }
            (start,) = connection.execute(_PAGE_START, values).fetchone()
            rows = self._rows(connection, _PAGE, (conversation, start or "", before, AFTER_ALL))
            older = connection.execute(
                "SELECT EXISTS (SELECT 1 FROM messages WHERE conversation = ? AND added < ?)",
                (conversation, start or ""),
            ).fetchone()
            return rows, bool(older[0])

        rows, more = await self._database.read(work)
        return tuple(self._message(row) for row in rows), more

    async def newest_request(self, conversation: str) -> Message | None:
        """The newest message of the user's in the conversation, or ``None``."""

        def work(connection: sqlite3.Connection) -> list[dict[str, Any]]:
            query = "SELECT * FROM messages WHERE conversation = ? AND role = ? ORDER BY added DESC LIMIT 1"
            return self._rows(connection, query, (conversation, Role.USER.value))

        found = await self._database.read(work)
        return self._message(found[0]) if found else None

    async def supersede(self, conversation: str) -> None:
        """Mark the models' answers to the user's newest message as superseded, before it is answered again."""
        whose = {"conversation": conversation, "assistant": Role.ASSISTANT.value, "user": Role.USER.value}

        def work(rows: Rows) -> None:
            for (identity,) in rows.connection.execute(_ANSWERS_TO_NEWEST, whose).fetchall():
                rows.change(MESSAGES, identity, {"superseded": 1})

        await self._write(work)

    async def chosen_model(self, conversation: str) -> str:
        """Reference of the model chosen for the conversation; empty when none is chosen."""

        def work(connection: sqlite3.Connection) -> str:
            row = connection.execute("SELECT model FROM conversations WHERE id = ?", (conversation,)).fetchone()
            return "" if row is None else str(row[0])

        return await self._database.read(work)

    async def choose_model(self, conversation: str, reference: str) -> None:
        """Choose the model that answers the conversation; an empty reference leaves the choice to the settings."""
        await self._write(lambda rows: rows.change(CONVERSATIONS, conversation, {"model": reference}))

    async def summary(self, conversation: str) -> Summary:
        """The summary of the beginning of the conversation; an empty ``Summary`` when there is none."""

        def work(connection: sqlite3.Connection) -> Summary:
            query = "SELECT summary, summarised_until FROM conversations WHERE id = ?"
            row = connection.execute(query, (conversation,)).fetchone()
            return Summary() if row is None else Summary(text=row[0], until=row[1])

        return await self._database.read(work)

    async def keep_summary(self, conversation: str, summary: Summary) -> None:
        """Replace the summary of the conversation. A power cut may lose the new one."""
        values = {"summary": storable(summary.text), "summarised_until": summary.until}
        await self._write(lambda rows: rows.change(CONVERSATIONS, conversation, values), durable=False)

    async def withdraw(self, messages: Sequence[str]) -> None:
        """Delete messages: one message with the whole request is about to replace them.

        Args:
            messages: their ids.
        """

        def work(rows: Rows) -> None:
            for message in messages:
                rows.delete(MESSAGES, message)

        await self._write(work)

    async def mark_interrupted(self, heard: Iterable[tuple[str, str]]) -> None:
        """Mark messages as interrupted.

        Args:
            heard: pairs of a message's id and the part of its text that the user heard.
        """
        marked = tuple(heard)

        def work(rows: Rows) -> None:
            for message, text in marked:
                rows.change(MESSAGES, message, {"completion": Completion.INTERRUPTED.value, "heard": text})

        await self._write(work)

    async def _write(self, work: Callable[[Rows], Result], *, durable: bool = True) -> Result:
        return await write_rows(self._database, self._clock, work, durable=durable)

    def _rows(self, connection: sqlite3.Connection, query: str, values: tuple[Any, ...]) -> list[dict[str, Any]]:
        """Rows of messages that the query selects, with their attachments."""
        cursor = connection.execute(query, values)
        names = [column[0] for column in cursor.description]
        rows = [dict(zip(names, row, strict=True)) for row in cursor]
        for row in rows:
            row["attachments"] = files_of(self._database, connection, row["id"])
        return rows

    def _message(self, row: dict[str, Any]) -> Message:
        try:
            return _from_row(row).to_message()
        except (ValueError, TypeError) as error:
            detail = f"row {row['id']} of the table messages cannot be read: {error}. Delete its conversation"
            raise StorageError(str(self._database.path), detail, cause=error) from error


def _to_row(message: StoredMessage) -> dict[str, Any]:
    uses = [{"id": use.id, "name": use.name, "arguments": use.arguments} for use in message.tool_uses]
    return {
        "id": message.id,
        "conversation": message.conversation,
        "origin": message.origin.value,
        "role": message.role.value,
        "text": storable(message.text),
        "reasoning": storable(message.reasoning),
        "heard": None if message.heard is None else storable(message.heard),
        "completion": message.completion.value,
        "error": message.error,
        "provider": message.provider,
        "model": message.model,
        "tool_uses": json.dumps(uses) if uses else "[]",
        "tool_use_id": message.tool_use_id,
        "usage": json.dumps(message.usage) if message.usage else "{}",
        "signatures": json.dumps(message.signatures) if message.signatures else "[]",
        "superseded": int(message.superseded),
        "created_at": message.created_at,
    }


def storable(text: str) -> str:
    """The text with lone surrogates replaced: UTF-8 cannot encode them. Command lines and broken JSON contain them."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _from_row(row: dict[str, Any]) -> StoredMessage:
    """The message in a row.

    Raises:
        ValueError: a value of the row is not valid.
        TypeError: the row or its JSON has other fields.
    """
    return StoredMessage(
        **{
            **{name: value for name, value in row.items() if name not in ROW_NAMES},
            "role": Role(row["role"]),
            "origin": Origin(row["origin"]),
            "completion": Completion(row["completion"]),
            "tool_uses": tuple(ToolUse(**use) for use in json.loads(row["tool_uses"])),
            "usage": json.loads(row["usage"]),
            "signatures": tuple(json.loads(row["signatures"])),
            "superseded": bool(row["superseded"]),
        }
    )
