"""Requests to models for one turn: retries, pauses, shorter contexts and fallbacks (P-20, P-21, P-23, T-06).

After a tool with effects has run, no request is repeated. After text was shown, a request is repeated only if the
answer is not read aloud, and a status says so: the shown text stays as an incomplete answer, and the new answer is a
block of its own. If the answer is read aloud, the turn ends instead, because nobody wants to hear a beginning twice. No
fallback model answers after text was shown.
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial

from assistant.agent.agent_request import AgentRequest
from assistant.agent.citing.answer_citing import AnswerCiting
from assistant.agent.context.context import Context
from assistant.agent.emitter import Emitter
from assistant.agent.ending import reason_of
from assistant.agent.gates.answer_gate import AnswerGate, Gate, OnlyCalls
from assistant.agent.gates.answer_language import AnswerLanguage, with_order
from assistant.agent.gates.grounding import CLOCK, grounded, request_alone, tools_with_evidence, without_clock
from assistant.agent.gates.repetition import RepetitionGate
from assistant.agent.gates.said_times import ContradictionError, with_said_times
from assistant.agent.inference import InferenceResult, Inferences, uses_of
from assistant.agent.model_choice import ModelChoice, next_choice
from assistant.agent.open_model import OpenModel
from assistant.agent.state_container import StateContainer
from assistant.agent.summaries.memory_shortening import MemoryStep
from assistant.agent.summaries.summarizer import Began
from assistant.core.clock import Clock
from assistant.core.documents import TurnDocuments
from assistant.core.errors import ErrorCode, ProviderError, SoriError
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.llm.backend import AttachmentLeftOut, Finish, ModelMessage, ModelRequest, ToolSchema
from assistant.llm.deadline import SoftLimit
from assistant.llm.retry import Pause, Retries

_SHRINKS = 8
"""How many times a quarter is taken from a context that is too long for the server, before the turn fails."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptsInput:
    """The input of a turn's attempts.

    Attributes:
        request: the request.
        choices: the chosen model and its fallbacks, in order.
        open_model: makes a model ready for requests.
        settings: limits and sampling.
        texts: the user's words.
        clock: measures time, and waits between retries.
        shorten: shortens memories, given the model, which memories, a limit in seconds, and what to call before a model
            is asked. Returns whether it has done so; then ``open_model`` gives a model with the shorter memories.
            ``None`` for memories that stay.
        language: the language in which the answer must begin.
        documents: the documents that models are given in the turn.
        asked: the text of the request. If it only continues an earlier one, that one comes before it.
    """

    request: AgentRequest
    choices: Sequence[ModelChoice]
    open_model: Callable[[ModelChoice], Awaitable[OpenModel]]
    settings: Settings
    texts: Texts
    clock: Clock
    shorten: Callable[[ModelChoice, MemoryStep, float, Began], Awaitable[bool]] | None
    language: AnswerLanguage
    documents: TurnDocuments
    asked: str


@dataclass(slots=True)
class _Tries:
    """How often one model was asked for one reply.

    Attributes:
        retries: requests that were made again after an error.
        shrinks: how often the context was shortened.
    """

    retries: Retries = field(default_factory=Retries)
    shrinks: int = 0


