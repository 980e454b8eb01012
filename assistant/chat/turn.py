"""A whole turn: from the user's message to the saved answer (C-30).

``process_message`` checks and stores the message and runs the answering apart from whoever consumes the packets.
However the turn goes, what was produced is saved and the last packet is ``Done``; it comes only after the saving.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from typing import Protocol

from assistant.chat.afterwards import Afterwards
from assistant.chat.asking import AskingInput, OpenModel
from assistant.chat.commands import Commands, Recognised
from assistant.chat.context import Context, compose
from assistant.chat.emitter import Emitter
from assistant.chat.ending import Ending, ending_of, internal_error, last_packets
from assistant.chat.exchange_meter import NOTHING_TO_PAY, ExchangeMeter
from assistant.chat.heard import split_heard
from assistant.chat.loop import run_llm_loop
from assistant.chat.model_choice import ModelChoice, facts_of, is_embedded, route
from assistant.chat.prompts import Prompts
from assistant.chat.recorder import FLUSH_S, TurnRecorder
from assistant.chat.state_container import StateContainer
from assistant.chat.summarizer import Compression, History, Summarizer
from assistant.chat.turn_request import TurnControl, TurnRequest, accepted
from assistant.core.clock import Clock
from assistant.core.effects import Origin
from assistant.core.errors import SoriError, StorageError
from assistant.core.messages import Attachment, Completion, Message, Role
from assistant.core.packets import AnswerDelta, Done, Packet
from assistant.core.settings import Provider, Settings
from assistant.core.states import TurnId
from assistant.core.texts import Texts
from assistant.llm.backend import Finish, Prepares, ProviderBackend
from assistant.llm.model_facts import KnownModel, known_model
from assistant.storage.conversations import ConversationStore
from assistant.storage.usage import UsageStore
from assistant.tools.runner import ToolRunner

_STOP_GRACE_S = 0.05
"""How long a cancelled turn may take to clean up before it is saved without waiting for that (C-33)."""
_REMEMBERED_TURNS = 64

log = logging.getLogger(__name__)


class Backends(Protocol):
    """Where a provider's backend is found; the router is one."""

    def backend_for(self, provider: Provider) -> ProviderBackend:
        """The backend that speaks the provider's API.

        Raises:
            SoriError: there is none, or it cannot be used here.
        """
        ...


