"""Takes conversations from the store and puts them back: opens, lists, renames and deletes them for who shows them."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, assert_never

from assistant.core import controls as ct
from assistant.core import updates as up
from assistant.core.clock import Clock
from assistant.core.errors import StorageError
from assistant.core.machine import events as ev
from assistant.core.machine.states import InteractionState
from assistant.storage.conversation_list import ConversationList
from assistant.storage.conversations import ConversationStore
from assistant.voice.session.session import Session

PAGE_MESSAGES = 40
"""Messages that are shown at once; older ones come when the reader scrolls to them."""
UNDO_S = 8.0
"""How long a deletion can be taken back: long enough to read the offer and act, short enough to be meant."""

log = logging.getLogger(__name__)


class ConversationShelf:
    """Everything that a person does with whole conversations.

    Args:
        store: the messages.
        conversations: the list.
        clock: waits for the end of an undo.
        publish: takes what is to be shown.
        tell_of: tells the user of what failed.
        start_job: runs something in the background.
        on_opened: told of each conversation that is opened from now on.
    """

    def __init__(
        self,
        store: ConversationStore,
        conversations: ConversationList,
        clock: Clock,
        *,
        publish: Callable[[up.Update], None],
        tell_of: Callable[[StorageError], None],
        start_job: Callable[[Coroutine[Any, Any, None]], None],
        on_opened: Callable[[str], Awaitable[None]],
    ) -> None:
        self._store, self._conversations, self._clock = store, conversations, clock
        self._publish, self._tell_of, self._start_job, self._on_opened = publish, tell_of, start_job, on_opened
        self._listing: asyncio.Task[None] | None = None
        self._deletions: dict[str, int] = {}
        """How many deletions each conversation has seen: one that was restored meanwhile is not purged too soon."""
        self._deleted_open = ""

    async def open_last(self) -> str:
        """Show the conversation that was open when Sori ended, or a new one; its id.

        Deletions that nobody can take back any more, and conversations in which nothing was said, are removed.

        Raises:
            StorageError: the store cannot be used.
        """
        await self._conversations.purge()
        conversation = await self._conversations.last_open() or await self._store.create()
        await self._conversations.remove_empty(except_for=conversation)
        await self._show(conversation)
        return conversation

    async def obey(self, control: ct.ConversationControl, session: Session) -> None:
        """Do what is asked; what the store refuses is told and changes nothing."""
        try:
            await self._obey(control, session)
        except StorageError as error:
            log.warning("the conversations cannot be changed: %s", error)
            self._tell_of(error)

    async def _obey(self, control: ct.ConversationControl, session: Session) -> None:
        match control:
            case ct.NewConversation():
                await self._begin(session)
            case ct.OpenConversation(conversation=conversation):
                await self._open(conversation, session)
            case ct.ListConversations(query=query):
                self._list(query)
            case ct.RenameConversation(conversation=conversation, title=title):
                await self._conversations.rename(conversation, title)
                self._publish(up.ConversationsChanged())
            case ct.DeleteConversation(conversation=conversation):
                await self._delete(conversation, session)
            case ct.RestoreConversation(conversation=conversation):
                await self._restore(conversation, session)
            case ct.LoadEarlier(before=before):
                messages, more = await self._store.page(session.conversation, PAGE_MESSAGES, before=before)
                self._publish(up.EarlierLoaded(conversation=session.conversation, messages=messages, more=more))
            case _:
                assert_never(control)

    async def _begin(self, session: Session) -> None:
        """A new conversation; one in which nothing was said yet is new already."""
        await _let_go(session)
        if not await self._conversations.is_empty(session.conversation):
            session.conversation = await self._store.create()
        await self._show(session.conversation)

    async def _open(self, conversation: str, session: Session) -> None:
        if conversation == session.conversation or not await self._store.exists(conversation):
            return
        await _let_go(session)
        session.conversation = conversation
        await self._show(conversation)

    async def refresh(self, conversation: str, session: Session) -> None:
        """A turn that ran beside the session is over: where its conversation was opened meanwhile, show all of it."""
        if conversation == session.conversation and session.snapshot.interaction is not InteractionState.PROCESSING:
            messages, more = await self._store.page(conversation, PAGE_MESSAGES)
            self._publish(up.ConversationOpened(conversation=conversation, messages=messages, more=more))

    async def _show(self, conversation: str) -> None:
        messages, more = await self._store.page(conversation, PAGE_MESSAGES)
        self._publish(up.ConversationOpened(conversation=conversation, messages=messages, more=more))
        await self._conversations.mark_open(conversation)
        await self._on_opened(conversation)

    def _list(self, query: str) -> None:
        """List in the background: the next letter of a search makes the last one's answer useless."""
        if self._listing is not None:
            self._listing.cancel()
        self._listing = asyncio.get_running_loop().create_task(self._look(query), name="list conversations")

    async def _look(self, query: str) -> None:
        try:
            entries = await self._conversations.entries(query)
        except StorageError as error:
            log.warning("the conversations cannot be listed: %s", error)
            self._tell_of(error)
        else:
            self._publish(up.ConversationsListed(query=query, entries=entries))

    async def _delete(self, conversation: str, session: Session) -> None:
        """Hide a conversation, leave it if it is open, and purge it when nobody has restored it in time."""
        title = (await self._conversations.titling(conversation)).title
        is_open = conversation == session.conversation
        if is_open:
            await _let_go(session)
        if not await self._conversations.delete(conversation):
            return
        self._publish(up.ConversationDeleted(conversation=conversation, title=title, undo_s=UNDO_S))
        self._publish(up.ConversationsChanged())
        self._deletions[conversation] = self._deletions.get(conversation, 0) + 1
        self._start_job(self._purge_later(conversation, self._deletions[conversation]))
        if is_open:
            self._deleted_open = conversation
            session.conversation = await self._store.create()
            await self._show(session.conversation)

    async def _restore(self, conversation: str, session: Session) -> None:
        if await self._conversations.restore(conversation):
            self._publish(up.ConversationsChanged())
            if conversation == self._deleted_open:
                await self._open(conversation, session)

    async def _purge_later(self, conversation: str, deletion: int) -> None:
        # A little longer than is offered: what is clicked in the last moment still counts.
        await self._clock.sleep(UNDO_S + 1.0)
        if self._deletions[conversation] == deletion:
            await self._conversations.purge(conversation)

    async def close(self) -> None:
        """Purge what was deleted, for nobody can restore it any more."""
        if self._listing is not None:
            self._listing.cancel()
        try:
            await self._conversations.purge()
        except StorageError as error:
            # The next start does it.
            log.warning("deleted conversations are still there: %s", error)


async def _let_go(session: Session) -> None:
    """Stop what is being answered or said in the open conversation; how it ended is shown there, and kept."""
    talking = session.snapshot.interaction in {InteractionState.PROCESSING, InteractionState.SPEAKING}
    if talking or session.snapshot.question:
        session.tell(ev.StopPressed())
    await session.settle()
