"""Stores conversations and their messages."""

import asyncio
import json
import logging
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from assistant.core.clock import Clock
from assistant.core.errors import ErrorCode, SoriError, StorageError
from assistant.core.knowledge.passages import Citation
from assistant.core.machine.effects import Origin
from assistant.core.messages import FLOW, Completion, Message, Role, Summary, ToolUse
from assistant.core.records.agents import AgentId
from assistant.core.records.flows import FlowsBefore
from assistant.core.records.provenance import OWN_WORDS, Provenance
from assistant.core.records.usage import Exchange
from assistant.storage.attachments import files_of, kept, save_files
from assistant.storage.base_prompts import own_prompts
from assistant.storage.database import Database
from assistant.storage.identities import new_id
from assistant.storage.picked_texts import BEFORE_ALL, BEHIND_ALL, PickedTexts
from assistant.storage.records.usage import put_exchange
from assistant.storage.rows import CONVERSATIONS, MESSAGES, THIS_DEVICE, Rows, write_rows
from assistant.storage.stored_message import StoredMessage, storable, to_row
from assistant.storage.versions import paths

_SELECT = """
SELECT role, text, id, created_at, completion, heard, error, provider, model, tool_uses, tool_use_id, reasoning, usage,
    signatures, superseded, own_words, error_text, citations, turn,
    EXISTS (SELECT 1 FROM attachments WHERE message = messages.id)
FROM messages
"""
"""The columns that ``_message`` reads, in its order."""
_BACKWARDS = f"{_SELECT} WHERE conversation = ? AND shown = 1 AND (added, id) < (?, ?) ORDER BY added DESC, id DESC"
_MESSAGES_AFTER = f"""{_SELECT} WHERE conversation = ? AND shown = 1 AND (added, id) > (?, ?)
ORDER BY added DESC, id DESC LIMIT ?"""
_FIRST_QUESTION = """SELECT id, text FROM messages WHERE conversation = ? AND shown = 1 AND role = 'user'
    ORDER BY added, id LIMIT 1"""
_EVERY_MESSAGE = f"{_SELECT} WHERE conversation = ? ORDER BY added, id"
_OF_TURN = f"{_SELECT} WHERE conversation = ? AND turn = ? ORDER BY added, id"
_NEWEST_REQUEST = f"{_SELECT} WHERE conversation = ? AND shown = 1 AND role = ? ORDER BY added DESC, id DESC LIMIT 1"
_MESSAGE = f"{_SELECT} WHERE id = ?"
_CONVERSATION_OF = """
SELECT conversations.id FROM messages JOIN conversations ON conversations.id = messages.conversation
WHERE messages.id = ? AND deleted_at = ''
"""
_COUNT_AFTER = "SELECT COUNT(*) FROM messages WHERE conversation = ? AND shown = 1 AND (added, id) > (?, ?)"
_SPOKEN = "(role = 'user' OR (role = 'assistant' AND tool_uses = '[]' AND superseded = 0))"
"""``Message.is_spoken``."""
_SUMMARY = "SELECT summary, summarised_until FROM conversations WHERE id = ?"
_FACTS = """
SELECT summary, summarised_until, workspace, agent, model, project, outside, told_bits FROM conversations WHERE id = ?
"""
_PROVENANCE = "SELECT outside, told_bits FROM conversations WHERE id = ?"
_PLACE = "SELECT added, id FROM messages WHERE id = ?"
# 'streaming' is a literal, because SQLite uses the partial index of these rows only for a literal, not for a parameter.
_CUT_OFF = "SELECT id FROM messages WHERE completion = 'streaming' AND device = ?"
_ANSWERS_TO_NEWEST = """
SELECT id FROM messages WHERE conversation = :conversation AND shown = 1 AND role = :assistant AND provider != ''
    AND (added, id) > (
        SELECT added, id FROM messages WHERE conversation = :conversation AND shown = 1 AND role = :user
        ORDER BY added DESC, id DESC LIMIT 1
    )
"""
_ANSWERED_BY = """
SELECT provider, model FROM messages
WHERE conversation = ? AND shown = 1 AND role = ? AND text != '' AND (provider != '' OR model GLOB ?)
GROUP BY provider, model ORDER BY MAX(added) DESC
"""
_NO_FACTS = ("", "", AgentId().workspace, AgentId().name, "", "", 0, 0.0)

