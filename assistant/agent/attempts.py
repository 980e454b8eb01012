"""Asking models on behalf of one turn: retries, pauses, shorter contexts, and who steps in (P-20, P-21, P-23, T-06).

Everything here happens beneath one inference. After a tool with effects has run, nothing is asked again by itself.
After text was shown, it is asked again only where the user reads along, and that is said: what was shown stays as an
incomplete answer, and the new one is a block of its own. Where the answer is read aloud the turn ends instead, for
nobody wants to hear a beginning twice. No other model steps in after text.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

from assistant.agent.context.context import (
    CONTEXT_MAX_SIZE,
    Context,
    fitted,
    room_for_prompt,
    tokens_of,
    tokens_of_tools,
)
from assistant.agent.emitter import Emitter
from assistant.agent.ending import reason_of
from assistant.agent.gates.answer_gate import AnswerGate, Gate, OnlyCalls
from assistant.agent.gates.answer_language import AnswerLanguage, with_order
from assistant.agent.gates.grounding import grounded, request_alone, tools_with_evidence
from assistant.agent.gates.repetition import RepetitionGate
from assistant.agent.inference import InferenceResult, Inferences
from assistant.agent.model_choice import ModelChoice, next_choice
from assistant.agent.state_container import StateContainer
from assistant.core.clock import Clock
from assistant.core.errors import ErrorCode, ProviderError, SoriError
from assistant.core.settings import LlmSettings, Settings
from assistant.core.texts import Texts
from assistant.llm.backend import AttachmentLeftOut, Finish, ModelMessage, ModelRequest, ProviderBackend, ToolSchema
from assistant.llm.deadline import SoftLimit
from assistant.llm.facts.model_facts import KnownModel
from assistant.llm.retry import Pause, Retries

_SHRINKS = 3
"""How often a context that the model cannot take is halved before the turn is given up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenModel:
    """A model that is ready to be asked.

    Attributes:
        choice: provider and model.
        backend: speaks to the provider.
        known: what is known of the model.
        compose: makes its context, given the largest size in characters.
        tools: what it is offered; empty for a model that knows no tools.
        kept_as: whose file may hold what Sori's own server has read (``ModelRequest.kept_as``).
        worded: the messages as the model is sent them.
        tools_told: whether the context's system prompt tells of the tools (``ModelRequest.tools_told``).
    """

    choice: ModelChoice
    backend: ProviderBackend
    known: KnownModel
    compose: Callable[[int], Context]
    tools: tuple[ToolSchema, ...]
    kept_as: str | None = None
    worded: Callable[[Sequence[ModelMessage]], tuple[ModelMessage, ...]] = tuple
    tools_told: bool = False

    def fitting(
        self, llm: LlmSettings, added: Sequence[ModelMessage] = (), max_size: int = CONTEXT_MAX_SIZE
    ) -> Context:
        """The conversation, without its oldest messages where it is too long or the model is known to take less.

        Args:
            llm: how long an answer may be.
            added: what the request will have beside the conversation.
            max_size: most characters.
        """
        if self.known.context_tokens is None:
            return self.compose(max_size)
        room = room_for_prompt(self.known.context_tokens, llm.max_output_tokens)
        return fitted(self.compose, max_size, room - tokens_of(added) - tokens_of_tools(self.tools))

    def request(
        self, llm: LlmSettings, context: Context, added: Sequence[ModelMessage] = (), *, tools: bool = True
    ) -> ModelRequest:
        """What the model is sent.

        Args:
            llm: sampling and limits.
            context: the conversation.
            added: what comes after it.
            tools: whether its tools are offered.
        """
        return ModelRequest(
            model=self.choice.model,
            system=context.system,
            messages=self.worded((*context.messages, *added)),
            tools=self.tools if tools and not (self.tools_told and added) else (),
            tools_told=self.tools_told,
            temperature=llm.temperature,
            max_output_tokens=llm.max_output_tokens,
            reasoning=llm.reasoning,
            reasoning_effort=llm.reasoning_effort,
            reasoning_budget=llm.reasoning_budget,
            extra=self.choice.provider.extra,
            kept_as=self.kept_as,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptsInput:
    """What a turn's asking works with.

    Attributes:
        choices: the model that is asked, and those that may step in for it.
        open_model: makes one of them ready.
        settings: limits and sampling.
        texts: the words of notes to the user.
        clock: measures, and waits between tries.
        compress: puts the oldest messages into a summary: for this model, so that about so many characters of the
            newest stay, within so many seconds; whether they are in it now. ``None`` where nobody can.
        aloud: whether the answer is heard.
        language: in which the answer is to begin.
        question: what is to be answered.
        request: the same, with what was said before where it only adds to that.
    """

    choices: Sequence[ModelChoice]
    open_model: Callable[[ModelChoice], Awaitable[OpenModel]]
    settings: Settings
    texts: Texts
    clock: Clock
    compress: Callable[[ModelChoice, int, float], Awaitable[bool]] | None = None
    aloud: bool = False
    language: AnswerLanguage = ""
    question: str = ""
    request: str = ""


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
    """Asks the chosen model, and those that may step in for it.

    Args:
        attempts: what to work with.
        emitter: takes the packets.
        container: takes what arrives.

    Attributes:
        repeatable: whether a request may be made again; whoever runs a tool with effects says no.
    """

    def __init__(self, attempts: AttemptsInput, emitter: Emitter, container: StateContainer) -> None:
        self._input = attempts
        self._emitter = emitter
        self._container = container
        self._choice, *waiting = attempts.choices
        self._waiting = waiting
        self._model: OpenModel | None = None
        self._max_size = CONTEXT_MAX_SIZE
        self._limit = SoftLimit(attempts.clock, attempts.settings.llm.total_timeout_s)
        self._left_out: set[str] = set()
        self._trimmed = self._compressed = False
        self._sent = Context(system="", messages=())
        self._run = Inferences(
            emitter=emitter,
            container=container,
            limit=self._limit,
            first_byte_s=attempts.settings.llm.first_byte_timeout_s,
            on_left_out=self._tell_left_out,
        ).run
        self.repeatable = True

    async def ask(self, added: Sequence[ModelMessage], *, last: bool) -> InferenceResult:
        """One reply, by the chosen model or by one that steps in.

        Args:
            added: what the turn has said and done so far.
            last: whether no tools are offered any more.

        Raises:
            SoriError: nobody answered; what was said before is in the container.
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
                    await self._prepare_retry(error, model, tries)
            except SoriError as error:
                self._step_in(error)
                tries = _Tries()

    async def _opened(self) -> OpenModel:
        self._container.provider, self._container.model = self._choice.provider.name, self._choice.model
        if self._model is None:
            self._model = await self._input.open_model(self._choice)
            self._max_size = CONTEXT_MAX_SIZE
        return self._model

    def _step_in(self, error: SoriError) -> None:
        """Go on with the next model, or raise ``error``."""
        chosen = None
        if self.repeatable and not self._container.answered:
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

    async def _prepare_retry(self, error: ProviderError, model: OpenModel, tries: "_Tries") -> None:
        """Shorten the context, or wait, before the model is asked again.

        Raises:
            ProviderError: ``error``, when the policy allows no retry.
        """
        shown = self._container.break_off(error.code.value)
        if error.code is ErrorCode.CONTEXT_TOO_LONG and not shown and tries.shrinks < _SHRINKS:
            tries.shrinks += 1
            await self._shrink(model, error)
            return
        may = self.repeatable and not (shown and self._input.aloud)
        pause = tries.retries.after(error) if may else None
        if pause is None:
            raise error
        tries.retries = pause.retries
        await self._wait(error, pause, shown=shown)

    async def _reply(self, model: OpenModel, request: ModelRequest) -> InferenceResult:
        """What the model makes of the request; asked once more where that is of no use."""
        question, language = self._input.question, self._input.language
        *earlier, newest = request.messages
        if model.tools_told and request.tools and earlier and not newest.attachments:
            # In a conversation without calls a small model makes none, and after a call it makes one of everything.
            # So it chooses by the request alone, and answers in words by the whole conversation.
            chosen = await self._run(model.backend, model.choice, self._aside(model, request), OnlyCalls())
            if chosen.tool_calls and grounded(chosen.tool_calls, self._input.request):
                self._container.aside = True
                return chosen
            self._container.withdraw()
            request = replace(request, tools=())
        # Large models follow the prompt, and what they say of their maker is true.
        gate = AnswerGate(language, question, as_sori=model.known.small)
        result = await self._run(model.backend, model.choice, request, self._once(model, gate))
        if again := self._reworded(model, request, result):
            self._container.withdraw()
            result = await self._run(model.backend, model.choice, again, self._once(model, AnswerGate("", question)))
        return result

    def _once(self, model: OpenModel, gate: Gate) -> Gate:
        """The gate; of a small model, what it says again and again is not let through it."""
        return RepetitionGate(gate, self._input.question) if model.known.small else gate

    def _aside(self, model: OpenModel, request: ModelRequest, added: Sequence[ModelMessage] = ()) -> ModelRequest:
        """The request without the conversation before it."""
        asked = request_alone(self._sent.messages, self._input.request)
        return replace(request, messages=model.worded((*asked, *added)), aside=True)

    def _reworded(self, model: OpenModel, request: ModelRequest, result: InferenceResult) -> ModelRequest | None:
        """What to ask once more, of a model whose reply is of no use and was not shown; ``None`` where it is of use."""
        if result.wrong:
            key = "context.only_sori" if result.wrong == "identity" else f"context.only_{self._input.language}"
            return replace(request, messages=with_order(request.messages, self._input.texts(key)))
        if result.text.strip():
            return None
        unusable = result.finished.refused_calls and not result.tool_calls
        if unusable or (model.tools_told and not grounded(result.tool_calls, self._input.request)):
            # A model that calls what it cannot, or nobody asked for, has to use words.
            return replace(request, tools=())
        return None

    async def _request(self, model: OpenModel, added: Sequence[ModelMessage], *, last: bool) -> ModelRequest:
        self._sent = await self._context(model, added)
        request = model.request(self._input.settings.llm, self._sent, added, tools=not last)
        if model.tools_told:
            # The prompt tells of all of them; which of them it may call now is for the grammar.
            request = replace(request, tools=tools_with_evidence(request.tools, self._input.request))
        if self._container.aside and model.tools_told:
            # What has come of a choice is told to who has chosen; it need not read the conversation for it.
            request = self._aside(model, request, added)
        return replace(request, answer_language=self._input.language)

    async def _context(self, model: OpenModel, added: Sequence[ModelMessage]) -> Context:
        """The conversation; where it is too long, its oldest messages in few words, and without them if need be."""
        llm = self._input.settings.llm
        context = model.fitting(llm, added, self._max_size)
        # Half of what fits is room for some more turns; with less, each of them would need a summary anew.
        if context.dropped and await self._compress(model, context):
            context = model.fitting(llm, added, self._max_size)
        if context.dropped:
            self._tell_trimmed()
        return context

    async def _compress(self, model: OpenModel, context: Context) -> bool:
        """Put the older half of a context into few words and say so, once a turn; whether that was done."""
        if self._input.compress is None or self._compressed:
            return False
        self._compressed = True
        size = max(0, context.size // 2 - len(context.system))
        with self._limit.counting():
            done = await self._input.compress(model.choice, size, self._limit.left_s / 2)
        if done:
            self._emitter.status("context_compressed", self._input.texts("chat.compressed"))
        return done

    def _tell_left_out(self, left_out: AttachmentLeftOut) -> None:
        if left_out.name in self._left_out:
            return
        self._left_out.add(left_out.name)
        name = left_out.name or left_out.mime_type
        self._emitter.status("attachment_left_out", self._input.texts(f"chat.left_out_{left_out.reason}", name=name))

    def _tell_trimmed(self) -> None:
        if not self._trimmed:
            self._trimmed = True
            self._emitter.status("context_trimmed", self._input.texts("chat.trimmed"))

    async def _shrink(self, model: OpenModel, error: ProviderError) -> None:
        """Make the context that was too long half as large, or raise ``error``."""
        half = max(1, self._sent.size // 2)
        if await self._compress(model, self._sent):
            return
        if len(model.compose(half).messages) >= len(self._sent.messages):
            raise error
        self._max_size = half
        self._tell_trimmed()

    async def _wait(self, error: ProviderError, pause: Pause, *, shown: bool) -> None:
        """Say what went wrong and how long it takes until the next try, and wait."""
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