@dataclass(slots=True, kw_only=True)
class ChatEngine:
    """Answers messages.

    Attributes:
        store: keeps the conversations.
        usage: keeps what models have used.
        router: finds the backend of a provider.
        settings: which model, and its limits.
        texts: the user's words.
        tools: what the model may do.
        commands: requests that are answered without a model.
        clock: tells the time.
        prompts: the base prompts.
        on_message: told of each message of the user's once it is safely stored.
        afterwards: what goes on between turns; a new turn stops it, for a server may answer one request at a time.
    """

    store: ConversationStore
    usage: UsageStore
    router: Backends
    settings: Settings
    texts: Texts
    tools: ToolRunner
    commands: Commands
    clock: Clock
    prompts: Prompts
    on_message: Callable[[TurnId, Message], None] | None = None
    afterwards: Afterwards = field(default_factory=Afterwards, init=False)
    _locks: dict[str, asyncio.Lock] = field(default_factory=dict, init=False)
    _ready: set[str] = field(default_factory=set, init=False)
    _turns: dict[TurnId, "_Turn"] = field(default_factory=dict, init=False)
    _unsummarised: dict[str, int] = field(default_factory=dict, init=False)

    @property
    def choice(self) -> ModelChoice:
        """The model that answers in general conversation where nobody has chosen another.

        Raises:
            SettingsError: the settings name a provider that does not exist.
        """
        return route(self.settings).choices[0]

    def run(
        self,
        turn: TurnId,
        conversation: str,
        text: str,
        origin: Origin = Origin.TEXT,
        control: TurnControl | None = None,
        *,
        attachments: tuple[Attachment, ...] = (),
    ) -> AsyncGenerator[Packet, None]:
        """Answer ``text`` and the files that go with it; as ``answer``."""
        request = TurnRequest(turn=turn, conversation=conversation, text=text, origin=origin, attachments=attachments)
        return self.answer(request, control)

    def answer(self, request: TurnRequest, control: TurnControl | None = None) -> AsyncGenerator[Packet, None]:
        """Answer one message; packets as they come, the last of them ``Done``.

        Cancelling the task that consumes the packets while it waits for one, or closing the generator, cancels the
        turn; when that has returned, what was produced is saved. A consumer that may be cancelled while it does
        something else shall use ``contextlib.aclosing``. With ``control``, ``cancel()`` does the same and ``Done``
        still comes. Turns of one conversation run one after another.
        """
        return process_message(self, request, control or TurnControl())

    async def mark_interrupted(self, turn: TurnId, heard: str) -> None:
        """The user spoke over the answer and heard ``heard`` of it; a turn that still runs is cancelled first.

        The model will later be told only what was heard. Unknown turns, and those that said nothing, are ignored.

        Raises:
            StorageError: it could not be saved.
        """
        known = self._turns.get(turn)
        if known is None:
            return
        known.control.cancel()
        await known.over.wait()
        if marks := split_heard(known.answers, heard):
            await self.store.mark_interrupted(marks)

    async def announce(self, conversation: str, text: str) -> Message:
        """Store something that Sori says by itself, such as a timer that rings.

        Raises:
            StorageError: it could not be saved.
        """
        return await self.store.add(conversation, Message(role=Role.ASSISTANT, text=text))

    def summarizer(self) -> Summarizer:
        """Makes summaries as the settings are now."""

        async def record(conversation: str, meter: ExchangeMeter, outcome: str) -> None:
            await _record_usage(self, conversation, meter, outcome)

        return Summarizer(
            store=self.store,
            settings=self.settings,
            texts=self.texts,
            clock=self.clock,
            prompt=self.prompts.summary,
            backend_for=lambda choice: self.router.backend_for(choice.provider),
            record=record,
            failures=self._unsummarised,
        )

    async def close(self) -> None:
        """Stop what goes on between turns."""
        self.afterwards.stop()
        await self.afterwards.settle()

    def remember(self, turn: TurnId, control: TurnControl) -> "_Turn":
        """The record of a turn that begins; old ones are forgotten."""
        self._turns[turn] = record = _Turn(control)
        while len(self._turns) > _REMEMBERED_TURNS:
            del self._turns[next(iter(self._turns))]
        return record

    def lock_of(self, conversation: str) -> asyncio.Lock:
        """The lock that keeps the turns of a conversation one after another."""
        return self._locks.setdefault(conversation, asyncio.Lock())

    async def backend(self, choice: ModelChoice, emitter: Emitter) -> ProviderBackend:
        """The backend of the chosen model, loaded; says so while Sori's own server loads its model.

        Raises:
            SoriError: it cannot be used.
        """
        backend = self.router.backend_for(choice.provider)
        if isinstance(backend, Prepares):
            if is_embedded(choice.provider) and choice.provider.name not in self._ready:
                emitter.status("loading_model", choice.model)
            await backend.prepare(choice.provider)
            self._ready.add(choice.provider.name)
        return backend


class _Turn:
    """What is remembered of a turn: how to stop it, whether it is over, its answers by id, and what is left to do."""

    def __init__(self, control: TurnControl) -> None:
        self.control = control
        self.over = asyncio.Event()
        self.answers: list[tuple[str, str]] = []
        self.compression: Compression | None = None


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
    container = StateContainer(ExchangeMeter(engine.clock))
    engine.afterwards.stop()
    try:
        async with engine.lock_of(request.conversation):
            ending = await _run_and_save(engine, request, record, emitter, container)
    except SoriError as error:
        log.warning("turn %d failed: %s", request.turn, error)
        ending = Ending(completion=Completion.FAILED, finish="failed", error=error)
    except Exception as error:
        log.exception("turn %d failed", request.turn)
        ending = Ending(completion=Completion.FAILED, finish="failed", error=internal_error(str(error)))
    finally:
        record.over.set()
        emitter.end(*last_packets(engine.settings, engine.texts, emitter.next_index, container, ending))


