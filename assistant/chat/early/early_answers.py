"""Early answers: a model is asked while the user has probably, but not certainly, finished speaking (V-23).

An early answer is the work of a turn without the turn. It reads the conversation and asks the model. Its packets and
its text are kept in memory. It waits before everything that has an effect: tools, summaries, shorter memories. The turn
of exactly the same request takes it over. Otherwise it is discarded, and only the records of requests and tokens tell
of it.
"""

import asyncio
from collections.abc import Callable

from assistant.agent.emitter import Emitter
from assistant.agent.go_ahead import GoAhead
from assistant.agent.leftover import Leftover
from assistant.agent.state_container import StateContainer
from assistant.chat.answering import Answerer
from assistant.chat.turn_request import TurnRequest, question_text
from assistant.core.machine.states import TurnId
from assistant.core.messages import MAX_MESSAGE_LENGTH, Message, Role
from assistant.core.packets import AnswerDelta, Packet
from assistant.core.records.usage import CANCELLED
from assistant.llm.backend import Finish
from assistant.tasks import TaskSupervisor, first_of

_STOP_S = 0.05
"""Longest wait for a discarded answer. Sori's own server answers one request at a time."""


class EarlyAnswer:
    """The answer to one probable request.

    Args:
        request: the request.
        question: its message, which is not stored.
        answerer: answers it.
        on_text: takes the text of the answer until the request is certain.

    Attributes:
        request: the request.
        emitter: holds the packets.
        container: holds what was produced.
        left: holds what is left for later.
        work: the task that answers.
    """

    def __init__(
        self, request: TurnRequest, question: Message, answerer: Answerer, on_text: Callable[[str], None]
    ) -> None:
        self.request = request
        self.emitter = Emitter(self._hear)
        self.container = StateContainer(answerer.exchange.meter(request.conversation))
        self.left = Leftover()
        self._go_ahead = GoAhead()
        self._on_text = on_text
        work = answerer.answer(request, question, self.emitter, self.container, self.left, self._go_ahead)
        # Where it fails, its turn, if there is one, asks again and reports its own error.
        self.work = TaskSupervisor().start(work, name=f"early answer {request.turn}", handled=True)

    @property
    def certain(self) -> bool:
        """Whether the request is certain."""
        return self._go_ahead.given

    @property
    def failed(self) -> bool:
        """Whether the work ended without an answer."""
        return self.work.done() and (self.work.cancelled() or self.work.exception() is not None)

    def confirm(self) -> asyncio.Task[Finish]:
        """Permit effects, because the request is certain and stored. Returns the task that answers it."""
        self._go_ahead.give()
        return self.work

    async def settled(self) -> None:
        """Wait until the answer is complete, or can go on only with a permission."""
        await first_of(self._go_ahead.needed.wait(), asyncio.wait({self.work}))

    async def discard(self) -> None:
        """Stop the work, and record the tokens that it has used."""
        self.work.cancel()
        await asyncio.wait({self.work}, timeout=_STOP_S)
        await self.container.meter.finish(CANCELLED)

    def _hear(self, packet: Packet) -> None:
        if isinstance(packet, AnswerDelta) and not self.certain:
            self._on_text(packet.text)


class EarlyAnswers:
    """Keeps at most one early answer, until its turn takes it or it is discarded.

    Args:
        answerer: answers messages.
    """

    def __init__(self, answerer: Answerer) -> None:
        self._answerer = answerer
        self._current: EarlyAnswer | None = None
        self._discards = TaskSupervisor()

    def begin(self, request: TurnRequest, on_text: Callable[[str], None]) -> EarlyAnswer | None:
        """Begin to answer a request instead of the former one; ``None`` if it is none for an early answer."""
        self._discard_current()
        question = Message(role=Role.USER, text=question_text(request))
        fits = 0 < len(question.text) <= MAX_MESSAGE_LENGTH
        if not fits or not self._answerer.needs_model(request, question) or self._answerer.may_guide(request, question):
            return None
        self._current = EarlyAnswer(request, question, self._answerer, on_text)
        return self._current

    def take(self, request: TurnRequest) -> EarlyAnswer | None:
        """The early answer to exactly this request, for its turn; ``None`` if there is none. Any other is discarded.

        That of another conversation too: if the user has opened another one meanwhile, nobody else would end it, and it
        may hold Sori's own server.
        """
        current = self._current
        if current is None:
            return None
        if current.request != request or current.failed:
            self._discard_current()
            return None
        self._current = None
        return current

    def discard(self, turn: TurnId) -> None:
        """Discard the early answer of a turn, because the user goes on speaking."""
        if self._current is not None and self._current.request.turn == turn:
            self._discard_current()

    async def settle(self) -> None:
        """Wait until what was discarded has ended."""
        await self._discards.settle()

    async def close(self) -> None:
        """Discard everything."""
        self._discard_current()
        await self.settle()

    def _discard_current(self) -> None:
        current, self._current = self._current, None
        if current is not None:
            self._discards.start(current.discard(), name="discard an early answer")
