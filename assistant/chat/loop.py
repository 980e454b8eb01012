"""A turn's logic: inferences and tool rounds until the model answers (C-30, X-03)."""

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass

from assistant.chat.context import CONTEXT_MAX_SIZE, Context
from assistant.chat.emitter import Block, Emitter
from assistant.chat.model_choice import ModelChoice
from assistant.chat.retry import wait_before_retry_s
from assistant.chat.state_container import StateContainer
from assistant.chat.step import StepResult, run_llm_step
from assistant.core.clock import Clock
from assistant.core.errors import ErrorCode, ProviderError
from assistant.core.packets import ToolCall, ToolResult
from assistant.core.settings import LlmSettings
from assistant.core.texts import Texts
from assistant.llm.backend import Finish, ModelMessage, ModelRequest, ProviderBackend
from assistant.tools.runner import Outcome, ToolRunner

MAX_ROUNDS = 10
"""Tool rounds of one turn; the inference after the last is told that there are no more (X-03)."""
_SHRINKS = 3
"""How often a context that the model cannot take is halved before the turn is given up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopInput:
    """What a turn's loop works with.

    Attributes:
        backend: speaks to the provider.
        choice: provider and model.
        compose: makes the context, given its largest size in characters.
        tools: offers and runs tools; ``None`` for a model that knows none.
        settings: limits and sampling.
        texts: the words of notes to the model and the user.
        clock: waits between retries.
    """

    backend: ProviderBackend
    choice: ModelChoice
    compose: Callable[[int], Context]
    tools: ToolRunner | None
    settings: LlmSettings
    texts: Texts
    clock: Clock


async def run_llm_loop(given: LoopInput, emitter: Emitter, container: StateContainer) -> Finish:
    """Run inferences and the tools that they ask for until there is an answer.

    Returns:
        Why the model stopped: ``stop``, or ``length`` for an answer that was cut off at the longest length.

    Raises:
        ProviderError: the model cannot answer; what it said before is in the container.
    """
    return await _Loop(given, emitter, container).run()


class _Loop:
    def __init__(self, given: LoopInput, emitter: Emitter, container: StateContainer) -> None:
        self._given = given
        self._emitter = emitter
        self._container = container
        self._max_size = CONTEXT_MAX_SIZE
        self._added: list[ModelMessage] = []
        self._may_retry = True
        container.provider, container.model = given.choice.provider.name, given.choice.model

    async def run(self) -> Finish:
        for round_number in range(MAX_ROUNDS + 1):
            last = round_number == MAX_ROUNDS
            if last:
                self._added.append(ModelMessage(role="user", text=self._given.texts("tools.too_many")))
            result = await self._infer(offer_tools=not last)
            if not result.tool_calls or last or self._given.tools is None:
                return self._judge(result, last=last)
            await self._run_tools(result, self._given.tools)
        raise AssertionError("the last round always returns")

    def _judge(self, result: StepResult, *, last: bool) -> Finish:
        reason = result.finished.reason
        provider = self._given.choice.provider.name
        if reason is Finish.REFUSED:
            raise ProviderError(ErrorCode.CONTENT_REFUSED, "the model refused to answer", provider=provider)
        if not result.text.strip():
            code = ErrorCode.TOOL_LOOP if last else ErrorCode.EMPTY_RESPONSE
            raise ProviderError(code, "the model answered nothing", provider=provider)
        if reason is Finish.LENGTH:
            self._emitter.status("cut_at_length", self._given.texts("chat.cut_at_length"))
        return Finish.LENGTH if reason is Finish.LENGTH else Finish.STOP

    async def _infer(self, *, offer_tools: bool) -> StepResult:
        retries = shrinks = 0
        while True:
            entries, answered = len(self._container.entries), self._text_length()
            try:
                return await run_llm_step(
                    self._given.backend,
                    self._given.choice,
                    self._request(offer_tools=offer_tools),
                    self._given.settings,
                    emitter=self._emitter,
                    container=self._container,
                )
            except ProviderError as error:
                if self._text_length() > answered:
                    raise
                if error.code is ErrorCode.CONTEXT_TOO_LONG and shrinks < _SHRINKS:
                    shrinks += 1
                    self._shrink(error)
                else:
                    wait_s = wait_before_retry_s(error, retries) if self._may_retry else None
                    if wait_s is None:
                        raise
                    retries += 1
                    await self._wait(error, wait_s)
                del self._container.entries[entries:]

    def _text_length(self) -> int:
        """How much of the model's text and reasoning has been shown; after more of it nothing is tried again."""
        return sum(len(entry.text) for entry in self._container.entries)

    def _request(self, *, offer_tools: bool) -> ModelRequest:
        given = self._given
        context = given.compose(self._max_size)
        return ModelRequest(
            model=given.choice.model,
            system=context.system,
            messages=(*context.messages, *self._added),
            tools=given.tools.offered() if offer_tools and given.tools is not None else (),
            temperature=given.settings.temperature,
            max_output_tokens=given.settings.max_output_tokens,
        )

    def _shrink(self, error: ProviderError) -> None:
        before = self._given.compose(self._max_size)
        size = len(before.system) + sum(len(message.text) for message in before.messages)
        self._max_size = max(1, size // 2)
        if len(self._given.compose(self._max_size).messages) == len(before.messages):
            raise error
        self._emitter.status("context_trimmed", self._given.texts("chat.trimmed"))

    async def _wait(self, error: ProviderError, wait_s: float) -> None:
        reason = self._given.texts(error.message_key, **error.values)
        self._emitter.status("retrying", self._given.texts("chat.retrying", reason=reason))
        await self._given.clock.sleep(wait_s)

    async def _run_tools(self, result: StepResult, tools: ToolRunner) -> None:
        calls = result.tool_calls
        self._added.append(
            ModelMessage(role="assistant", text=result.text, tool_calls=calls, signatures=result.finished.signatures)
        )
        blocks = [self._emitter.open() for _ in calls]
        for block, call in zip(blocks, calls, strict=True):
            # Held back by the emitter until the calls before it have returned.
            block.emit(ToolCall(turn_index=block.index, id=call.id, name=call.name, arguments=call.arguments))
        self._may_retry = self._may_retry and all(tools.is_idempotent(call.name) for call in calls)
        waiting = iter(blocks)
        async with aclosing(tools.run(calls)) as outcomes:
            async for outcome in outcomes:
                self._take(outcome, next(waiting))

    def _take(self, outcome: Outcome, block: Block) -> None:
        call, text, is_error = outcome.call, outcome.text, outcome.is_error
        self._container.add_result(tool_use_id=call.id, name=call.name, text=text, is_error=is_error)
        self._added.append(ModelMessage(role="tool", text=text, tool_call_id=call.id))
        block.emit(ToolResult(turn_index=block.index, id=call.id, name=call.name, text=text, is_error=is_error))
        block.close()
