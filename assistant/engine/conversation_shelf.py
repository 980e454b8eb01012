"""Opens, lists, renames and deletes conversations for the window."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, assert_never

from assistant.chat.board import TurnBoard
from assistant.core import controls as ct
from assistant.core import updates as up
from assistant.core.clock import Clock
from assistant.core.errors import StorageError
from assistant.core.machine import events as ev
from assistant.core.machine.states import TurnId
from assistant.core.messages import Message
from assistant.core.records.agents import AgentShown
from assistant.storage.conversation_list import ConversationList
from assistant.storage.conversations import ConversationStore
from assistant.voice.session.session import Session

PAGE_MESSAGES = 40
"""Number of messages shown at first; older messages are loaded when the user scrolls to them."""
_MOST_AT_ONCE = 400
"""Most messages that are shown at first to reach an older one; the window makes a row for each."""
_BEGUN_S = 1.0
"""Longest wait for the user's message to be stored. That takes a few milliseconds, unless the disk is slow."""
UNDO_S = 8.0
"""Seconds in which a deletion can be undone: long enough to read the offer and act."""

_INDEX_AFTER_S = 30.0
"""From the start to the indexing of messages: the engines are loaded first."""

log = logging.getLogger(__name__)


class ConversationShelf:
    """The user's actions on whole conversations.

    Args:
        store: the messages.
        conversations: the list.
        clock: measures the time in which a deletion can be undone.
        board: owns the running turns.
        written: returns the ids of the messages that a running turn has stored of its answer.
        publish: takes updates.
        tell_of: reports an error to the user.
        start_job: runs a coroutine in the background.
        on_opened: called with the id of each opened conversation.
        agent_of: gives the agent of a conversation as the user reads it.
    """

    def __init__(
        self,
        store: ConversationStore,
        conversations: ConversationList,
        clock: Clock,
        *,
        board: TurnBoard,
        written: Callable[[TurnId], frozenset[str]],
        publish: Callable[[up.Update], None],
        tell_of: Callable[[StorageError], None],
        start_job: Callable[[Coroutine[Any, Any, None]], None],
        on_opened: Callable[[str], Awaitable[None]],
        agent_of: Callable[[str], Awaitable[AgentShown]],
    ) -> None:
        self._agent_of = agent_of
        self._store, self._conversations, self._clock = store, conversations, clock
        self._board, self._written = board, written
        self._publish, self._tell_of, self._start_job, self._on_opened = publish, tell_of, start_job, on_opened
        self._listing: asyncio.Task[None] | None = None
        self._deletions: dict[str, int] = {}
        """Number of deletions of each conversation. A conversation that was restored and deleted again is purged by the
        later deletion only."""
        self._deleted_open = ""
        self._indexing = False
        self._open_conversation = ""

    async def open_last(self, *, alone: bool = True) -> str:
        """Show the conversation that was open when Sori ended, or a new one, and return its id.

        Args:
            alone: whether no other process works with the conversations. Then deleted conversations are purged, and
                old ones without messages are removed.

        Raises:
            StorageError: the store cannot be used.
        """
        if alone:
            await self._conversations.purge()
        conversation = await self._conversations.last_open() or await self._store.create()
        if alone:
            await self._conversations.remove_empty(except_for=conversation)
        await self._show(conversation)
        return conversation

    async def obey(self, control: ct.ConversationControl, session: Session) -> None:
        """Carry out a control. An error of the store is reported and changes nothing."""
        try:
            await self._obey(control, session)
        except StorageError as error:
            log.warning("the conversations cannot be changed: %s", error)
            self._tell_of(error)

    async def _obey(self, control: ct.ConversationControl, session: Session) -> None:
        match control:
            case ct.NewConversation():
                await self.begin(session)
            case ct.OpenConversation(conversation=conversation, message=message):
                await self._open(conversation, session, message)
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
            case ct.ShowVersion(message=message):
                await self._show_version(message, session)
            case ct.BranchConversation(message=message):
                await self._branch(message, session)
            case _:
                assert_never(control)

    async def show_path(self, conversation: str) -> None:
        """Show the messages of the conversation anew if it is open: other versions of them are shown now."""
        if conversation == self._open_conversation:
            self._publish(await self._opened(conversation))

    async def _show_version(self, message: str, session: Session) -> None:
        conversation = session.conversation
        session.stop_turns(conversation)
        await self._board.settle()
        if await self._store.show_version(conversation, message):
            await self._show(conversation, message)

    async def _branch(self, message: str, session: Session) -> None:
        branch = await self._conversations.branch(session.conversation, message)
        if branch:
            self._publish(up.ConversationsChanged())
            await self._open(branch, session)

    async def begin(self, session: Session) -> None:
        """Begin a new conversation; reuse the open one if it is still empty.

        Raises:
            StorageError: the store cannot be used.
        """
        await self._leave(session)
        if await self._conversations.is_empty(session.conversation):
            # It was made for the agent that was current then.
            await self._store.give_to_current(session.conversation)
            session.enter(session.conversation)
        else:
            session.enter(await self._store.create())
        await self._show(session.conversation)

    async def _open(self, conversation: str, session: Session, message: str = "") -> None:
        if conversation == session.conversation or not await self._store.exists(conversation):
            return
        await self._leave(session)
        session.enter(conversation)
        if message:
            # A search also finds former versions.
            await self._store.show_version(conversation, message)
        await self._show(conversation, message)

    async def _show(self, conversation: str, message: str = "") -> None:
        self._open_conversation = conversation
        self._publish(await self._opened(conversation, message))
        self._board.open(conversation)
        for turn in self._board.running(conversation):
            for update in self._board.shown(turn):
                self._publish(update)
        await self._conversations.mark_open(conversation)
        await self._on_opened(conversation)

    async def _opened(self, conversation: str, message: str = "") -> up.ConversationOpened:
        agent = await self._agent_of(conversation)
        # The page is read last: a turn may be storing messages.
        messages, more = await self._page(conversation, message)
        return up.ConversationOpened(
            conversation=conversation, messages=messages, more=more, wanted=message, agent=agent
        )

    async def _page(self, conversation: str, message: str) -> tuple[tuple[Message, ...], bool]:
        """The newest messages, back to the one that is wanted, without those that the packets of a turn will show."""
        size = PAGE_MESSAGES
        if message:
            size = max(size, min(await self._store.count(conversation, after=message) + 1, _MOST_AT_ONCE))
        while True:
            running = self._board.running(conversation)
            messages, more = await self._store.page(conversation, size)
            # A turn that ended while the page was read may have stored more than the page has.
            if self._board.running(conversation) == running:
                break
        shown_by_packets = frozenset[str]().union(*map(self._written, running))
        return tuple(message for message in messages if message.id not in shown_by_packets), more

    async def _leave(self, session: Session) -> None:
        """Stop an answer that is read aloud; let any other go on in the conversation that is left."""
        turn = session.snapshot.turn
        session.tell(ev.ConversationLeft())
        await self._board.settle()
        if self._board.runs(turn):
            # The message that was just sent is shown where it was sent.
            await self._board.begun(turn, _BEGUN_S)

    def _list(self, query: str) -> None:
        """List conversations in the background. The next letter of a search cancels the listing for the last one."""
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
            if query:
                self.index_later(0.0)

    def index_later(self, wait_s: float = _INDEX_AFTER_S) -> None:
        """Index new messages in the background, unless that is under way.

        Args:
            wait_s: seconds before it begins.
        """
        if not self._indexing:
            self._indexing = True
            self._start_job(self._index(wait_s))

    async def _index(self, wait_s: float) -> None:
        try:
            await self._clock.sleep(wait_s)
            await self._conversations.index()
        except StorageError as error:
            log.warning("messages cannot be indexed: %s", error)
        finally:
            self._indexing = False

    async def _delete(self, conversation: str, session: Session) -> None:
        """Hide a conversation, leave it if it is open, and purge it unless it is restored in time."""
        title = (await self._conversations.titling(conversation)).title
        is_open = conversation == session.conversation
        session.stop_turns(conversation)
        await self._board.settle()
        if not await self._conversations.delete(conversation):
            return
        self._board.forget(conversation)
        self._publish(up.ConversationDeleted(conversation=conversation, title=title, undo_s=UNDO_S))
        self._publish(up.ConversationsChanged())
        self._deletions[conversation] = self._deletions.get(conversation, 0) + 1
        self._start_job(self._purge_later(conversation, self._deletions[conversation]))
        if is_open:
            self._deleted_open = conversation
            session.enter(await self._store.create())
            await self._show(session.conversation)

    async def _restore(self, conversation: str, session: Session) -> None:
        if await self._conversations.restore(conversation):
            self._publish(up.ConversationsChanged())
            if conversation == self._deleted_open:
                await self._open(conversation, session)

    async def _purge_later(self, conversation: str, deletion: int) -> None:
        # Wait a second longer than offered, so that a click in the last moment still counts.
        await self._clock.sleep(UNDO_S + 1.0)
        if self._deletions[conversation] == deletion:
            await self._conversations.purge(conversation)

    async def close(self) -> None:
        """Purge deleted conversations, which can no longer be restored."""
        if self._listing is not None:
            self._listing.cancel()
        try:
            await self._conversations.purge()
        except StorageError as error:
            # The next start purges them.
            log.warning("deleted conversations are still there: %s", error)
