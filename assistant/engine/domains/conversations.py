"""The domain of conversations: opens, shows and deletes them. ``stored.conversations`` has what needs no session."""

import asyncio
import logging
from collections.abc import Iterator

from typing_extensions import override

from assistant.chat.turn_request import TurnRequest
from assistant.core import updates as up
from assistant.core.errors import ErrorCode, SoriError, StorageError
from assistant.core.machine import events as ev
from assistant.core.messages import Message, with_end
from assistant.core.records.agents import AgentId
from assistant.core.service.requests import conversations as rq
from assistant.core.texts import Texts
from assistant.engine.chat_wiring import Chat
from assistant.engine.domains.models import Models
from assistant.engine.domains.stored.conversations import StoredConversations
from assistant.engine.domains.stored.deleted_messages import UNDO_S, DeletedMessages
from assistant.engine.serving.hub import Hub
from assistant.engine.serving.table import SESSION, Asker, Domain, Handlers, WithEvents, serves
from assistant.storage.conversation_list import ConversationList
from assistant.storage.conversations import ConversationStore, unknown_conversation
from assistant.tasks import TaskSupervisor
from assistant.voice.session.session import Session

PAGE_MESSAGES = 40
"""Number of messages shown at first; older messages are loaded when the user scrolls to them."""
_MOST_AT_ONCE = 400
"""Most messages that are shown at first to reach an older one; the window makes a row for each."""
_BEGUN_S = 1.0
"""Longest wait for the user's message to be stored. That takes a few milliseconds, unless the disk is slow."""
_INDEX_AFTER_S = 30.0
"""From the start to the indexing of messages: the engines are loaded first."""

log = logging.getLogger(__name__)


async def first_conversation(store: ConversationStore, conversations: ConversationList, *, alone: bool) -> str:
    """The id of the conversation that was open when Sori ended, or of a new one.

    Args:
        store: the messages.
        conversations: the list.
        alone: whether no other process works with the conversations. Then deleted conversations are purged, and old
            ones without messages are removed.

    Raises:
        StorageError: the store cannot be used.
    """
    if alone:
        await conversations.purge()
    conversation = await conversations.last_open() or await store.create()
    if alone:
        await conversations.remove_empty(except_for=conversation)
    return conversation