class Attempts:
    """Sends the requests of one turn, to the chosen model or to a fallback.

    Args:
        attempts: the input.
        emitter: takes the packets.
        container: takes what arrives.

    Attributes:
        repeatable: whether a request may be repeated. False after a tool with effects has run.
        searched: whether a search tool was used in this turn.
    """

    def __init__(self, attempts: AttemptsInput, emitter: Emitter, container: StateContainer) -> None:
        self._input = attempts
        self._emitter = emitter
        self._container = container
        self._choice, *waiting = attempts.choices
        self._waiting = waiting
        self._model: OpenModel | None = None
        self._max_size = self._input.settings.context.max_size
        self._limit = SoftLimit(
            attempts.clock, attempts.settings.llm.total_timeout_s, partial(self._report_wait, "long_answer")
        )
        self._left_out: set[str] = set()
        self._trimmed = self._compressed = False
        self._shortened: set[MemoryStep] = set()
        self._shortened_files: tuple[str, ...] = ()
        self._sent = Context(system="")
        self._inferences = Inferences(
            emitter=emitter,
            container=container,
            first_byte_s=attempts.settings.llm.first_byte_timeout_s,
            loading_s=attempts.settings.llm.loading_timeout_s,
            on_loading=partial(self._report_wait, "server_at_work"),
            on_left_out=self._report_left_out,
        )
        self._outdated = False
        self._chose_aside = False
        self.repeatable = True
        self.searched = False

    @property
    def offered(self) -> frozenset[str] | None:
        """The names of the tools that the model may call; ``None`` for all permitted ones.

        A small model guesses the arguments of a tool that it was not told of.
        """
        model = self._model
        if model is None or not model.known.small:
            return None
        return self.told

    @property
    def told(self) -> frozenset[str]:
        """The names of the tools that the model was told of."""
        model = self._model
        return frozenset() if model is None else frozenset(tool.name for tool in (*model.tools, *model.selected))

    def call_failed(self) -> None:
        """A call of the model failed."""
        self._input.request.left.weak |= self._model is not None and bool(self._model.known.small)

    def tools_changed(self) -> None:
        """Offer the tools anew with the next request."""
        self._outdated = True

    async def ask(self, added: Sequence[ModelMessage], *, last: bool) -> InferenceResult:
        """Get one reply, from the chosen model or a fallback.

        Args:
            added: the messages that the turn has produced so far.
            last: whether this is the last request, without tools.

        Raises:
            SoriError: no model answered. What was produced before is in the container.
        """
        tries = _Tries()
        while True:
            try:
                model = await self._opened()
                request = await self._request(model, added, last=last)
                try:
                    with self._limit.counting():
                        return _checked(await self._reply(model, request), model, last=last)
                except ProviderError as error:
                    await self._prepare_retry(error, model, tries, added)
            except SoriError as error:
                self._fall_back(error)
                tries = _Tries()

    async def _opened(self) -> OpenModel:
        self._container.asks(self._choice.provider.name, self._choice.model)
        if self._model is None:
            self._model = await self._input.open_model(self._choice)
            self._max_size = self._input.settings.context.max_size
        elif self._outdated:
            self._model = await self._input.open_model(self._choice)
        self._outdated = False
        return self._model

    def _fall_back(self, error: SoriError) -> None:
        """Switch to the next fallback model.

        Raises:
            SoriError: ``error``, when no model is left.
        """
        chosen = None
        if self.repeatable and not self._inferences.answered:
            chosen = next_choice(self._input.settings, self._choice, error, self._waiting)
        if chosen is None:
            raise error
        self._container.meter.give_up(error.code.value)
        del self._waiting[: self._waiting.index(chosen) + 1]
        name = chosen.model or chosen.provider.name
        detail = self._input.texts(
            "chat.fallback",
            failed=self._choice.model or self._choice.provider.name,
            name=name,
            reason=reason_of(error, self._input.texts),
        )
        self._emitter.status("fallback", detail)
        self._choice, self._model = chosen, None

    async def _prepare_retry(
        self, error: ProviderError, model: OpenModel, tries: "_Tries", added: Sequence[ModelMessage]
    ) -> None:
        """Shorten the context, or wait, before the model is asked again.

        Raises:
            ProviderError: ``error``, when the policy allows no retry.
        """
        shown = self._inferences.shown
        self._container.break_off(error.code.value)
        if error.code is ErrorCode.CONTEXT_TOO_LONG and not shown and tries.shrinks < _SHRINKS:
            tries.shrinks += 1
            await self._shrink(model, error, added)
            return
        may = self.repeatable and not (shown and self._input.request.aloud)
        pause = tries.retries.after(error) if may else None
        if pause is None:
            raise error
        tries.retries = pause.retries
        await self._wait(error, pause, shown=shown)

    async def _reply(self, model: OpenModel, request: ModelRequest) -> InferenceResult:
        """The model's reply to a request. If the reply is useless, the model is asked once more."""
        question, language = self._input.request.history.question, self._input.language
        *earlier, newest = request.messages
        offered = {tool.name for tool in request.tools}
        beside = any(tool.name in offered for tool in model.selected)
        if model.tools_told and request.tools and (earlier or beside) and not newest.has_files:
            # In a conversation without calls a small model makes none. After a call it turns everything into one. So
            # it chooses calls by the request alone, and answers in words by the whole conversation.
            aside = self._aside(model, request)
            try:
                chosen = await self._calls(model, aside)
            except ContradictionError as error:
                chosen = await self._calls_again(model, aside, error)
                request = self._ordered(request, "time_unclear", error)
            if chosen is not None:
                self._chose_aside = True
                self._input.request.left.unread = True
                return chosen
            self._container.withdraw()
            request = replace(request, tools=())
        elif model.tools_told and offered - {CLOCK} and not newest.has_files:
            request = self._without_time(model, request)
        request = replace(request, tools=_without(request.tools, model.selected))
        if model.absent and not _may_call(request):
            return self._inferences.say(model.absent, AnswerCiting(self._input.documents))
        # Only small models are checked: large ones follow the prompt.
        gate = self._without_repetition(
            model,
            AnswerGate(language, question, as_sori=model.known.small, sent=lambda: _texts_of(request)),
        )
        result = await self._inferences.run(model.backend, model.choice, request, gate, self._citing(model))
        again = None
        if model.tools_told and grounded(result.tool_calls, self._input.asked):
            try:
                result = self._with_said_times(result)
            except ContradictionError as error:
                if (chosen := await self._calls_again(model, request, error)) is not None:
                    return chosen
                again = self._ordered(replace(request, tools=()), "time_unclear", error)
        again = again or self._reworded(model, request, result)
        self._input.request.left.weak |= model.known.small and (gate.over or again is not None)
        if again:
            self._container.withdraw()
            result = await self._inferences.run(
                model.backend,
                model.choice,
                again,
                self._without_repetition(model, AnswerGate("", question)),
                self._citing(model),
            )
        return result

    async def _calls(self, model: OpenModel, aside: ModelRequest) -> InferenceResult | None:
        """The calls that a small model chooses by the request alone; ``None`` for none.

        Raises:
            ContradictionError: a call contradicts the time in the user's words.
        """
        chosen = await self._inferences.run(model.backend, model.choice, aside, OnlyCalls(), self._citing(model))
        if not chosen.tool_calls or not grounded(chosen.tool_calls, self._input.asked):
            return None
        return self._with_said_times(chosen)

    async def _calls_again(
        self, model: OpenModel, aside: ModelRequest, error: ContradictionError
    ) -> InferenceResult | None:
        """The calls, asked for once more with the time that the user said; ``None`` if they contradict it again."""
        self._container.withdraw()
        with suppress(ContradictionError):
            return await self._calls(model, self._ordered(aside, "said_time", error))
        return None

    def _ordered(self, request: ModelRequest, key: str, error: ContradictionError) -> ModelRequest:
        order = self._input.texts(f"context.{key}", said=error.words)
        return replace(request, messages=with_order(request.messages, order))

    def _with_said_times(self, chosen: InferenceResult) -> InferenceResult:
        """The reply, with the times that the user said.

        Raises:
            ContradictionError: it is not known which time is meant.
        """
        clock, finished = self._input.clock, chosen.finished
        calls = with_said_times(chosen.tool_calls, self._input.asked, clock.now(), clock.moment)
        if calls == chosen.tool_calls:
            return chosen
        self._container.end_answer(uses_of(calls), finished.signatures)
        return replace(chosen, finished=replace(finished, tool_calls=calls))

    def _citing(self, model: OpenModel) -> AnswerCiting:
        """Finds the citations of a reply. A small model cites nothing, so code does."""
        return AnswerCiting(
            self._input.documents,
            by_code=bool(model.known.small),
            unsupported=model.unsupported,
            question=self._input.asked,
        )

    def _without_repetition(self, model: OpenModel, gate: Gate) -> Gate:
        """The gate, which also stops repetition if the model is small."""
        return RepetitionGate(gate, self._input.request.history.question) if model.known.small else gate

    def _aside(self, model: OpenModel, request: ModelRequest, added: Sequence[ModelMessage] = ()) -> ModelRequest:
        """The request without the earlier conversation."""
        asked = request_alone(self._sent.talk, self._input.asked)
        messages = model.worded((*asked, *added))
        if model.beside:
            # At the end of the system prompt, the tools would change what the server need not read again.
            messages = (replace(messages[0], text=f"{model.beside}\n\n{messages[0].text}"), *messages[1:])
        return replace(request, messages=messages, aside=True)

    def _without_time(
        self, model: OpenModel, request: ModelRequest, added: Sequence[ModelMessage] = ()
    ) -> ModelRequest:
        """The first request of a conversation without the note of the time, of which a small model makes arguments."""
        return replace(self._aside(model, request, added), aside=False)

    def _reworded(self, model: OpenModel, request: ModelRequest, result: InferenceResult) -> ModelRequest | None:
        """The request to send after a useless reply that was not shown; ``None`` after a useful reply."""
        if result.wrong:
            key = "context.only_sori" if result.wrong == "identity" else f"context.only_{self._input.language}"
            return replace(request, messages=with_order(request.messages, self._input.texts(key)))
        if result.text.strip():
            return None
        unusable = result.finished.refused_calls and not result.tool_calls
        if unusable or (model.tools_told and not grounded(result.tool_calls, self._input.asked)):
            # After a call that is impossible or was not requested, the model must answer in words.
            return replace(request, tools=())
        return None

    async def _request(self, model: OpenModel, added: Sequence[ModelMessage], *, last: bool) -> ModelRequest:
        model, self._sent = await self._sized(model, added, last=last)
        request = model.request(self._input.settings.llm, self._sent, added, tools=not last)
        if model.tools_told:
            # The prompt describes all tools; the grammar allows only these.
            tools = tools_with_evidence(request.tools, self._input.asked)
            request = replace(request, tools=without_clock(tools, self._input.asked, model.remembered))
        if self._chose_aside and model.tools_told:
            # The result of a call goes to the request that chose the call, without the conversation.
            request = self._aside(model, request, added)
        elif model.tools_told and len(self._sent.talk) == 1 and _called(added) - {CLOCK}:
            request = self._without_time(model, request, added)
        return replace(request, answer_language=self._input.language)

    async def _context(self, model: OpenModel, added: Sequence[ModelMessage], *, last: bool) -> Context:
        """The context. If it is too long, its oldest messages are summarised, or left out."""
        llm = self._input.settings.llm
        compose = partial(model.fitting, llm, self._max_size, added, searched=self.searched, last=last)
        context = compose()
        # What is dropped leaves up to a quarter of the room for later turns. Otherwise each would need a summary.
        if context.dropped and await self._compress(model, context.dropped):
            context = compose()
        if context.dropped:
            guessed = False
            if model.known.context_tokens is not None and model.token_scale is None:
                # Nobody knows how many tokens another program's model makes of a text. Its characters are certain.
                unlimited = replace(model, known=replace(model.known, context_tokens=None))
                sized = unlimited.fitting(llm, self._max_size, added, searched=self.searched, last=last)
                guessed = context.dropped > sized.dropped
            self._report_trimmed("chat.trimmed_by_estimate" if guessed else "chat.trimmed")
        if context.shortened and context.shortened != self._shortened_files:
            self._shortened_files = context.shortened
            self._emitter.status(
                "files_shortened", self._input.texts("chat.files_shortened", names=", ".join(context.shortened))
            )
        return context

    async def _sized(self, model: OpenModel, added: Sequence[ModelMessage], *, last: bool) -> tuple[OpenModel, Context]:
        """The context, and the model with the memories in it, which are shortened if the context is still too large."""
        llm = self._input.settings.llm
        context = await self._context(model, added, last=last)
        excess = model.excess(context, llm, self._max_size, added)
        for step in MemoryStep:
            if excess > 0 and await self._shorten(step, context):
                self._model = model = await self._input.open_model(self._choice)
                context = await self._context(model, added, last=last)
                excess = model.excess(context, llm, self._max_size, added)
        room = context.memories
        while excess > 0 and context.memories:
            # The newest facts are better than no answer.
            room = max(0, min(room, context.memories) - excess)
            context = model.fitting(llm, self._max_size, added, searched=self.searched, last=last, memory=room)
            excess = model.excess(context, llm, self._max_size, added)
            self._report_trimmed("chat.memory_trimmed")
        return model, context

    async def _shorten(self, step: MemoryStep, context: Context) -> bool:
        """Shorten memories, at most once per turn. Returns whether it was done."""
        if self._input.shorten is None or step in self._shortened or not context.memories:
            return False
        self._shortened.add(step)
        began = partial(
            self._emitter.status, "memory_compressing", self._input.texts(f"chat.memory_compressing_{step}")
        )
        with self._limit.counting():
            done = await self._input.shorten(self._choice, step, self._limit.left_s / 2, began)
        if done:
            self._emitter.status("memory_compressed", self._input.texts(f"chat.memory_compressed_{step}"))
        return done

    async def _compress(self, model: OpenModel, oldest: int) -> bool:
        """Summarise the oldest messages of a context, at most once per turn. Returns whether it was done."""
        if self._input.request.compression is None or self._compressed:
            return False
        self._compressed = True
        began = partial(self._emitter.status, "context_compressing", self._input.texts("chat.compressing"))
        with self._limit.counting():
            done = await self._input.request.compress(model.choice, oldest, self._limit.left_s / 2, began)
        if done:
            self._emitter.status("context_compressed", self._input.texts("chat.compressed"))
        return done

    def _report_wait(self, status: str) -> None:
        self._emitter.status(status, self._input.texts(f"chat.{status}"))

    def _report_left_out(self, left_out: AttachmentLeftOut) -> None:
        if left_out.name in self._left_out:
            return
        self._left_out.add(left_out.name)
        name = left_out.name or left_out.mime_type
        self._emitter.status("attachment_left_out", self._input.texts(f"chat.left_out_{left_out.reason}", name=name))

    def _report_trimmed(self, key: str = "chat.trimmed") -> None:
        if not self._trimmed:
            self._trimmed = True
            self._emitter.status("context_trimmed", self._input.texts(key))

    async def _shrink(self, model: OpenModel, error: ProviderError, added: Sequence[ModelMessage]) -> None:
        """Take a quarter from a context that was too long.

        Raises:
            ProviderError: ``error``, when the context cannot be shortened.
        """
        # Nobody knows how much is needed.
        smaller = max(1, self._sent.size * 3 // 4)
        context = model.compose(smaller)
        if len(context.talk) >= len(self._sent.talk) and context.size >= self._sent.size:
            for step in MemoryStep:
                if await self._shorten(step, self._sent):
                    self._model = None
                    return
            raise error
        if context.dropped and await self._compress(model, context.dropped):
            return
        self._max_size = smaller + model.beside_context(added)
        self._report_trimmed()

    async def _wait(self, error: ProviderError, pause: Pause, *, shown: bool) -> None:
        """Report the error and the length of the wait before the next try, and wait."""
        status = "asked_again" if shown else "retrying"
        key = f"chat.{status}" if pause.seconds >= 1 else f"chat.{status}_soon"
        seconds = f"{pause.seconds:.0f}"
        detail = self._input.texts(key, reason=reason_of(error, self._input.texts), seconds=seconds)
        self._emitter.status(status, detail, wait_s=pause.seconds)
        if pause.asked_for:
            await self._input.clock.sleep(pause.seconds)
            return
        with self._limit.counting():
            await self._input.clock.sleep(pause.seconds)


def _texts_of(request: ModelRequest) -> Iterator[str]:
    yield request.system
    yield from (message.text for message in request.messages if message.role != "assistant")


def _may_call(request: ModelRequest) -> bool:
    """Whether the model may call a tool beside the clock, or has the results of one."""
    return any(tool.name != CLOCK for tool in request.tools) or any(each.role == "tool" for each in request.messages)


def _called(added: Sequence[ModelMessage]) -> set[str]:
    return {call.name for message in added for call in message.tool_calls}


def _without(tools: Sequence[ToolSchema], others: Sequence[ToolSchema]) -> tuple[ToolSchema, ...]:
    names = {tool.name for tool in others}
    return tuple(tool for tool in tools if tool.name not in names)


def _checked(result: InferenceResult, model: OpenModel, *, last: bool) -> InferenceResult:
    """The reply, without calls that may not run.

    Raises:
        ProviderError: the model refused to answer, or its reply is empty.
    """
    provider = model.choice.provider.name
    if result.finished.reason is Finish.REFUSED:
        raise ProviderError(ErrorCode.CONTENT_REFUSED, "the model refused to answer", provider=provider)
    wants_tools = bool(result.tool_calls and model.tools) and not last
    if not result.text.strip() and not wants_tools:
        code = ErrorCode.TOOL_LOOP if last else ErrorCode.EMPTY_RESPONSE
        raise ProviderError(code, "the model answered nothing", provider=provider)
    return result if wants_tools else replace(result, finished=replace(result.finished, tool_calls=()))
