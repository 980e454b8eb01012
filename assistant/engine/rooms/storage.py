"""The database and what is kept in it."""

import asyncio
from dataclasses import dataclass

from assistant.agent.workspaces.current import CurrentAgent
from assistant.engine.rooms.basis import Basis
from assistant.knowledge.message_files import MessageDocuments
from assistant.knowledge.reading.document_reader import DocumentReader
from assistant.knowledge.reading.ocr import chosen_ocr
from assistant.knowledge.store import FileStore
from assistant.llm.embedded.prompt_states import PromptStates
from assistant.storage.conversation_list import ConversationList
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from assistant.storage.people import PeopleStore
from assistant.storage.records.audit import AuditStore
from assistant.storage.records.egress import EgressStore
from assistant.storage.records.telegram import TelegramRecords
from assistant.storage.records.traces import TraceStore
from assistant.storage.records.usage import UsageStore
from assistant.storage.timers import TimerStore
from assistant.storage.typed_lines import TypedLines


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageRoom:
    """The database, its stores, and the agent of new conversations."""

    database: Database
    current: CurrentAgent
    conversations: ConversationStore
    conversation_list: ConversationList
    states: PromptStates
    timers: TimerStore
    people: PeopleStore
    telegram: TelegramRecords
    traces: TraceStore
    audit: AuditStore
    ledger: EgressStore
    usage: UsageStore
    message_files: MessageDocuments


async def storage_room(basis: Basis) -> StorageRoom:
    """Open the database.

    Raises:
        StorageError: it cannot be opened.
    """
    places, clock = basis.places, basis.clock
    database = await Database.open(places.database, clock)
    if database.set_aside is not None:
        basis.warn("notice.storage_set_aside", path=str(database.path), set_aside=str(database.set_aside))
    current = CurrentAgent(places.current_agent)
    conversations = await ConversationStore.open(database, clock, current_agent=current.get)
    traces, audit = TraceStore(database, clock), AuditStore(database, clock)
    people = PeopleStore(database, clock)
    await people.purge()
    await people.all()
    await traces.prune()
    await audit.prune()
    states = await _prompt_states(basis, conversations, database)

    async def forget(gone: str) -> None:
        await asyncio.to_thread(states.forget, gone)
        await audit.forget(gone)

    return StorageRoom(
        database=database,
        current=current,
        conversations=conversations,
        conversation_list=ConversationList(
            database, clock, on_purged=forget, typed_lines=TypedLines(places.typed_lines)
        ),
        states=states,
        timers=TimerStore(database),
        people=people,
        telegram=TelegramRecords(database, clock),
        traces=traces,
        audit=audit,
        ledger=EgressStore(database, clock),
        usage=UsageStore(database, clock),
        message_files=MessageDocuments(
            FileStore(places.uploads), DocumentReader(ocr=lambda: chosen_ocr(basis.live.current.files))
        ),
    )


async def _prompt_states(basis: Basis, conversations: ConversationStore, database: Database) -> PromptStates:
    """The saved prompt states, after those of deleted conversations were removed."""
    llm = basis.live.current.llm
    states = PromptStates(basis.places.prompt_states, most=llm.kept_prompts, most_bytes=llm.kept_prompts_mb * 1_000_000)
    basis.live.subscribe(lambda now: states.limit(now.llm.kept_prompts, now.llm.kept_prompts_mb * 1_000_000))
    await asyncio.to_thread(states.sweep, await conversations.ids(), alone=database.alone)
    return states
