"""The chat engine: begins, finds and stops turns, and does the work between them."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from assistant.agent.leftover import Leftover
from assistant.agent.profile import AgentProfile
from assistant.agent.questions import Presented
from assistant.chat.answering import Answerer
from assistant.chat.early.early_answers import EarlyAnswer, EarlyAnswers
from assistant.chat.heard import split_heard
from assistant.chat.turn import MessageStored, Turn, TurnContinued
from assistant.chat.turn_request import TurnRequest
from assistant.core.clock import Clock
from assistant.core.errors import SoriError
from assistant.core.listeners import Listeners
from assistant.core.machine.states import TurnId
from assistant.storage.conversations import ConversationStore
from assistant.storage.identities import new_id
from assistant.tasks import TaskSupervisor

log = logging.getLogger(__name__)

_REMEMBERED_TURNS = 64


class ChatEngine:
    """Implements ``TurnService``.

    Args:
        answerer: answers messages.
        store: keeps the conversations.
        clock: tells the time.
        on_continued: called for a turn whose request was continued. Not called where its answer was complete and stays.
        after_turn: awaited with the conversation after each turn, until the next turn begins.

    Attributes:
        ending: awaited with the request of a turn whose answer is complete and saved, before its last packets.
        repathed: awaited when other messages of a conversation are shown: a version was made, or did not come about.
        over: told of each turn that is over, with what it has left.
        afterwards: the work between turns. A turn that begins stops it, because a server may answer one request at a
            time.
    """

    def __init__(
        self,
        answerer: Answerer,
        store: ConversationStore,
        clock: Clock,
        *,
        on_continued: TurnContinued | None = None,
        after_turn: Callable[[str], Awaitable[None]] | None = None,
    ) -> None:
        self._answerer = answerer
        self._store = store
        self._clock = clock
        self._on_continued = on_continued
        self._after_turn = after_turn
        self._locks: dict[str, asyncio.Lock] = {}
        self._turns: dict[TurnId, Turn] = {}
        self._early = EarlyAnswers(answerer)
        self._summarised: asyncio.Event | None = None
        self.repathed: Listeners[[str], Awaitable[None]] = Listeners()
        self.ending: Listeners[[TurnRequest], Awaitable[None]] = Listeners()
        self.over: Listeners[[TurnRequest, Leftover], None] = Listeners()
        self.afterwards = TaskSupervisor()

    def new_turn(self) -> TurnId:
        """A new id for ``TurnRequest.turn``: a UUID of version 7."""
        return TurnId(new_id())

    def turn(self, request: TurnRequest, on_message: MessageStored | None = None) -> Turn:
        """A turn that answers one message when it is run; see ``TurnService``."""
        turn = Turn(
            request=request,
            answerer=self._answerer,
            store=self._store,
            clock=self._clock,
            lock=self._locks.setdefault(request.conversation, asyncio.Lock()),
            continued=None if request.continues is None else self._turns.get(request.continues),
            on_message=on_message,
            on_continued=self._on_continued,
            on_path=self._tell_path,
            on_begun=self.afterwards.cancel,
            on_ending=self._tell_ending,
            on_over=self._begin_afterwards,
            early=self._early.take(request),
            settle_early=self._early.settle,
        )
        self._remember(turn)
        return turn

    def prepare(self, request: TurnRequest, on_text: Callable[[str], None]) -> EarlyAnswer | None:
        """Begin to answer a probable request; see ``TurnService``."""
        lock = self._locks.get(request.conversation)
        if lock is not None and lock.locked():
            return None
        self.afterwards.cancel()
        return self._early.begin(request, on_text)

    def discard(self, turn: TurnId) -> None:
        """Discard what was begun for a turn; see ``TurnService``."""
        self._early.discard(turn)

    def cancel(self, turn: TurnId) -> bool:
        """Stop a turn of any conversation; see ``TurnService``."""
        known = self._turns.get(turn)
        if known is None or known.over.is_set():
            return False
        known.control.cancel()
        return True

    def hold_tools(self, turn: TurnId, waits: Callable[[bool], None] | None) -> None:
        """Let the next tools of a turn wait; see ``TurnService``."""
        if waits is None:
            self._answerer.held.release(turn)
        else:
            self._answerer.held.hold(turn, waits)

    def answer_question(self, turn: TurnId, question: str, choice: str, text: str = "") -> bool:
        """Answer a question of a turn; see ``TurnService``."""
        answered = self._answerer.questions.answer(turn, question, choice, text)
        if answered:
            self.afterwards.cancel()  # The turn goes on.
        return answered

    def present_question(self, turn: TurnId, question: str, how: Presented) -> None:
        """Note that a question is presented to a person; see ``TurnService``."""
        self._answerer.questions.present(turn, question, how)

    async def mark_interrupted(self, turn: TurnId, heard: str) -> None:
        """Note that the user spoke over an answer; see ``TurnService``.

        Raises:
            StorageError: it could not be saved.
        """
        known = self._turns.get(turn)
        if known is None or not known.begun:
            return
        known.interrupted = True
        known.control.cancel()
        await known.over.wait()
        if marks := split_heard(known.answers, heard):
            await self._store.mark_interrupted(marks)

    def written(self, turn: TurnId) -> frozenset[str]:
        """Ids of the answers and tool results that a turn has stored; empty for an unknown turn."""
        known = self._turns.get(turn)
        return frozenset() if known is None else known.written

    def begin_reading_ahead(self, conversation: str, profile: AgentProfile | None = None) -> None:
        """Let Sori's own server read a conversation in the background; see ``TurnService``."""
        self._begin_between_turns(lambda: self._answerer.read_ahead(conversation, profile))

    @property
    def summarises(self) -> bool:
        """Whether a conversation is summarised after its turn."""
        return self._summarised is not None and not self._summarised.is_set()

    async def until_summarised(self) -> None:
        """Wait until no conversation is summarised, for a process that ends with its turn."""
        if self._summarised is not None:
            await self._summarised.wait()

    async def close(self) -> None:
        """Stop the work between turns, and early answers."""
        self.afterwards.cancel()
        await self._early.close()
        await self.afterwards.settle()

    async def _tell_path(self, conversation: str) -> None:
        for shown in self.repathed.tell(conversation):
            await shown

    async def _tell_ending(self, request: TurnRequest) -> None:
        for told in self.ending.tell(request):
            await told

    def _remember(self, turn: Turn) -> None:
        """Keep a turn that is to begin, and forget old ones."""
        self._turns[turn.request.turn] = turn
        done = [each for each, known in self._turns.items() if known.over.is_set()]
        for each in done[: max(0, len(self._turns) - _REMEMBERED_TURNS)]:
            del self._turns[each]

    def _begin_between_turns(self, work: Callable[[], Coroutine[Any, Any, None]]) -> asyncio.Task[None] | None:
        """Do this in the background until a turn begins or goes on. Do nothing while one runs; one that asks waits."""
        asks = self._answerer.questions.asks
        if all(turn.over.is_set() or asks(turn.request.turn) for turn in self._turns.values() if turn.begun):
            return self.afterwards.start(_quietly(work), name="between turns")
        return None

    def _begin_afterwards(self, turn: Turn) -> None:
        self.over.tell(turn.request, turn.left)
        if turn.left.compression is None and self._after_turn is None and not turn.left.unread:
            return
        summarised = asyncio.Event()
        task = self._begin_between_turns(lambda: self._after(turn, summarised))
        if turn.left.compression is not None and task is not None:
            task.add_done_callback(lambda _: summarised.set())
            self._summarised = summarised

    async def _after(self, turn: Turn, summarised: asyncio.Event) -> None:
        """Do what a turn has left, one after another, because a server may answer one request at a time."""
        left = turn.left
        if left.compression is not None:
            await left.compression.afterwards(left.answering)
        summarised.set()
        if left.unread or left.compression is not None:
            # A new summary changes the prompt near its beginning. The user would wait for the reading.
            await self._answerer.read_ahead(turn.request.conversation, turn.request.profile)
        if self._after_turn is not None:
            await self._after_turn(turn.request.conversation)


async def _quietly(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Do work that nobody waits for: an error that was to be expected is only logged."""
    try:
        await work()
    except SoriError as error:
        log.warning("the work between turns failed: %s", error)
