"""The domain of stored conversations in the process of a command, while no engine runs."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from assistant.app.cli.database import opened
from assistant.core.service.requests.conversations import DeleteConversation
from assistant.core.texts import Texts
from assistant.engine.domains.stored_conversations import StoredConversations
from assistant.engine.serving.table import serves
from assistant.host.clock import SystemClock
from assistant.host.places import Places
from assistant.storage.conversation_list import ConversationList
from assistant.storage.conversations import ConversationStore
from assistant.storage.typed_lines import TypedLines

_INDEXED_BLOCKS = 4
"""How much a search indexes for the next one: about a second's work."""


class _OwnConversations(StoredConversations):
    """Also deletes conversations, at once and for good."""

    @serves()
    async def _delete_conversation(self, request: DeleteConversation) -> None:
        await self._conversations.delete(request.conversation)
        await self._conversations.purge(request.conversation)


@asynccontextmanager
async def own_conversations(places: Places, texts: Texts) -> AsyncIterator[StoredConversations]:
    """Open the database and make the domain; what a search asked to be indexed is indexed at the end.

    Raises:
        StorageError: the database cannot be used.
    """
    clock, wanted = SystemClock(), list[None]()
    async with opened(places, clock, texts) as database:
        conversations = ConversationList(database, clock, typed_lines=TypedLines(places.typed_lines))
        store = ConversationStore(database, clock)
        yield _OwnConversations(database, conversations, store, clock, texts, index=lambda: wanted.append(None))
        if wanted:
            await conversations.index(most=_INDEXED_BLOCKS, pause_s=0)