Result = TypeVar("Result")

log = logging.getLogger(__name__)


def _nothing(_: str) -> bool:
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which part of a conversation is wanted.

    Attributes:
        newest: from the number of its messages, how many of the newest ones. Tool calls and results do not count
            (``Message.is_spoken``), and go with them.
        picks: whether a message of the user's is wanted although it is older.
    """

    newest: Callable[[int], int]
    picks: Callable[[str], bool] = _nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Recent:
    """What a turn needs of the database: the newest part of its conversation, and the user's base prompts.

    Attributes:
        messages: the newest shown messages after the summary, oldest first, beginning with one of the user's.
        summary: the summary of the messages before.
        count: the number of shown messages; tool calls and results do not count.
        unsummarised: the number of those after the summary.
        picked: texts of older messages of the user's, as ``Wanted.picks`` says, oldest first.
        first_question: text of the user's first message, unless it is in ``messages``.
        agent: the agent to which the conversation belongs.
        model: reference of the model that was chosen for it; empty for none.
        own_prompts: the user's own base prompts, by language.
        provenance: where its content came from.
        project: id of the project that it is about; empty for none.
    """

    messages: tuple[Message, ...]
    summary: Summary
    count: int
    unsummarised: int
    agent: AgentId
    model: str
    own_prompts: Mapping[str, str]
    picked: tuple[str, ...] = ()
    first_question: str = ""
    provenance: Provenance = OWN_WORDS
    project: str = ""


class ConversationStore:
    """Reads and writes conversations.

    Every method raises ``StorageError`` when the database cannot be read or written.

    Args:
        database: the open database.
        clock: gives the time of each write.
        current_agent: gives the agent of a new conversation.
    """

    def __init__(self, database: Database, clock: Clock, *, current_agent: Callable[[], AgentId] = AgentId) -> None:
        self._database = database
        self._clock = clock
        self._current_agent = current_agent
        self._picked = PickedTexts()

    @classmethod
    async def open(
        cls, database: Database, clock: Clock, *, current_agent: Callable[[], AgentId] = AgentId
    ) -> "ConversationStore":
        """Make a store. Messages that a crash cut off are marked incomplete and keep their text.

        They are marked only when no other process has the database open: it may still be writing them.
        """
        store = cls(database, clock, current_agent=current_agent)
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
            cut_off = rows.connection.execute(_CUT_OFF, (THIS_DEVICE,)).fetchall()
            marked = sum(rows.change(MESSAGES, identity, values) for (identity,) in cut_off)
            paths.settle_all(rows)
            return marked

        return await self._write(work)

    async def create(self, agent: AgentId | None = None) -> str:
        """Make an empty conversation of an agent, by default of the current one; returns its id."""
        conversation = new_id()
        own = await asyncio.to_thread(self._current_agent) if agent is None else agent
        row = {
            "id": conversation,
            "created_at": self._clock.now().isoformat(),
            "workspace": own.workspace,
            "agent": own.name,
        }
        await self._write(lambda rows: rows.add(CONVERSATIONS, row))
        return conversation

    async def exists(self, conversation: str) -> bool:
        """Whether the conversation exists and is not deleted."""
        return await self._database.read(lambda connection: _exists(connection, conversation))

    async def ids(self) -> frozenset[str]:
        """Ids of all conversations, including deleted ones that are not yet purged."""

        def work(connection: sqlite3.Connection) -> frozenset[str]:
            return frozenset(str(row[0]) for row in connection.execute("SELECT id FROM conversations"))

        return await self._database.read(work)

    async def add(
        self,
        conversation: str,
        message: Message,
        *,
        origin: Origin = Origin.TEXT,
        instead: str = "",
        existing: bool = False,
    ) -> Message:
        """Save a complete message durably.

        Args:
            conversation: its conversation.
            message: the message.
            origin: where the turn came from.
            instead: id of the message of which it is a new version. That one and all after it are hidden.
            existing: whether the message is refused if the conversation does not exist or is deleted.

        Returns:
            The message with its ``id`` and ``created_at``; its files refer to the database.

        Raises:
            SoriError: there is no such conversation; nothing is stored.
        """
        named, work = self._addition(conversation, message, origin, instead, existing=existing)
        await self._write(work)
        return named

    async def ask(
        self,
        conversation: str,
        message: Message,
        wanted: Wanted,
        *,
        origin: Origin = Origin.TEXT,
        instead: str = "",
        outside: bool = False,
    ) -> tuple[Message, Recent]:
        """Save a message of the user's durably, and read what its turn needs, both at once.

        The other arguments are those of ``add`` and ``recent``.

        Args:
            conversation: its conversation.
            message: the message.
            wanted: from the number of messages, how many of the newest ones.
            origin: where the turn came from.
            instead: id of the message of which it is a new version.
            outside: whether it contains words that may be somebody else's.

        Returns:
            What ``add`` and ``recent`` return.

        Raises:
            SoriError: there is no such conversation; nothing is stored.
        """
        named, add = self._addition(conversation, message, origin, instead, existing=True)

        def work(rows: Rows) -> Recent:
            add(rows)
            if outside:
                grow_provenance(rows, conversation, Provenance(outside=True))
            return self._recent(rows.connection, conversation, wanted)

        recent = await self._write(work)
        return named, recent

    def _addition(
        self, conversation: str, message: Message, origin: Origin, instead: str, *, existing: bool
    ) -> tuple[Message, Callable[[Rows], None]]:
        """The message as ``add`` returns it, and what stores it."""
        identity = message.id or new_id()
        named = replace(message, id=identity, created_at=message.created_at or self._clock.now().isoformat())
        stored = StoredMessage.of(named, conversation, origin)
        row = to_row(stored)

        def work(rows: Rows) -> None:
            if existing and not _exists(rows.connection, conversation):
                raise unknown_conversation()
            if instead:
                paths.hide_from(rows, conversation, instead)
            if message.id:
                rows.put(MESSAGES, row, completed=partial(paths.with_parent, rows))
            else:
                rows.add(MESSAGES, paths.with_parent(rows, row))
            if message.attachments:
                save_files(rows.connection, identity, message.attachments)

        files = kept(self._database, identity, message.attachments)
        return replace(message, id=identity, created_at=stored.created_at, attachments=files), work

    async def save(
        self,
        messages: Sequence[StoredMessage],
        *,
        durable: bool = True,
        exchanges: Sequence[Exchange] = (),
        grown: tuple[str, Provenance] | None = None,
    ) -> None:
        """Add messages in this order, or replace those with the same id, in one transaction.

        Withdrawn messages are not added again.

        Args:
            messages: the messages.
            durable: ``False`` for text that still grows: a power cut may lose it, a crash of Sori does not.
            exchanges: what the models used for them. If these cannot be stored, the messages are stored alone.
            grown: a conversation, and where its content came from with these messages.
        """

        def work(rows: Rows) -> None:
            if grown is not None:
                grow_provenance(rows, *grown)
            placed = partial(paths.with_parent, rows)
            for message in messages:
                if rows.put(MESSAGES, to_row(message), completed=placed) and message.attachments:
                    save_files(rows.connection, message.id, message.attachments)
            try:
                for exchange in exchanges:
                    put_exchange(rows.connection, exchange)
            except sqlite3.Error as error:
                log.warning("what the models used could not be kept: %s", error)

        if messages or exchanges or grown is not None:
            await self._write(work, durable=durable)

    async def messages(self, conversation: str, limit: int | None = None, *, after: str = "") -> tuple[Message, ...]:
        """The conversation's messages, oldest first; the bytes of their files stay in the database.

        Args:
            conversation: its id.
            limit: how many of the newest messages; ``None`` for all.
            after: id of a message; only messages after it. Empty for no such bound.
        """
        most = -1 if limit is None else limit
        return await self._database.read(lambda connection: self._newest(connection, conversation, most, after))

    async def recent(self, conversation: str, wanted: Wanted) -> Recent:
        """What a turn needs of a conversation, read at once.

        Args:
            conversation: its id.
            wanted: which part.
        """
        return await self._database.read(lambda connection: self._recent(connection, conversation, wanted))

    async def count(self, conversation: str, *, after: str = "", spoken: bool = False) -> int:
        """How many messages the conversation has.

        Args:
            conversation: its id.
            after: id of a message; only messages after it. Empty for no such bound.
            spoken: whether tool calls and results do not count.
        """
        return await self._database.read(lambda connection: _count_after(connection, conversation, after, spoken))

    async def page(self, conversation: str, size: int, *, before: str = "") -> tuple[tuple[Message, ...], bool]:
        """A page of messages, oldest first, and whether there are older messages.

        The page begins with a message of the user's, so that no answer is split between pages. It may therefore hold
        more than ``size`` messages.

        Args:
            conversation: its id.
            size: how many messages.
            before: id of a message; the page ends just before it. Empty for the newest page.
        """

        def work(connection: sqlite3.Connection) -> tuple[list[Message], bool]:
            place = _place(connection, before) or BEHIND_ALL
            found: list[tuple[Any, ...]] = []
            older = connection.execute(_BACKWARDS, (conversation, *place))
            while (row := older.fetchone()) is not None:
                if len(found) >= size and found[-1][0] == Role.USER:
                    break
                found.append(row)
            older.close()
            several = paths.versions_of(connection, conversation)
            shown = [self._message(connection, each) for each in reversed(found)]
            told = [replace(each, versions=several[each.id]) if each.id in several else each for each in shown]
            return told, row is not None

        messages, more = await self._database.read(work)
        return tuple(messages), more

    async def of_turn(self, conversation: str, turn: str) -> tuple[Message, ...]:
        """The messages of a turn, oldest first, also those that are not shown."""

        def work(connection: sqlite3.Connection) -> list[Message]:
            found = connection.execute(_OF_TURN, (conversation, turn)).fetchall()
            return [self._message(connection, row) for row in found]

        return tuple(await self._database.read(work))

    async def newest_request(self, conversation: str) -> Message | None:
        """The newest message of the user's in the conversation, or ``None``."""
        return await self._one(_NEWEST_REQUEST, (conversation, Role.USER.value))

    async def message(self, identity: str) -> Message | None:
        """The message with this id; ``None`` when there is none."""
        return await self._one(_MESSAGE, (identity,))

    async def conversation_of(self, message: str) -> str:
        """The id of a message's conversation; empty when there is none, or when it is deleted."""

        def work(connection: sqlite3.Connection) -> str:
            row = connection.execute(_CONVERSATION_OF, (message,)).fetchone()
            return "" if row is None else str(row[0])

        return await self._database.read(work)

    async def _one(self, query: str, values: tuple[str, ...]) -> Message | None:
        def work(connection: sqlite3.Connection) -> Message | None:
            row = connection.execute(query, values).fetchone()
            return None if row is None else self._message(connection, row)

        return await self._database.read(work)

    async def every_message(self, conversation: str) -> tuple[Message, ...]:
        """All messages of the conversation with all their versions, oldest first."""

        def work(connection: sqlite3.Connection) -> list[Message]:
            return [self._message(connection, row) for row in connection.execute(_EVERY_MESSAGE, (conversation,))]

        return tuple(await self._database.read(work))

    async def is_shown(self, conversation: str, message: str) -> bool:
        """Whether the conversation shows a message."""
        return await self._database.read(lambda connection: paths.is_shown(connection, conversation, message))

    async def rewind(self, conversation: str, answer: str) -> Message | None:
        """Hide an answer and all after it, before its question is answered anew.

        Returns:
            The question; ``None``, hiding nothing, if no shown question precedes ``answer``.
        """

        def work(rows: Rows) -> str:
            question = paths.question_of(rows.connection, conversation, answer)
            if question:
                paths.hide_after(rows, conversation, question)
            return question

        question = await self._write(work)
        return await self.message(question) if question else None

    async def settle(self, conversation: str) -> bool:
        """Show the newest version again if a new one did not come about; returns whether anything has changed."""
        return await self._write(lambda rows: paths.settle(rows, conversation))

    async def show_version(self, conversation: str, message: str) -> bool:
        """Show the path through a message; returns whether anything has changed."""
        return await self._write(lambda rows: paths.show(rows, conversation, message))

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

    async def flows_before(self, conversation: str) -> FlowsBefore:
        """Which services of guided flows have answered in the conversation, on whichever device."""
        values = (conversation, Role.ASSISTANT.value, f"{FLOW}*")
        found = await self._database.read(lambda connection: connection.execute(_ANSWERED_BY, values).fetchall())
        answered = [model.removeprefix(FLOW) if not provider else "" for provider, model in found]
        services = tuple(dict.fromkeys(filter(None, answered)))
        return FlowsBefore(services=services, last=answered[0] if answered else "")

    async def agent_of(self, conversation: str) -> AgentId:
        """The agent to which the conversation belongs; the default agent for an unknown conversation."""

        def work(connection: sqlite3.Connection) -> AgentId:
            query = "SELECT workspace, agent FROM conversations WHERE id = ?"
            row = connection.execute(query, (conversation,)).fetchone()
            return AgentId() if row is None else AgentId(workspace=row[0], name=row[1])

        return await self._database.read(work)

    async def give_to_current(self, conversation: str) -> None:
        """Let a conversation without messages belong to the current agent."""
        agent = await asyncio.to_thread(self._current_agent)
        if agent == await self.agent_of(conversation):
            return
        values = {"workspace": agent.workspace, "agent": agent.name}
        await self._write(lambda rows: rows.change(CONVERSATIONS, conversation, values))

    async def choose_model(self, conversation: str, reference: str) -> None:
        """Choose the model that answers the conversation; an empty reference leaves the choice to the settings."""
        await self._write(lambda rows: rows.change(CONVERSATIONS, conversation, {"model": reference}))

    async def project_of(self, conversation: str) -> str:
        """Id of the project that the conversation is about; empty for none."""

        def work(connection: sqlite3.Connection) -> str:
            row = connection.execute("SELECT project FROM conversations WHERE id = ?", (conversation,)).fetchone()
            return "" if row is None else str(row[0])

        return await self._database.read(work)

    async def choose_project(self, conversation: str, project: str) -> None:
        """Let the conversation be about a project; an empty id ends that."""
        await self._write(lambda rows: rows.change(CONVERSATIONS, conversation, {"project": project}))

    async def summary(self, conversation: str) -> Summary:
        """The summary of the beginning of the conversation; an empty ``Summary`` when there is none."""
        return await self._database.read(lambda connection: _summary_of(connection, conversation))

    async def keep_summary(self, conversation: str, summary: Summary) -> None:
        """Replace the summary of the conversation. A power cut may lose the new one."""
        values = {"summary": storable(summary.text), "summarised_until": summary.until}

        def work(rows: Rows) -> None:
            # The path may have changed while the summary was being made.
            if not summary.until or paths.is_shown(rows.connection, conversation, summary.until):
                rows.change(CONVERSATIONS, conversation, values)

        await self._write(work, durable=False)

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

    def _recent(self, connection: sqlite3.Connection, conversation: str, wanted: Wanted) -> Recent:
        facts = connection.execute(_FACTS, (conversation,)).fetchone() or _NO_FACTS
        text, until, workspace, agent, model, project, outside, told_bits = facts
        summary = Summary(text=text, until=until)
        count = _count_after(connection, conversation, "", spoken=True)
        messages = self._window(connection, conversation, wanted.newest(count), until)
        before = _place(connection, messages[0].id if messages else "") or BEHIND_ALL
        first, question = connection.execute(_FIRST_QUESTION, (conversation,)).fetchone() or ("", "")
        return Recent(
            messages=messages,
            first_question="" if messages and messages[0].id == first else question,
            summary=summary,
            count=count,
            unsummarised=_count_after(connection, conversation, until, spoken=True),
            agent=AgentId(workspace=workspace, name=agent),
            model=model,
            project=project,
            own_prompts=own_prompts(connection),
            picked=self._picked.of(connection, conversation, before, wanted.picks) if messages else (),
            provenance=Provenance(outside=bool(outside), told_bits=told_bits),
        )

    def _window(
        self, connection: sqlite3.Connection, conversation: str, number: int, after: str
    ) -> tuple[Message, ...]:
        """The newest ``number`` messages after ``after`` and those before them down to one of the user's."""
        values = (conversation, *(_place(connection, after) or BEFORE_ALL), -1)
        rows = connection.execute(_MESSAGES_AFTER, values)
        found: list[Message] = []
        spoken = 0
        while (row := rows.fetchone()) is not None:
            found.append(self._message(connection, row))
            spoken += found[-1].is_spoken
            if spoken >= number and found[-1].role is Role.USER:
                break
        rows.close()
        return tuple(reversed(found))

    def _newest(self, connection: sqlite3.Connection, conversation: str, most: int, after: str) -> tuple[Message, ...]:
        """The newest shown messages after the message ``after``, oldest first; all of them where ``most`` is -1."""
        values = (conversation, *(_place(connection, after) or BEFORE_ALL), most)
        rows = connection.execute(_MESSAGES_AFTER, values).fetchall()
        return tuple(self._message(connection, row) for row in reversed(rows))

    def _message(self, connection: sqlite3.Connection, row: tuple[Any, ...]) -> Message:
        """The message in a row of ``_SELECT``, with its attachments.

        Raises:
            StorageError: a value of the row is not valid.
        """
        role, text, identity, created_at, completion, heard, error, provider, model, *others = row
        tool_uses, tool_use_id, reasoning, usage, signatures, superseded, own_words, error_text, *last = others
        citations, turn, has_files = last
        try:
            return Message(
                role=Role(role),
                text=text,
                id=identity,
                created_at=created_at,
                completion=Completion(completion),
                heard=heard,
                error=error,
                provider=provider,
                model=model,
                tool_uses=() if tool_uses == "[]" else tuple(ToolUse(**use) for use in json.loads(tool_uses)),
                tool_use_id=tool_use_id,
                reasoning=reasoning,
                usage={} if usage == "{}" else json.loads(usage),
                attachments=files_of(self._database, connection, identity) if has_files else (),
                signatures=() if signatures == "[]" else tuple(json.loads(signatures)),
                superseded=bool(superseded),
                own_words=own_words,
                error_text=error_text,
                citations=() if citations == "[]" else tuple(Citation(**each) for each in json.loads(citations)),
                turn=turn,
            )
        except (ValueError, TypeError) as broken:
            detail = f"row {identity} of the table messages cannot be read: {broken}. Delete its conversation"
            raise StorageError(str(self._database.path), detail, cause=broken) from broken


