"""Asks a model for a text outside of the loop that answers: a slot, a phrase, a summary, a title.

There are no tools, and nothing is stored but the usage. What such a request costs is counted for a conversation, and it
is in the egress ledger under its own purpose.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from assistant.agent.exchange_meter import ExchangeMeter
from assistant.agent.inference import metered
from assistant.agent.model_choice import ModelChoice, choose_for, is_embedded, next_choice
from assistant.core.clock import Clock
from assistant.core.errors import ErrorCode, ProviderError, SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.records.egress import DataClass
from assistant.core.records.usage import CANCELLED, COMPLETE
from assistant.llm.backend import (
    Finish,
    Finished,
    ModelDelta,
    ModelMessage,
    ModelRequest,
    ProviderBackend,
    TextDelta,
    ThoughtsBefore,
)
from assistant.llm.reply.argument_check import problems
from assistant.llm.retry import Retries

R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class AsideRequest:
    """A request for a text.

    Attributes:
        messages: the messages; the newest one is the request.
        system: the system prompt.
        schema: JSON Schema of an object (``ModelRequest.schema``): the reply is its JSON, and follows it.
        purpose: the purpose in the egress ledger.
        conversation: id of the conversation that the usage is counted for.
        longest: maximum characters of the reply.
        limit_s: maximum seconds of waiting for Sori's own server, and then of each model's reply.
        model: reference of the model that the user chose for the conversation; empty for that of the settings.
        language: ``ko`` or ``en``, the language that Sori's own server enforces in free text; empty for any.
        data: the kinds of user data in the messages.
    """

    messages: tuple[ModelMessage, ...]
    system: str
    schema: dict[str, Any] | None = None
    purpose: str
    conversation: str
    longest: int
    limit_s: float
    model: str = ""
    language: str = ""
    data: tuple[DataClass, ...] = (DataClass.CONVERSATION,)


@dataclass(frozen=True, slots=True, kw_only=True)
class AsideModel:
    """Asks models for texts.

    Attributes:
        live: the settings.
        clock: waits between retries.
        backend: returns the prepared backend of a model.
        meter: makes a meter for a conversation.
        own_server: held while Sori's own server answers a request.
    """

    live: LiveSettings
    clock: Clock
    backend: Callable[[ModelChoice], Awaitable[ProviderBackend]]
    meter: Callable[[str], ExchangeMeter]
    own_server: asyncio.Lock

    async def complete(self, request: AsideRequest) -> str:
        """The whole reply of the model that would answer in the conversation, or of a fallback.

        Raises:
            SoriError: no model has answered; ``incomplete`` for a free text that is cut or too long;
                ``invalid_response`` for a reply that does not follow the schema.
        """
        choices, asked = self._choices(request), self._asked(request)
        reply = await self._read(request.conversation, choices, asked, request.longest, request.limit_s)
        reply.check(request.schema)
        return reply.text.strip()

    async def stream(self, request: AsideRequest) -> AsyncGenerator[str, None]:
        """Yield a reply while it arrives.

        Close the generator (``aclosing``) to stop the model.

        Raises:
            SoriError: as in ``complete``. The text before it stays valid, except after ``invalid_response``: it does
                not follow the schema, or it was reasoning, which only a later part has shown.
        """
        choices, asked = self._choices(request), self._asked(request)
        reply, said = _Reply(request.longest), False
        async with aclosing(self._answer(reply, request.conversation, choices, asked, request.limit_s)) as deltas:
            async for delta in deltas:
                if isinstance(delta, ThoughtsBefore) and said:
                    detail = "the text so far was reasoning"
                    raise ProviderError(ErrorCode.INVALID_RESPONSE, detail, provider=reply.provider)
                if isinstance(delta, TextDelta):
                    said = True
                    yield delta.text
        reply.check(request.schema)

    async def ask(
        self, conversation: str, choice: ModelChoice, asked: ModelRequest, longest: int, limit_s: float
    ) -> str:
        """The reply of a certain model, if it is complete and not too long; empty otherwise.

        It does not wait for Sori's own server, because the turn that has it may be asking.

        Args:
            conversation: the conversation that the request is counted for.
            choice: the model.
            asked: the request.
            longest: maximum characters of the reply.
            limit_s: maximum seconds.

        Raises:
            SoriError: the model cannot be used, failed, or took too long (``timeout``).
        """
        reply = await self._read(conversation, (choice,), asked, longest, limit_s, once=True)
        return reply.text.strip() if reply.usable else ""

    def _choices(self, request: AsideRequest) -> Sequence[ModelChoice]:
        question = next((message.text for message in reversed(request.messages) if message.role == "user"), "")
        return choose_for(self.live.current, question, chosen=request.model).choices

    def _asked(self, request: AsideRequest) -> ModelRequest:
        """The request, without a model. The user's sampling is for free text."""
        llm = self.live.current.llm
        return ModelRequest(
            model="",
            system=request.system,
            messages=request.messages,
            schema=request.schema,
            temperature=llm.temperature if request.schema is None else None,
            max_output_tokens=llm.max_output_tokens,
            purpose=request.purpose,
            data=request.data,
            answer_language=request.language,
            # Sori's own server enforces the language for models that are told of their tools, of which there are none.
            tools_told=bool(request.language),
            aside=True,
        )

    async def _read(
        self,
        conversation: str,
        choices: Sequence[ModelChoice],
        asked: ModelRequest,
        longest: int,
        limit_s: float,
        *,
        once: bool = False,
    ) -> "_Reply":
        """The reply when nothing more of it is needed. The arguments are those of ``_answer``."""
        reply = _Reply(longest)
        async with aclosing(self._answer(reply, conversation, choices, asked, limit_s, once=once)) as deltas:
            async for _ in deltas:
                pass
        return reply

    async def _answer(
        self,
        reply: "_Reply",
        conversation: str,
        choices: Sequence[ModelChoice],
        asked: ModelRequest,
        limit_s: float,
        *,
        once: bool = False,
    ) -> AsyncGenerator[ModelDelta, None]:
        """Fill a reply, and yield its deltas. The first model that answers is read: after its text no other is asked.

        With ``once`` the first model is asked once, and does not wait for Sori's own server.
        """
        meter, outcome = self.meter(conversation), CANCELLED
        choice, *waiting = choices
        try:
            while True:
                reply.provider = choice.provider.name
                try:
                    async with AsyncExitStack() as entered:
                        if is_embedded(choice.provider) and not once:
                            limit = _Limit(limit_s, choice.provider.name)
                            await limit.wait_for(entered.enter_async_context(self.own_server))
                        tries = self._tries(meter, choice, asked, limit_s, once=once)
                        async for delta in await entered.enter_async_context(aclosing(tries)):
                            reply.take(delta)
                            yield delta
                            if reply.given_up:
                                return
                except SoriError as error:
                    other = None if reply.begun else next_choice(self.live.current, choice, error, waiting)
                    if other is None:
                        outcome = error.code.value
                        raise
                    meter.give_up(error.code.value)
                    del waiting[: waiting.index(other) + 1]
                    choice = other
                else:
                    outcome = COMPLETE if reply.begun else ErrorCode.EMPTY_RESPONSE.value
                    return
        finally:
            await meter.finish(outcome)

    async def _tries(
        self, meter: ExchangeMeter, choice: ModelChoice, asked: ModelRequest, limit_s: float, *, once: bool
    ) -> AsyncGenerator[ModelDelta, None]:
        """The deltas of one model, which is asked again after transient errors before its text."""
        limit, limits = _Limit(limit_s, choice.provider.name), self.live.current.llm
        backend = await limit.wait_for(self.backend(choice))
        request = replace(asked, model=choice.model, extra=choice.provider.extra)
        retries, said = Retries(), False
        while True:
            reply = metered(
                meter,
                backend,
                choice.provider,
                request,
                first_byte_s=limits.first_byte_timeout_s,
                loading_s=limits.loading_timeout_s,
            )
            try:
                async with aclosing(reply) as deltas:
                    while (delta := await limit.wait_for(anext(deltas, None))) is not None:
                        said = said or _is_text(delta)
                        yield delta
            except ProviderError as error:
                pause = None if said or once else retries.after(error)
                if pause is None or pause.seconds >= limit.left_s:
                    raise
                retries = pause.retries
                await self.clock.sleep(pause.seconds)
            else:
                return