async def _run_and_save(
    engine: ChatEngine, request: TurnRequest, record: _Turn, emitter: Emitter, container: StateContainer
) -> Ending:
    question = await accepted(engine.store, request)
    if engine.on_message is not None and not request.again:
        engine.on_message(request.turn, question)
    recorder = TurnRecorder(
        engine.store,
        engine.clock,
        conversation=request.conversation,
        origin=request.origin,
        container=container,
    )
    work = asyncio.create_task(
        _work(engine, request, question, record, emitter, container), name=f"turn {request.turn} answering"
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
    messages = await recorder.finish(ending.completion, ending.error.code if ending.error else "")
    outcome = ending.error.code.value if ending.error else ending.finish
    await _record_usage(engine, request.conversation, container.meter, outcome)
    record.answers = [
        (message.id, message.text) for message in messages if message.role is Role.ASSISTANT and message.text
    ]
    if cancelled is not None:
        raise cancelled
    left = record.compression
    if left is not None and ending.completion is not Completion.CANCELLED and left.due(len(messages)):
        engine.afterwards.begin(left.afterwards())
    return ending


async def _record_usage(engine: ChatEngine, conversation: str, meter: ExchangeMeter, outcome: str) -> None:
    """Keep what models were asked; a failure is only logged, for the answer itself is saved."""

    def facts_of(provider: Provider, model: str) -> KnownModel:
        return NOTHING_TO_PAY if is_embedded(provider) else known_model(provider, model, engine.settings.models)

    try:
        for exchange in meter.exchanges(conversation, outcome, facts_of):
            await engine.usage.record(exchange)
    except StorageError as error:
        log.warning("what the models used could not be kept: %s", error)


async def _watch(work: asyncio.Task[Finish], recorder: TurnRecorder, control: TurnControl) -> None:
    """Write down what grows until the work is over, or was cancelled and does not end in time."""
    grace = False
    while not work.done() and not grace:
        grace = control.cancelled
        await asyncio.wait({work}, timeout=_STOP_GRACE_S if grace else FLUSH_S)
        if not work.done():
            await recorder.flush()


async def _work(
    engine: ChatEngine,
    request: TurnRequest,
    question: Message,
    record: _Turn,
    emitter: Emitter,
    container: StateContainer,
) -> Finish:
    """Answer, by a plain command or by a model."""
    # What time it is on the clock in a picture only a model can tell, and whoever names a model wants a model.
    plain = not (question.attachments or request.model)
    command = engine.commands.recognize(question.text, engine.settings.language) if plain else None
    if command is not None:
        return await _answer_command(engine.commands, command, emitter, container)
    chosen = request.model or await engine.store.chosen_model(request.conversation)
    routed = route(engine.settings, question.text, attachments=len(question.attachments), chosen=chosen)
    if routed.because:
        model = routed.choices[0].reference
        emitter.status("routed", engine.texts("chat.routed", model=model, because=routed.because))
    history = await History.load(engine.store, request.conversation)
    record.compression = compression = Compression(engine.summarizer(), history, aloud=request.aloud)

    async def open_model(choice: ModelChoice) -> OpenModel:
        compression.answering = choice
        return await _open_model(engine, choice, history, emitter)

    given = AskingInput(
        choices=routed.choices,
        open_model=open_model,
        settings=engine.settings,
        texts=engine.texts,
        clock=engine.clock,
        compress=compression.compress,
        aloud=request.aloud,
    )
    return await run_llm_loop(given, engine.tools, emitter, container)


async def _open_model(engine: ChatEngine, choice: ModelChoice, history: History, emitter: Emitter) -> OpenModel:
    """Make a model ready; the stand-in gets a short prompt, and neither time nor tools nor a summary.

    Raises:
        SoriError: it cannot be used.
    """
    prompt = engine.prompts.placeholder if choice.placeholder else engine.prompts.system
    known = facts_of(engine.settings, choice)

    def composed(max_size: int) -> Context:
        now = engine.clock.now()
        summary = "" if choice.placeholder else history.summary.text
        return compose(
            prompt,
            history.messages,
            engine.texts,
            now,
            summary=summary,
            files=history.files,
            max_size=max_size,
            tell_time=not choice.placeholder,
        )

    return OpenModel(
        choice=choice,
        backend=await engine.backend(choice, emitter),
        known=known,
        compose=composed,
        tools=engine.tools.offered() if known.tools and not choice.placeholder else (),
    )


async def _answer_command(
    commands: Commands, command: Recognised, emitter: Emitter, container: StateContainer
) -> Finish:
    """Do what was asked and say so, without a model."""
    emitter.status("command", command.intent)
    answer = container.begin_answer()
    block = emitter.open()
    answer.text = await commands.answer(command)
    block.emit(AnswerDelta(turn_index=block.index, text=answer.text))
    block.close()
    return Finish.STOP
