"""A turn: from the user's message to the saved answer (C-30).

A turn checks and stores the message, has it answered on a task of its own, and saves what comes of it. However it goes,
what was produced is saved, and the last packet is ``Done``. It comes after the saving.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from assistant.agent.emitter import Emitter
from assistant.agent.ending import Ending, ending_of, internal_error, last_packets, message_of
from assistant.agent.leftover import Leftover
from assistant.agent.run import RunControl
from assistant.agent.state_container import StateContainer
from assistant.agent.summaries.summarizer import wanted_by_turn
from assistant.chat.answering import Answerer
from assistant.chat.early.early_answers import EarlyAnswer
from assistant.chat.recorder import TurnRecorder
from assistant.chat.turn_request import TurnRequest, accepted
from assistant.chat.withdrawal import TurnMessages
from assistant.core.clock import Clock
from assistant.core.errors import SoriError
from assistant.core.machine.states import TurnId
from assistant.core.messages import Completion, Message, Role
from assistant.llm.backend import Finish
from assistant.speech.endpoint.continuation import joined_text
from assistant.storage.conversations import ConversationStore, Recent

log = logging.getLogger(__name__)

MessageStored = Callable[[str, TurnId, Message], None]
"""Called with the conversation, the turn, and a message of the user that was stored."""
PathChanged = Callable[[str], Awaitable[None]]
"""Awaited with a conversation whose shown messages are others now: a version was made, or did not come about."""
TurnContinued = Callable[[str, TurnId, bool], None]
"""Called with the conversation and a turn whose request was continued: whether it was withdrawn, else interrupted."""


@dataclass(slots=True, kw_only=True, eq=False)
class Turn:
    """One turn of a conversation.

    Attributes:
        request: the message to answer.
        answerer: answers it.
        store: keeps the conversation.
        clock: tells the time.
        lock: held by one turn of the conversation at a time.
        continued: the turn that ``request.continues`` names, ``None`` if it is unknown.
        on_message: called when the user's message is stored.
        on_continued: called for the turn that this one continues. Not called where that turn's answer was complete and
            stays.
        on_path: awaited when the turn has begun a new version of a message, and when none came about.
        on_begun: called when the turn begins to run.
        on_ending: awaited when the answer is complete and saved, before the last packets.
        on_over: called with the turn when it is over and saved.
        early: the answer to the same request that was begun before it was certain; ``None`` without one.
        settle_early: awaited before a model is asked, so that discarded early answers have left it.
        control: stops the turn.
        emitter: takes the packets.
        begun: whether the turn runs or has run.
        over: set at the end of the turn.
        interrupted: whether the user spoke over the answer.
        messages: what the turn has stored.
        rest: its message, if that is only the rest of a request whose beginning stays as a message of its own.
        left: what is left to do after the turn.
    """

    request: TurnRequest
    answerer: Answerer
    store: ConversationStore
    clock: Clock
    lock: asyncio.Lock
    continued: "Turn | None"
    on_message: MessageStored | None
    on_continued: TurnContinued | None
    on_path: PathChanged
    on_begun: Callable[[], None]
    on_ending: Callable[[TurnRequest], Awaitable[None]]
    on_over: Callable[["Turn"], None]
    early: EarlyAnswer | None
    settle_early: Callable[[], Awaitable[None]]
    control: RunControl = field(default_factory=RunControl, init=False)
    emitter: Emitter = field(init=False)
    begun: bool = field(default=False, init=False)
    over: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    interrupted: bool = field(default=False, init=False)
    messages: TurnMessages = field(default_factory=TurnMessages, init=False)
    rest: str = field(default="", init=False)
    left: Leftover = field(init=False)
    _recorder: TurnRecorder | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        early = self.early
        self.emitter, self.left = (Emitter(), Leftover()) if early is None else (early.emitter, early.left)

    @property
    def name(self) -> str:
        """The name of the turn's task."""
        return f"turn {self.request.turn}"

    @property
    def answers(self) -> list[tuple[str, str]]:
        """Ids and texts of its answers, oldest first."""
        return [
            (message.id, message.text)
            for message in self.messages.answers
            if message.role is Role.ASSISTANT and message.text
        ]

    @property
    def written(self) -> frozenset[str]:
        """Ids of its answers and tool results in the store, also while it runs."""
        return frozenset() if self._recorder is None else self._recorder.ids

    async def run(self) -> None:
        """Run the turn, save it, and end it with a sensible packet whatever happens."""
        self.begun = True
        self.on_begun()
        ending = Ending(completion=Completion.FAILED, finish="failed", error=internal_error("the turn was shut down"))
        early = self.early
        container = (
            StateContainer(self.answerer.exchange.meter(self.request.conversation))
            if early is None
            else early.container
        )
        try:
            async with self.lock:
                request = await self._whole()
                question, recent = await self._accepted(request)
                recorder = TurnRecorder(
                    self.store,
                    self.clock,
                    conversation=request.conversation,
                    turn=request.turn,
                    origin=request.origin,
                    container=container,
                )
                self._recorder = recorder
                await self.settle_early()
                if early is not None:
                    work = early.confirm()
                else:
                    answering = self.answerer.answer(
                        request, question, self.emitter, container, self.left, recent=recent
                    )
                    work = self.control.tasks.start(answering, name=f"{self.name} answering", handled=True)
                self.control.attach(work)
                try:
                    await self.control.watch(work, recorder.flush)
                finally:
                    # When the loop is shut down, save before the cancellation goes on.
                    saved = await self._save(work, recorder, container)
                ending = saved
                await self.on_ending(request)
        except SoriError as error:
            log.warning("%s failed: %s", self.name, error)
            ending = Ending(completion=Completion.FAILED, finish="failed", error=error)
        except Exception as error:
            log.exception("%s failed", self.name)
            ending = Ending(completion=Completion.FAILED, finish="failed", error=internal_error(str(error)))
        finally:
            if early is not None and not early.certain:
                await early.discard()
            self.over.set()
            settings, texts = self.answerer.settings, self.answerer.texts
            self.emitter.end(*last_packets(settings, texts, self.emitter.next_index, container, ending))
        self.on_over(self)

    async def _whole(self) -> TurnRequest:
        """The request. If it continues an earlier turn, that turn is withdrawn where it had no effects.

        Otherwise the earlier turn stays, and only the rest of the request is answered. So a turn that is withdrawn may
        itself be the rest of one that stays, which is not asked again.

        Raises:
            StorageError: the earlier turn could not be withdrawn.
        """
        request, earlier = self.request, self.continued
        if request.continues is None:
            return request
        withdrawn = earlier is not None and not self.answerer.has_effects(earlier.messages)
        if earlier is not None and withdrawn:
            await self.store.withdraw(earlier.messages.ids)
        answered = earlier is not None and not earlier.interrupted
        if self.on_continued is not None and (withdrawn or not answered):
            self.on_continued(request.conversation, request.continues, withdrawn)
        if earlier is None or not withdrawn:
            self.rest = request.rest
        elif earlier.rest:
            self.rest = joined_text(earlier.rest, request.rest)
        return replace(request, text=self.rest) if self.rest else request

    async def _accepted(self, request: TurnRequest) -> tuple[Message, Recent | None]:
        """Check and store the message to answer; returns it, and what the turn needs, if that was read.

        Raises:
            SoriError: it cannot be answered, or not be stored.
        """
        least = self.answerer.settings.context.recent_messages
        question, recent = await accepted(self.store, request, wanted_by_turn(least))
        self.messages.question = question
        if request.instead:
            await self.on_path(request.conversation)
        elif self.on_message is not None and not request.again:
            self.on_message(request.conversation, request.turn, question)
        return question, recent

    async def _save(self, work: asyncio.Task[Finish], recorder: TurnRecorder, container: StateContainer) -> Ending:
        """Save what the work has produced, and what it has used.

        Raises:
            StorageError: the messages could not be saved.
        """
        work.cancel()
        ending = ending_of(work, container)
        error = ending.error.code.value if ending.error else ""
        told = message_of(ending.error, self.answerer.texts) if ending.error else ""
        self.messages.answers = await recorder.finish(ending.completion, error, error or ending.finish, error_text=told)
        begun = self.left.compression
        if self.request.instead and not self.messages.answers and await self.store.settle(self.request.conversation):
            await self.on_path(self.request.conversation)
        stopped = ending.completion is Completion.CANCELLED
        if begun is not None and (stopped or not begun.due(sum(each.is_spoken for each in self.messages.answers))):
            self.left.compression = None
        return ending