class _Limit:
    """The time of one model.

    Args:
        limit_s: its seconds.
        provider: the provider's name, for the error.
    """

    def __init__(self, limit_s: float, provider: str) -> None:
        self._limit_s, self._provider = limit_s, provider
        self._ends = asyncio.get_running_loop().time() + limit_s

    @property
    def left_s(self) -> float:
        """Seconds left."""
        return self._ends - asyncio.get_running_loop().time()

    async def wait_for(self, awaited: Awaitable[R]) -> R:
        """Wait for something until the time is over.

        Raises:
            ProviderError: ``timeout``.
        """
        try:
            async with asyncio.timeout_at(self._ends):
                return await awaited
        except TimeoutError as error:
            detail = f"no whole reply within {self._limit_s:g} s"
            raise ProviderError(ErrorCode.TIMEOUT, detail, provider=self._provider, cause=error) from error


@dataclass(slots=True)
class _Reply:
    """A reply that may have ``longest`` characters."""

    longest: int
    provider: str = ""
    text: str = ""
    finish: Finish | None = None

    @property
    def given_up(self) -> bool:
        """A longer text is useless, and the rest of it would cost time and money."""
        return len(self.text) > 2 * self.longest

    @property
    def usable(self) -> bool:
        """Whether the reply is complete and not too long."""
        return self.finish is Finish.STOP and 0 < len(self.text.strip()) <= self.longest

    @property
    def begun(self) -> bool:
        """Whether text has come."""
        return bool(self.text.strip())

    def check(self, schema: dict[str, Any] | None) -> None:
        """Check that the reply is usable, and that it follows a schema if there is one.

        Raises:
            ProviderError: ``incomplete`` or ``invalid_response``.
        """
        if not self.usable:
            code = ErrorCode.INCOMPLETE if schema is None else ErrorCode.INVALID_RESPONSE
            detail = f"no whole reply of at most {self.longest} characters"
            raise ProviderError(code, detail, provider=self.provider)
        if schema is not None and (wrong := _wrong(schema, self.text)):
            raise ProviderError(ErrorCode.INVALID_RESPONSE, wrong, provider=self.provider)

    def take(self, delta: ModelDelta) -> None:
        """Add a delta."""
        match delta:
            case TextDelta(text=text):
                self.text += text
            case ThoughtsBefore():
                self.text = ""
            case Finished(reason=reason):
                self.finish = reason
            case _:
                pass


def _is_text(delta: ModelDelta) -> bool:
    return isinstance(delta, TextDelta) and bool(delta.text.strip())


def _wrong(schema: dict[str, Any], text: str) -> str:
    """Why a text is no JSON that follows the schema; empty if it is."""
    try:
        read = json.loads(text)
    except ValueError as error:
        return f"the reply is not JSON: {error}"
    return " ".join(problems(schema, read))