def unknown_conversation() -> SoriError:
    """The error for a conversation that does not exist or is deleted."""
    return SoriError(ErrorCode.INVALID_REQUEST, "no such conversation", message_key="unknown_conversation")


def grow_provenance(rows: Rows, conversation: str, provenance: Provenance) -> None:
    """Mark a conversation. Neither value falls, and a conversation of the user's own words is not written."""
    if provenance == OWN_WORDS:
        return
    found = rows.connection.execute(_PROVENANCE, (conversation,)).fetchone() or (0, 0.0)
    grown = max(found[0], int(provenance.outside)), max(found[1], provenance.told_bits)
    if grown != found:
        rows.change(CONVERSATIONS, conversation, {"outside": grown[0], "told_bits": grown[1]})


def _exists(connection: sqlite3.Connection, conversation: str) -> bool:
    query = "SELECT EXISTS (SELECT 1 FROM conversations WHERE id = ? AND deleted_at = '')"
    return bool(connection.execute(query, (conversation,)).fetchone()[0])


def _summary_of(connection: sqlite3.Connection, conversation: str) -> Summary:
    row = connection.execute(_SUMMARY, (conversation,)).fetchone()
    return Summary() if row is None else Summary(text=row[0], until=row[1])


def _count_after(connection: sqlite3.Connection, conversation: str, after: str, spoken: bool = False) -> int:
    """How many shown messages follow the message ``after``; all of them where it is empty or unknown."""
    place = _place(connection, after) or BEFORE_ALL
    query = f"{_COUNT_AFTER} AND {_SPOKEN}" if spoken else _COUNT_AFTER
    return int(connection.execute(query, (conversation, *place)).fetchone()[0])


def _place(connection: sqlite3.Connection, message: str) -> tuple[int, str] | None:
    """The place of a message in the order of rows; ``None`` when no message has that id."""
    place: tuple[int, str] | None = connection.execute(_PLACE, (message,)).fetchone() if message else None
    return place
