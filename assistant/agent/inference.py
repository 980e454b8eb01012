"""One inference: a model's stream becomes packets as it arrives."""

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass

from assistant.agent.emitter import Block, Emitter
from assistant.agent.gates.answer_gate import Gate, Wrong
from assistant.agent.model_choice import ModelChoice
from assistant.agent.state_container import AnswerState, StateContainer
from assistant.core.errors import ErrorCode, ProviderError
from assistant.core.messages import ToolUse
from assistant.core.packets import AnswerDelta, ReasoningDelta
from assistant.llm.backend import (
    AttachmentLeftOut,
    Finish,
    Finished,
    ModelRequest,
    ModelToolCall,
    ProviderBackend,
    TextDelta,
    ThoughtDelta,
    ToolCallDelta,
)
from assistant.llm.deadline import with_deadlines


@dataclass(frozen=True, slots=True, kw_only=True)
class InferenceResult:
    """A whole reply of the model."""

    text: str
    finished: Finished
    wrong: Wrong = ""
    """Why it was given up, with nothing of it shown."""

    @property
    def tool_calls(self) -> tuple[ModelToolCall, ...]:
        """The tool calls that it ended with; none when it was cut off, for those may be half."""
        return self.finished.tool_calls if self.finished.reason in (Finish.TOOL_CALLS, Finish.STOP) else ()


class _Sections:
    """Turns alternating reasoning and answer into blocks, each closed before the next begins."""

    def __init__(self, emitter: Emitter, answer: AnswerState) -> None:
        self._emitter = emitter
        self._answer = answer
        self._block: Block | None = None
        self._kind: type[AnswerDelta] | type[ReasoningDelta] | None = None

    def add_answer(self, text: str) -> None:
        if not text:
            return
        self._answer.text += text
        block = self._enter(AnswerDelta)
        block.emit(AnswerDelta(turn_index=block.index, text=text))

    def add_reasoning(self, text: str) -> None:
        self._answer.reasoning += text
        block = self._enter(ReasoningDelta)
        block.emit(ReasoningDelta(turn_index=block.index, text=text))

    def leave(self) -> None:
        if self._block is not None:
            self._block.close()
        self._block = self._kind = None

    def _enter(self, kind: type[AnswerDelta] | type[ReasoningDelta]) -> Block:
        if self._block is None or self._kind is not kind:
            self.leave()
            self._block, self._kind = self._emitter.open(), kind
        return self._block


async def run_inference(
    backend: ProviderBackend,
    choice: ModelChoice,
    request: ModelRequest,
    *,
    first_byte_s: float,
    total_s: float,
    emitter: Emitter,
    container: StateContainer,
    gate: Gate,
    on_left_out: Callable[[AttachmentLeftOut], None],
) -> InferenceResult:
    """Run one inference; packets flow as text arrives, and the container holds what has arrived.

    Args:
        backend: speaks to the provider.
        choice: provider and model.
        request: what to ask.
        first_byte_s: how long the model may stay silent at first.
        total_s: how long it may take in all.
        emitter: takes the packets.
        container: takes what arrives.
        gate: says what of the answer is shown.
        on_left_out: told of attachments that are not sent.

    Raises:
        ProviderError: the inference failed, was late, or broke off (``incomplete``).
    """
    answer = container.begin_answer()
    sections = _Sections(emitter, answer)
    limited = with_deadlines(
        backend.stream(choice.provider, request),
        provider=choice.provider.name,
        first_byte_s=first_byte_s,
        total_s=total_s,
    )
    stream = container.meter.watch(choice.provider, request.model, limited)
    finished: Finished | None = None
    try:
        async with aclosing(stream):
            async for delta in stream:
                match delta:
                    case TextDelta(text=text):
                        sections.add_answer(gate.take(text))
                        if gate.wrong or gate.over:
                            finished = Finished(reason=Finish.REPEATED)
                            break
                    case ThoughtDelta(text=text) if text:
                        sections.add_reasoning(text)
                    case ToolCallDelta():
                        sections.add_answer(gate.end())
                        sections.leave()
                    case AttachmentLeftOut():
                        on_left_out(delta)
                    case Finished():
                        finished = delta
                    case _:
                        pass
    finally:
        # However it ends: what has arrived is not lost.
        sections.add_answer(gate.end())
        sections.leave()
    if finished is None:
        raise ProviderError(
            ErrorCode.INCOMPLETE, "the stream ended without a finish reason", provider=choice.provider.name
        )
    if gate.wrong:
        return _given_up(gate)
    result = InferenceResult(text=answer.text, finished=finished)
    answer.tool_uses = tuple(
        ToolUse(id=call.id, name=call.name, arguments=call.arguments) for call in result.tool_calls
    )
    answer.signatures = finished.signatures
    return result


def _given_up(gate: Gate) -> InferenceResult:
    return InferenceResult(text="", finished=Finished(reason=Finish.STOP), wrong=gate.wrong)
