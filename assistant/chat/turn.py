"""A whole turn: from the user's message to the saved answer (C-30).

``process_message`` checks and stores the message and runs the answering apart from whoever consumes the packets.
However the turn goes, what was produced is saved and the last packet is ``Done``; it comes only after the saving.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from dataclasses import dataclass, field, replace
from typing import Any

from assistant.agent.emitter import Emitter
from assistant.agent.ending import Ending, ending_of, internal_error, last_packets
from assistant.agent.profile import LOCAL_PROFILE, AgentProfile
from assistant.agent.state_container import StateContainer
from assistant.agent.summarizer import Compression
from assistant.chat.afterwards import Afterwards
from assistant.chat.answering import Answerer
from assistant.chat.heard import split_heard
from assistant.chat.recorder import FLUSH_S, TurnRecorder
from assistant.chat.turn_request import TurnControl, TurnRequest, accepted
from assistant.chat.withdrawal import TurnMessages, leaves_nothing_behind
from assistant.core.errors import SoriError
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import TurnId
from assistant.core.messages import Attachment, Completion, Message, Role
from assistant.core.packets import Done, Packet
from assistant.llm.backend import Finish

_STOP_GRACE_S = 0.05
"""How long a cancelled turn may take to clean up before it is saved without waiting for that (C-33)."""
_REMEMBERED_TURNS = 64

log = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class ChatEngine(Answerer):
    """Runs turns: answers messages as an ``Answerer`` does, and saves what comes of it.

    Attributes:
        on_message: told of the conversation, the turn and each message of the user's once it is safely stored.
        on_withdrawal: told of the conversation and each turn whose request went on: whether it was taken back (else it
            was interrupted); not told where the answer was whole and stays.
        after_turn: done for a conversation when its turn has left nothing else to do, until the next turn begins.
        afterwards: what goes on between turns; a new turn stops it, for a server may answer one request at a time.
    """

    on_message: Callable[[str, TurnId, Message], None] | None = None
    on_withdrawal: Callable[[str, TurnId, bool], None] | None = None
    after_turn: Callable[[str], Awaitable[None]] | None = None
    afterwards: Afterwards = field(default_factory=Afterwards, init=False)
    _locks: dict[str, asyncio.Lock] = field(default_factory=dict, init=False)
    _turns: dict[TurnId, "_Turn"] = field(default_factory=dict, init=False)

    def new_turn(self) -> TurnId:
        """The id of a turn that is to begin."""
        return TurnId(self.new_id())

    def run(
        self,
        turn: TurnId,
        conversation: str,
        text: str,
        origin: Origin = Origin.TEXT,
        control: TurnControl | None = None,
        *,
        attachments: tuple[Attachment, ...] = (),
        profile: AgentProfile = LOCAL_PROFILE,
        can_ask: bool = False,
    ) -> AsyncGenerator[Packet, None]:
        """Answer ``text`` and the files that go with it; as ``answer``."""
        request = TurnRequest(
            turn=turn,
            conversation=conversation,
            text=text,
            origin=origin,
            attachments=attachments,
            profile=profile,
            can_ask=can_ask,
        )
        return self.answer(request, control)

    def answer(self, request: TurnRequest, control: TurnControl | None = None) -> AsyncGenerator[Packet, None]:
        """Answer one message; packets as they come, the last of them ``Done``.

        Cancelling the task that consumes the packets while it waits for one, or closing the generator, cancels the
        turn; when that has returned, what was produced is saved. A consumer that may be cancelled while it does
        something else shall use ``contextlib.aclosing``. With ``control``, ``cancel()`` does the same and ``Done``
        still comes. Turns of one conversation run one after another.
        """
        return process_message(self, request, control or TurnControl())

    def cancel(self, turn: TurnId) -> bool:
        """Stop a turn, whichever conversation it is of; what it has produced is saved. Whether it was running."""
        known = self._turns.get(turn)
        if known is None or known.over.is_set():
            return False
        known.control.cancel()
        return True

    async def mark_interrupted(self, turn: TurnId, heard: str) -> None:
        """The user spoke over the answer and heard ``heard`` of it; a turn that still runs is cancelled first.

        The model will later be told only what was heard. Unknown turns, and those that said nothing, are ignored.

        Raises:
            StorageError: it could not be saved.
        """
        known = self._turns.get(turn)
        if known is None:
            return
        known.interrupted = True
        known.control.cancel()
        await known.over.wait()
        if marks := split_heard(known.answers, heard):
            await self.store.mark_interrupted(marks)

    async def whole(self, request: TurnRequest) -> TurnRequest:
        """The request with the message that is to be answered, where its first half was answered too early.

        That half and its answer are taken back. Where the turn has done something, which may not happen twice, both
        stay, and the second half is a message of its own.

        Raises:
            StorageError: it could not be taken back.
        """
        if request.continues is None:
            return request
        record = self._turns.get(request.continues)
        taken_back = record is not None and leaves_nothing_behind(
            record.messages, self.tools, self.commands, self.settings.language
        )
        if record is not None and taken_back:
            await self.store.withdraw(record.messages.ids)
        answered = record is not None and not record.interrupted
        if self.on_withdrawal is not None and (taken_back or not answered):
            self.on_withdrawal(request.conversation, request.continues, taken_back)
        return request if taken_back else replace(request, text=request.rest)

    async def announce(self, conversation: str, text: str) -> Message:
        """Store something that Sori says by itself, such as a timer that rings.

        Raises:
            StorageError: it could not be saved.
        """
        return await self.store.add(conversation, Message(role=Role.ASSISTANT, text=text))

    def begin_reading_ahead(self, conversation: str, profile: AgentProfile = LOCAL_PROFILE) -> None:
        """Let Sori's own server read the conversation in the background, until it has or a turn begins."""
        self.begin_between_turns(lambda: self.read_ahead(conversation, profile))

    def begin_between_turns(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Do this in the background until a turn begins; not at all while one runs, or waits for the one before it."""
        if all(turn.over.is_set() for turn in self._turns.values()):
            self.afterwards.begin(work())

    async def close(self) -> None:
        """Stop what goes on between turns."""
        self.afterwards.stop()
        await self.afterwards.settle()

    def remember(self, turn: TurnId, control: TurnControl) -> "_Turn":
        """The record of a turn that begins; old ones are forgotten."""
        self._turns[turn] = record = _Turn(control)
        over = [each for each, known in self._turns.items() if known.over.is_set()]
        for each in over[: max(0, len(self._turns) - _REMEMBERED_TURNS)]:
            del self._turns[each]
        return record

    def lock_of(self, conversation: str) -> asyncio.Lock:
        """The lock that keeps the turns of a conversation one after another."""
        return self._locks.setdefault(conversation, asyncio.Lock())


class _Turn:
    """What is remembered of a turn: how to stop it, whether it is over or was spoken over, its answers by id.

    And what there may be to do after it: ``compression`` is what it began with, ``left`` what is to be done of it.
    """

    def __init__(self, control: TurnControl) -> None:
        self.control = control
        self.over = asyncio.Event()
        self.interrupted = False
        self.answers: list[tuple[str, str]] = []
        self.messages = TurnMessages()
        self.compression: Compression | None = None
        self.left: Compression | None = None

    def leave(self, compression: Compression) -> None:
        """This may have something to do when the turn is over."""
        self.compression = compression


async def process_message(
    engine: ChatEngine, request: TurnRequest, control: TurnControl
) -> AsyncGenerator[Packet, None]:
    """Answer one message; see ``ChatEngine.run``."""
    emitter = Emitter()
    record = engine.remember(request.turn, control)
    driver = asyncio.create_task(_drive(engine, request, record, emitter), name=f"turn {request.turn}")
    try:
        while True:
            packet = await emitter.next()
            yield packet
            if isinstance(packet, Done):
                return
    finally:
        control.cancel()
        await _settle(driver)


async def _settle(driver: asyncio.Task[None]) -> None:
    """Wait for the saving even while being cancelled again; then pass that cancellation on."""
    cancelled: asyncio.CancelledError | None = None
    while not driver.done():
        try:
            await asyncio.wait({driver})
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled


async def _drive(engine: ChatEngine, request: TurnRequest, record: _Turn, emitter: Emitter) -> None:
    """The wrapper: run the turn, save it, and end it with a sensible packet whatever happened."""
    ending = Ending(completion=Completion.FAILED, finish="failed", error=internal_error("the turn was shut down"))
    container = StateContainer(engine.meter(request.conversation))
    engine.afterwards.stop()
    try:
        async with engine.lock_of(request.conversation):
            ending = await _run_and_save(engine, request, record, emitter, container)
    except SoriError as error:
        log.warning("turn %s failed: %s", request.turn, error)
        ending = Ending(completion=Completion.FAILED, finish="failed", error=error)
    except Exception as error:
        log.exception("turn %s failed", request.turn)
        ending = Ending(completion=Completion.FAILED, finish="failed", error=internal_error(str(error)))
    finally:
        record.over.set()
        emitter.end(*last_packets(engine.settings, engine.texts, emitter.next_index, container, ending))
    if record.left is not None or engine.after_turn is not None or container.aside:
        left = record.left
        engine.begin_between_turns(lambda: _afterwards(engine, request, left, again=container.aside))


async def _afterwards(engine: ChatEngine, request: TurnRequest, left: Compression | None, *, again: bool) -> None:
    """One after another, for a server may answer one request at a time."""
    if left is not None:
        await left.afterwards()
    if again:
        await engine.read_ahead(request.conversation, request.profile)
    if engine.after_turn is not None:
        await engine.after_turn(request.conversation)


async def _run_and_save(
    engine: ChatEngine, request: TurnRequest, record: _Turn, emitter: Emitter, container: StateContainer
) -> Ending:
    request = await engine.whole(request)
    question = await accepted(engine.store, request)
    record.messages.question = question
    if engine.on_message is not None and not request.again:
        engine.on_message(request.conversation, request.turn, question)
    recorder = TurnRecorder(
        engine.store,
        engine.clock,
        conversation=request.conversation,
        origin=request.origin,
        container=container,
    )
    work = asyncio.create_task(
        engine.work(request, question, emitter, container, record.leave), name=f"turn {request.turn} answering"
    )
    record.control.attach(work)
    cancelled: asyncio.CancelledError | None = None
    try:
        await _watch(work, recorder, record.control)
    except asyncio.CancelledError as error:
        # The loop is being shut down: save first.
        work.cancel()
        cancelled = error
    ending = ending_of(work, container)
    try:
        messages = await recorder.finish(ending.completion, ending.error.code if ending.error else "")
    finally:
        await container.meter.finish(ending.error.code.value if ending.error else ending.finish)
    record.messages.answers = messages
    record.answers = [
        (message.id, message.text) for message in messages if message.role is Role.ASSISTANT and message.text
    ]
    if cancelled is not None:
        raise cancelled
    begun = record.compression
    if begun is not None and ending.completion is not Completion.CANCELLED and begun.due(len(messages)):
        record.left = begun
    return ending


async def _watch(work: asyncio.Task[Finish], recorder: TurnRecorder, control: TurnControl) -> None:
    """Write down what grows until the work is over, or was cancelled and does not end in time."""
    grace = False
    while not work.done() and not grace:
        grace = control.cancelled
        await asyncio.wait({work}, timeout=_STOP_GRACE_S if grace else FLUSH_S)
        if not work.done():
            await recorder.flush()
