"""One inference: turns a model's deltas into packets while they arrive."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol, TypeVar

from assistant.agent.citing.answer_citing import AnswerCiting
from assistant.agent.emitter import Emitter, OpenBlock
from assistant.agent.exchange_meter import ExchangeMeter
from assistant.agent.gates.answer_gate import HELD_CHARACTERS, HELD_S, AnswerGate, Gate, Wrong
from assistant.agent.model_choice import ModelChoice
from assistant.agent.state_container import StateContainer
from assistant.core.citing.markers import Part, written
from assistant.core.errors import ErrorCode, ProviderError
from assistant.core.messages import ToolUse
from assistant.core.packets import WERE_THOUGHTS, AnswerDelta, Cited, ReasoningDelta
from assistant.core.settings import Provider
from assistant.llm.backend import (
    AttachmentLeftOut,
    Finish,
    Finished,
    ModelDelta,
    ModelRequest,
    ModelToolCall,
    ProviderBackend,
    TextDelta,
    ThoughtDelta,
    ThoughtsBefore,
    ToolCallDelta,
)
from assistant.llm.deadline import ReplyDeadlines

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class InferenceResult:
    """A complete reply of a model.

    Attributes:
        text: its text.
        finished: its last delta.
        wrong: why the gate rejected it before anything was shown; empty otherwise.
    """

    text: str
    finished: Finished
    wrong: Wrong = ""

    @property
    def tool_calls(self) -> tuple[ModelToolCall, ...]:
        """Its tool calls. A reply that was cut off has none, because they may be incomplete."""
        return self.finished.tool_calls if self.finished.reason in (Finish.TOOL_CALLS, Finish.STOP) else ()


def uses_of(calls: Iterable[ModelToolCall]) -> tuple[ToolUse, ...]:
    """The calls in the form in which they are kept."""
    return tuple(ToolUse(id=call.id, name=call.name, arguments=call.arguments) for call in calls)


class _Sections:
    """Puts reasoning and answer into blocks. Each block is closed before the next one opens."""

    def __init__(self, emitter: Emitter, container: StateContainer, citing: AnswerCiting) -> None:
        self._emitter = emitter
        self._container = container
        self._citing = citing
        self._cited: set[int] = set()
        self.text = ""
        self._block: OpenBlock | None = None
        self._kind: type[AnswerDelta] | type[ReasoningDelta] | None = None

    def add_answer(self, text: str) -> None:
        self._show(self._citing.take(text))

    def end_answer(self, *, whole: bool = False) -> None:
        self._show(self._citing.end(whole=whole))

    def _show(self, parts: list[Part]) -> None:
        if not (text := written(parts)):
            return
        block = self._enter(AnswerDelta)
        for at, part in enumerate(parts):
            if isinstance(part, int) and (part not in self._cited or self._citing.cites_anew(part)):
                self._cited.add(part)
                citation = self._citing.citation(part, self.text + written(parts[:at]))
                self._container.cite(citation)
                block.emit(Cited(turn_index=block.index, citation=citation))
        self.text += text
        self._container.add_text(text)
        block.emit(AnswerDelta(turn_index=block.index, text=text))

    def add_reasoning(self, text: str) -> None:
        self.end_answer()
        self._container.add_reasoning(text)
        block = self._enter(ReasoningDelta)
        block.emit(ReasoningDelta(turn_index=block.index, text=text))

    def withdraw_answer(self, held: str) -> None:
        """What was shown of the answer, and what a gate still held back, was reasoning."""
        unshown = written(self._citing.end())
        self._cited.clear()
        shown, self.text = self.text, ""
        self._container.take_back_text()
        self.leave()
        if shown:
            self._emitter.status(WERE_THOUGHTS)
        if thought := f"{shown}{unshown}{held}".strip():
            self.add_reasoning(thought)

    def leave(self) -> None:
        if self._block is not None:
            self._block.close()
        self._block = self._kind = None

    def _enter(self, kind: type[AnswerDelta] | type[ReasoningDelta]) -> OpenBlock:
        if self._block is None or self._kind is not kind:
            self.leave()
            self._block, self._kind = self._emitter.open(), kind
        return self._block


class _Reply:
    """One reply of a model while it arrives.

    Args:
        container: takes what has arrived.
        emitter: takes the packets.
        gate: decides what of the answer is shown.
        citing: finds its citations.
        on_left_out: called for each attachment that is not sent.

    Attributes:
        given_up: whether the gate needs no more of the reply.
    """

    def __init__(
        self,
        container: StateContainer,
        emitter: Emitter,
        gate: Gate,
        citing: AnswerCiting,
        on_left_out: Callable[[AttachmentLeftOut], None],
    ) -> None:
        self._container = container
        self._sections = _Sections(emitter, container, citing)
        self._gate = gate
        self._on_left_out = on_left_out
        self._finished: Finished | None = None
        self._letting_go: asyncio.TimerHandle | None = None
        self.given_up = False

    @property
    def text(self) -> str:
        """What was shown of the answer."""
        return self._sections.text

    def take(self, delta: ModelDelta) -> None:
        """Add a delta."""
        match delta:
            case TextDelta(text=text):
                self._sections.add_answer(self._gate.take(text))
                if self._gate.held > HELD_CHARACTERS:
                    self._sections.add_answer(self._gate.let_go())
                self._watch_held()
                if self._gate.wrong or self._gate.over:
                    self._finished = Finished(reason=Finish.REPEATED)
                    self.given_up = True
            case ThoughtDelta(text=text) if text:
                self._sections.add_reasoning(text)
            case ThoughtsBefore():
                self._sections.withdraw_answer(self._gate.end())
            case ToolCallDelta():
                self.end()
            case AttachmentLeftOut():
                self._on_left_out(delta)
            case Finished():
                self._finished = delta
            case _:
                pass

    def _watch_held(self) -> None:
        """Let the gate hold its text back for ``HELD_S`` at most, also when nothing more arrives."""
        if not self._gate.held:
            self._unwatch_held()
        elif self._letting_go is None:
            self._letting_go = asyncio.get_running_loop().call_later(HELD_S, self._let_go)

    def _unwatch_held(self) -> None:
        if self._letting_go is not None:
            self._letting_go.cancel()
            self._letting_go = None

    def _let_go(self) -> None:
        self._letting_go = None
        self._sections.add_answer(self._gate.let_go())

    def end(self) -> None:
        """Show what the gate still holds back, and close the open block."""
        self._unwatch_held()
        self._sections.add_answer(self._gate.end())
        told = self._finished
        self._sections.end_answer(whole=told is not None and not told.tool_calls and not self._gate.wrong)
        self._sections.leave()

    def result(self, provider: str) -> InferenceResult:
        """The whole reply.

        Raises:
            ProviderError: ``incomplete``, when the reply has no finish reason.
        """
        if self._finished is None:
            raise ProviderError(ErrorCode.INCOMPLETE, "the stream ended without a finish reason", provider=provider)
        if self._gate.wrong:
            return InferenceResult(text="", finished=Finished(reason=Finish.STOP), wrong=self._gate.wrong)
        result = InferenceResult(text=self.text, finished=self._finished)
        self._container.end_answer(uses_of(result.tool_calls), self._finished.signatures)
        return result


class Taker(Protocol[R_co]):
    """Takes one reply of a model while it arrives, and makes a result of it."""

    @property
    def given_up(self) -> bool:
        """Whether no more of the reply is needed."""
        ...

    def take(self, delta: ModelDelta) -> None:
        """Take a delta."""
        ...

    def end(self) -> None:
        """Nothing more comes, however the reply has ended."""
        ...

    def result(self, provider: str) -> R_co:
        """The result of a reply that did not fail."""
        ...


async def metered(
    meter: ExchangeMeter,
    backend: ProviderBackend,
    provider: Provider,
    request: ModelRequest,
    *,
    first_byte_s: float,
    loading_s: float,
    on_loading: Callable[[], None] = lambda: None,
) -> AsyncGenerator[ModelDelta, None]:
    """Yield the deltas of a reply, which is counted and has deadlines (P-21). Closing the generator stops the model.

    The arguments are those of ``read_reply``.

    Raises:
        ProviderError: the request failed, or was late.
    """
    async with (
        meter.inference(provider, request.model) as inference,
        aclosing(backend.stream(provider, request)) as stream,
        ReplyDeadlines(
            provider.name,
            first_byte_s=first_byte_s,
            at_work=partial(backend.is_at_work, provider),
            loading_s=loading_s,
            on_loading=on_loading,
        ) as deadlines,
    ):
        while True:
            with deadlines.waiting:
                delta = await anext(stream, None)
            if delta is None:
                inference.ended()
                return
            deadlines.heard(delta)
            await inference.heard(delta)
            yield delta


async def read_reply(
    taker: Taker[R],
    meter: ExchangeMeter,
    backend: ProviderBackend,
    provider: Provider,
    request: ModelRequest,
    *,
    first_byte_s: float,
    loading_s: float,
    on_loading: Callable[[], None] = lambda: None,
) -> R:
    """Ask a model, and hand its reply on while it arrives. The reply is counted and has deadlines (P-21).

    Args:
        taker: takes the reply.
        meter: counts it.
        backend: speaks to the provider.
        provider: the provider.
        request: the request.
        first_byte_s: seconds until the model must send its first delta.
        loading_s: seconds that a server on this machine may take for it while it is at work.
        on_loading: called when it takes longer than ``first_byte_s``.

    Raises:
        ProviderError: the request failed, was late, or what the result raises.
    """
    reply = metered(
        meter, backend, provider, request, first_byte_s=first_byte_s, loading_s=loading_s, on_loading=on_loading
    )
    try:
        async with aclosing(reply) as deltas:
            async for delta in deltas:
                taker.take(delta)
                if taker.given_up:
                    break
    finally:
        taker.end()
    return taker.result(provider.name)


@dataclass(slots=True, kw_only=True)
class Inferences:
    """Runs the inferences of one turn.

    Attributes:
        emitter: takes the packets.
        container: takes what arrives.
        first_byte_s: seconds until a model must send its first delta.
        loading_s: seconds that a server on this machine may take for it while it is at work.
        on_loading: called when it takes longer than ``first_byte_s``.
        on_left_out: called for each attachment that is not sent.
    """

    emitter: Emitter
    container: StateContainer
    first_byte_s: float
    loading_s: float
    on_loading: Callable[[], None]
    on_left_out: Callable[[AttachmentLeftOut], None]
    _last: _Reply | None = field(default=None, init=False)
    _answered: bool = field(default=False, init=False)

    @property
    def shown(self) -> bool:
        """Whether text of the last reply was shown."""
        return self._last is not None and bool(self._last.text.strip())

    @property
    def answered(self) -> bool:
        """Whether text of any reply was shown."""
        return self._answered or self.shown

    def say(self, text: str, citing: AnswerCiting) -> InferenceResult:
        """Answer in place of a model."""
        self._answered = self.answered
        self.container.begin_answer()
        self._last = reply = _Reply(self.container, self.emitter, AnswerGate("", ""), citing, self.on_left_out)
        reply.take(TextDelta(text=text))
        reply.take(Finished(reason=Finish.STOP))
        reply.end()
        return reply.result("")

    def run(
        self, backend: ProviderBackend, choice: ModelChoice, request: ModelRequest, gate: Gate, citing: AnswerCiting
    ) -> Awaitable[InferenceResult]:
        """Run one inference when it is awaited. Packets are emitted while the reply arrives.

        Args:
            backend: speaks to the provider.
            choice: provider and model.
            request: the request.
            gate: decides what of the answer is shown.
            citing: finds its citations.

        Raises:
            ProviderError: the inference failed, was late, or broke off (``incomplete``).
        """
        self._answered = self.answered
        self.container.begin_answer()
        self._last = _Reply(self.container, self.emitter, gate, citing, self.on_left_out)
        return read_reply(
            self._last,
            self.container.meter,
            backend,
            choice.provider,
            request,
            first_byte_s=self.first_byte_s,
            loading_s=self.loading_s,
            on_loading=self.on_loading,
        )
