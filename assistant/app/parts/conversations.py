"""Stored conversations."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from assistant.app.cli.database import opened
from assistant.core.texts import Texts
from assistant.engine.domains.stored.conversations import StoredConversations
from assistant.host.clock import SystemClock
from assistant.host.places import Places
from assistant.storage.conversation_list import ConversationList
from assistant.storage.conversations import ConversationStore
from assistant.storage.typed_lines import TypedLines

_INDEXED_BLOCKS = 4
"""How much a search indexes for the next one: about a second's work."""


@asynccontextmanager
async def stored_conversations(places: Places, texts: Texts) -> AsyncIterator[StoredConversations]:
    """Open the database and make the domain; what a search asked to be indexed is indexed at the end.

    Raises:
        StorageError: the database cannot be used.
    """
    clock, wanted = SystemClock(), list[None]()
    async with opened(places, clock, texts) as database:
        conversations = ConversationList(database, clock, typed_lines=TypedLines(places.typed_lines))
        store = ConversationStore(database, clock)
        yield StoredConversations(database, conversations, store, clock, texts, index=lambda: wanted.append(None))
        if wanted:
            await conversations.index(most=_INDEXED_BLOCKS, pause_s=0)