class Conversations(Domain):
    """Owns the requests for conversations. The open one is that of the voice session.

    Args:
        chat: has the messages, the list, the running turns and the agents.
        texts: the user's words, for exports.
        session: the voice session.
        hub: knows who follows a conversation.
        jobs: runs the engine's background work.
        models: show which model answers in a conversation.
    """

    def __init__(
        self,
        chat: Chat,
        texts: Texts,
        *,
        session: Session,
        hub: Hub,
        jobs: TaskSupervisor,
        models: Models,
    ) -> None:
        self._store, self._conversations, self._clock = (
            chat.storage.conversations,
            chat.storage.conversation_list,
            chat.basis.clock,
        )
        self._board, self._flows = chat.answers.board, chat.answers.guided
        self._projects = chat.projects.listed
        self._written, self._agent_of = chat.answers.engine.written, chat.agents.profiles.shown
        self._session, self._hub, self._publish = session, hub, hub.deliver
        self._jobs, self._models, self._workspaces = jobs, models, chat.agents.workspaces
        self._deletions: dict[str, int] = {}
        """Number of deletions of each conversation. A conversation that was restored and deleted again is purged by the
        later deletion only."""
        self._deleted_open = ""
        self._indexing = False
        self._stored = StoredConversations(
            chat.storage.database,
            self._conversations,
            self._store,
            self._clock,
            texts,
            publish=self._publish,
            index=lambda: self.index_later(0.0),
            tell=hub.deliver,
        )
        self._messages = DeletedMessages(
            chat.storage, self._clock, stop=self._stop_turns, show=self.show_path, publish=self._publish, jobs=jobs
        )
        self._board.ended.add(self._turn_ended)

    @override
    def handlers(self) -> Handlers:
        return {**self._stored.handlers(), **self._messages.handlers(), **super().handlers()}

    def _turn_ended(self, request: TurnRequest, _failure: str) -> None:
        if self._hub.is_followed(request.conversation):
            self._board.read(request.conversation)

    @serves(lane=SESSION)
    async def _follow_conversation(self, request: rq.FollowConversation, asker: Asker) -> WithEvents:
        conversation = request.conversation or self._session.conversation
        await self._check(conversation)
        choice = await self._models.choice(conversation)
        opened = await self._opened(conversation, request.message)
        # From here to the reply nothing else can happen.
        self._hub.follow(asker.client, request.conversation)
        self._board.read(conversation)
        self._flows.show(conversation)
        return WithEvents(opened, (*choice, *self._running(conversation)))

    @serves()
    async def _unfollow_conversation(self, request: rq.UnfollowConversation, asker: Asker) -> None:
        self._hub.unfollow(asker.client, request.conversation)

    @serves(lane=SESSION)
    async def _open_conversation(self, request: rq.OpenConversation) -> None:
        await self._check(request.conversation)
        await self._open(request.conversation, request.message)

    @serves(lane=SESSION)
    async def _new_conversation(self, _: rq.NewConversation) -> str:
        return await self.begin()

    @serves()
    async def _load_messages(self, request: rq.LoadMessages) -> rq.MessagePage:
        await self._check(request.conversation)
        messages, more = await self._store.page(request.conversation, PAGE_MESSAGES, before=request.before)
        if not request.before and not self._board.answers_in(request.conversation):
            messages = with_end(messages)
        return rq.MessagePage(messages=messages, more=more)

    @serves()
    async def _load_turn(self, request: rq.LoadTurn) -> rq.StoredTurn:
        await self._check(request.conversation)
        messages = await self._store.of_turn(request.conversation, request.turn)
        newest = await self._store.newest_request(request.conversation)
        return rq.StoredTurn(messages=messages, newest=newest is not None and newest.turn == request.turn)

    @serves()
    async def _list_versions(self, request: rq.ListVersions) -> tuple[Message, ...]:
        shown = await self._store.message(request.message)
        if shown is None or not await self._store.is_shown(request.conversation, request.message):
            raise _unknown_message()
        found = [await self._store.message(each) for each in shown.versions]
        return tuple(each for each in found if each is not None)

    @serves()
    async def _find_message(self, request: rq.FindMessage) -> rq.MessageFound | None:
        conversation = await self._store.conversation_of(request.message)
        message = await self._store.message(request.message)
        if message is None or not conversation:
            return None
        return rq.MessageFound(
            conversation=conversation,
            title=(await self._conversations.titling(conversation)).title,
            message=message,
        )

    @serves(lane=SESSION)
    async def _show_version(self, request: rq.ShowVersion) -> None:
        await self._stop_turns(request.conversation)
        if not await self._store.show_version(request.conversation, request.message):
            raise _unknown_message()
        await self.show_path(request.conversation, request.message)

    @serves(lane=SESSION)
    async def _branch_conversation(self, request: rq.BranchConversation) -> str:
        branch = await self._conversations.branch(request.conversation, request.message)
        if not branch:
            raise _unknown_message()
        self._publish(up.ConversationsChanged())
        await self._open(branch)
        return branch

    @serves(lane=SESSION)
    async def _move_conversation(self, request: rq.MoveConversation) -> None:
        await self._check(request.conversation)
        workspace = await asyncio.to_thread(self._workspaces.find_workspace, request.workspace)
        await self._stop_turns(request.conversation)
        if not await self._conversations.move(request.conversation, AgentId(workspace=workspace.name)):
            raise unknown_conversation()
        self._publish(up.ConversationsChanged())
        await self.show_path(request.conversation)

    @serves(lane=SESSION)
    async def _delete_conversation(self, request: rq.DeleteConversation) -> None:
        conversation = request.conversation
        await self._check(conversation)
        title = (await self._conversations.titling(conversation)).title
        is_open = conversation == self._session.conversation
        await self._stop_turns(conversation)
        if not await self._conversations.delete(conversation):
            raise unknown_conversation()
        self._board.forget(conversation)
        self._publish(up.ConversationDeleted(conversation=conversation, title=title, undo_s=UNDO_S))
        self._publish(up.ConversationsChanged())
        self._deletions[conversation] = self._deletions.get(conversation, 0) + 1
        self._jobs.start(self._purge_later(conversation, self._deletions[conversation]), name="purge a conversation")
        if is_open:
            self._deleted_open = conversation
            self._session.enter(await self._store.create())
            await self._enter(self._session.conversation)

    @serves(lane=SESSION)
    async def _restore_conversation(self, request: rq.RestoreConversation) -> None:
        if not await self._conversations.restore(request.conversation):
            raise unknown_conversation()
        self._publish(up.ConversationsChanged())
        if request.conversation == self._deleted_open:
            await self._open(request.conversation)

    async def erase_all(self) -> None:
        """Remove every conversation from the disk; a new one is open then.

        Raises:
            StorageError: the store cannot be written.
        """
        known = await self._store.ids()
        for each in known:
            self._session.stop_turns(each)
        await self._board.settle()
        await self._conversations.delete_all()
        for each in known:
            self._board.forget(each)
        self._session.enter(await self._store.create())
        await self._enter(self._session.conversation)
        await self._conversations.purge()
        self._publish(up.ConversationsChanged())

    async def show_first(self) -> None:
        """Make the conversation with which the session begins the open one. Nobody follows it yet."""
        self._hub.enter(self._session.conversation)
        self._board.open(self._session.conversation)
        await self._conversations.mark_open(self._session.conversation)
        await self._models.recall(self._session.conversation)

    async def show_path(self, conversation: str, message: str = "") -> None:
        """Show the messages of a conversation anew, at one of them: other versions of them are shown now."""
        self._show(await self._opened(conversation, message))

    async def begin(self) -> str:
        """Begin a new conversation, and return its id; reuse the open one if it is still empty.

        Raises:
            StorageError: the store cannot be used.
        """
        await self._leave()
        if await self._conversations.is_empty(self._session.conversation):
            # It was made for the agent that was current then.
            await self._store.give_to_current(self._session.conversation)
            self._session.enter(self._session.conversation)
        else:
            self._session.enter(await self._store.create())
        await self._enter(self._session.conversation)
        return self._session.conversation

    async def _stop_turns(self, conversation: str) -> None:
        self._session.stop_turns(conversation)
        await self._board.settle()

    async def _check(self, conversation: str) -> None:
        if not await self._store.exists(conversation):
            raise unknown_conversation()

    async def _open(self, conversation: str, message: str = "") -> None:
        if conversation == self._session.conversation:
            return
        await self._leave()
        self._session.enter(conversation)
        if message:
            # A search also finds former versions.
            await self._store.show_version(conversation, message)
        await self._enter(conversation, message)

    async def _enter(self, conversation: str, message: str = "") -> None:
        """Make a conversation the open one, in which the session goes on already."""
        opened = await self._opened(conversation, message)
        self._hub.enter(conversation)
        self._board.open(conversation)
        self._show(opened)
        await self._conversations.mark_open(conversation)
        await self._models.recall(conversation)

    def _show(self, opened: up.ConversationOpened) -> None:
        """Show a conversation to those who follow it, and then what its running turns have shown."""
        self._publish(opened)
        for each in self._running(opened.conversation):
            self._publish(each)
        self._flows.show(opened.conversation)

    def _running(self, conversation: str) -> Iterator[up.Update]:
        """What the running turns of a conversation have shown."""
        for turn in self._board.running(conversation):
            yield from self._board.shown(turn)

    async def _opened(self, conversation: str, message: str = "") -> up.ConversationOpened:
        agent = await self._agent_of(conversation)
        title = (await self._conversations.titling(conversation)).title
        project, projects = await self._store.project_of(conversation), await self._projects()
        # The page is read last: a turn may be storing messages.
        messages, more = await self._page(conversation, message)
        return up.ConversationOpened(
            conversation=conversation,
            messages=messages,
            more=more,
            wanted=message,
            agent=agent,
            title=title,
            project=next((each for each in projects if each.id == project), None),
            has_projects=bool(projects),
        )

    async def _page(self, conversation: str, message: str) -> tuple[tuple[Message, ...], bool]:
        """The newest messages, back to the one that is wanted, without those that the packets of a turn will show."""
        size = PAGE_MESSAGES
        if message:
            size = max(size, min(await self._store.count(conversation, after=message) + 1, _MOST_AT_ONCE))
        while True:
            running, changes = self._board.running(conversation), self._hub.changes(conversation)
            messages, more = await self._store.page(conversation, size)
            # A turn that ended while the page was read may have stored more than the page has; and nobody is told of a
            # change who does not follow the conversation yet.
            if (self._board.running(conversation), self._hub.changes(conversation)) == (running, changes):
                break
        if not self._board.answers_in(conversation):
            return with_end(messages), more
        shown_by_packets = frozenset[str]().union(*map(self._written, running))
        return tuple(message for message in messages if message.id not in shown_by_packets), more

    async def _leave(self) -> None:
        """Stop an answer that is read aloud; let any other go on in the conversation that is left."""
        turn = self._session.snapshot.turn
        self._session.tell(ev.ConversationLeft())
        await self._board.settle()
        if self._board.runs(turn):
            # The message that was just sent is shown where it was sent.
            await self._board.begun(turn, _BEGUN_S)

    def index_later(self, wait_s: float = _INDEX_AFTER_S) -> None:
        """Index new messages in the background, unless that is under way.

        Args:
            wait_s: seconds before it begins.
        """
        if not self._indexing:
            self._indexing = True
            self._jobs.start(self._index(wait_s), name="index messages")

    async def _index(self, wait_s: float) -> None:
        try:
            await self._clock.sleep(wait_s)
            await self._conversations.index()
        except StorageError as error:
            log.warning("messages cannot be indexed: %s", error)
        finally:
            self._indexing = False

    async def _purge_later(self, conversation: str, deletion: int) -> None:
        # Wait a second longer than offered, so that a click in the last moment still counts.
        await self._clock.sleep(UNDO_S + 1.0)
        if self._deletions[conversation] == deletion:
            await self._conversations.purge(conversation)

    async def close(self) -> None:
        """Purge deleted conversations, which can no longer be restored."""
        try:
            await self._conversations.purge()
        except StorageError as error:
            # The next start purges them.
            log.warning("deleted conversations are still there: %s", error)


def _unknown_message() -> SoriError:
    return SoriError(ErrorCode.INVALID_REQUEST, "no such message is shown", message_key="unknown_message")
