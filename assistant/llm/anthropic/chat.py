"""Streams messages through the official ``anthropic`` SDK.

The SDK (version 2.12) treats a 200 response with HTML and a cleanly cut stream as an empty success. Both are errors
here. After ``message_stop`` the SDK waits until the server closes the connection. This module does not wait. The SDK's
retries are off because one retry policy covers all providers.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import anthropic
import httpx2
from anthropic import AsyncAnthropic, AsyncStream, Omit

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.anthropic.dialect import (
    API_VERSION,
    DEFAULT_MAX_TOKENS,
    PROBE_MAX_TOKENS,
    Dialect,
    about_max_tokens,
    after_refusal,
    dialect_of,
    max_tokens_in,
    max_tokens_told,
    told,
)
from assistant.llm.anthropic.errors import translated
from assistant.llm.anthropic.format import has_signatures, one_type_each, request_body, without_signatures
from assistant.llm.anthropic.reply import ReplyAssembler
from assistant.llm.backend import ModelDelta, ModelRequest
from assistant.llm.facts.chat_models import chat_models_of
from assistant.llm.facts.learnt_dialects import LearntDialects, ModelMemory
from assistant.llm.sdk_chat import SdkChat
from assistant.llm.transport.answer_bodies import content_type, is_event_stream, not_an_answer, whole_reply
from assistant.llm.transport.endpoint import Endpoint
from assistant.llm.transport.recorded_requests import errand
from assistant.llm.transport.sdk_clients import TIMEOUT, KeepsClients, http_options
from assistant.llm.transport.server_errors import words_of

_log = logging.getLogger(__name__)

_OFFICIAL_URL = "https://api.anthropic.com"

_SERVER = ""
"""Name under which it is remembered what holds for every model of a server."""

_TAIL_S = 0.5
"""Seconds to wait for ``message_stop`` after the stop reason."""

_DRAIN_S = 0.05
"""Seconds to wait for the end of the body after ``message_stop``. Reading it to the end frees the connection."""

_RESUMES = 8
"""Most requests for one reply, the first one included, when the server pauses the turn."""

_UNLISTED = frozenset(
    {ErrorCode.MODEL_NOT_FOUND, ErrorCode.INVALID_REQUEST, ErrorCode.INVALID_RESPONSE, ErrorCode.PERMISSION}
)
"""Error codes of a server without a models endpoint, or of a key that may not read it."""

_Stream = AsyncStream[Any]


class AnthropicChat(KeepsClients[AsyncAnthropic], SdkChat):
    """Streams replies through one SDK client per provider. Lives on one event loop."""

    def __init__(self, learnt: ModelMemory | None = None) -> None:
        super().__init__(_sdk_client)
        self._learnt = LearntDialects(f"anthropic {anthropic.__version__}", Dialect, learnt)
        self._asking: dict[tuple[str, str], asyncio.Lock] = {}

    async def stream(self, endpoint: Endpoint, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Run one inference; closing the generator closes the connection.

        Raises:
            ProviderError: as in ``ProviderBackend.stream``.
        """
        request = _with_known_keywords(request)
        reply = ReplyAssembler(endpoint.provider)
        resumed: list[dict[str, Any]] = []
        async with self._clients.use(endpoint) as sdk:
            for _ in range(_RESUMES):
                with translated(endpoint.provider, endpoint.key):
                    stream = await _Attempt(self, sdk, endpoint, request, resumed).open()
                    try:
                        async with aclosing(_events(stream, endpoint, reply)) as events:
                            async for event in events:
                                for delta in reply.take(event):
                                    yield delta
                        if not reply.paused:
                            for delta in reply.end():
                                yield delta
                            await _drain(stream, reply)
                            return
                    finally:
                        await stream.close()
                resumed = [{"role": "assistant", "content": reply.resume()}]
        raise ProviderError(
            ErrorCode.INCOMPLETE, "the server paused the answer too many times", provider=endpoint.provider
        )

    async def model_names(self, endpoint: Endpoint) -> tuple[str, ...]:
        """The chat models that the server lists.

        Raises:
            ProviderError: the list cannot be read.
        """
        async with self._clients.use(endpoint) as sdk:
            with translated(endpoint.provider, endpoint.key), errand("list_models"):
                asked = sdk.get("/v1/models?limit=1000", cast_to=object, options={"headers": _headers(endpoint)})
                page = _as_object(await asked, endpoint)
        return chat_models_of(page, endpoint.provider)

    def dialect(self, endpoint: Endpoint, model: str) -> Dialect:
        """The current dialect of a model: from its name, and from what the server has taught."""
        named = dialect_of(model, official=_root(endpoint.base_url) == _OFFICIAL_URL)
        # A version of the API that has no temperature has none for any model.
        temperature = named.temperature and self._learnt.dialect(endpoint, _SERVER, named).temperature
        return self._learnt.dialect(endpoint, model, replace(named, temperature=temperature))

    def learn(self, endpoint: Endpoint, model: str, dialect: Dialect) -> None:
        """Remember the dialect of a model, and of its server that it accepts no temperature."""
        self._learnt.learn(endpoint, model, dialect)
        if (
            not dialect.temperature
            and self._learnt.dialect(endpoint, _SERVER, dialect_of("", official=False)).temperature
        ):
            self._learnt.learn(endpoint, _SERVER, replace(dialect_of("", official=False), temperature=False))

    def doubt(self, endpoint: Endpoint, model: str, words: str) -> Dialect | None:
        """The dialect to start again with if a refusal may mean that the remembered one is outdated, else ``None``."""
        return self.dialect(endpoint, model) if self._learnt.doubtful(endpoint, model, words) else None

    def max_tokens(self, endpoint: Endpoint, model: str) -> int | None:
        """The model's maximum of output tokens, or ``None`` when it is unknown."""
        return self._learnt.max_tokens(endpoint, model)

    def learn_max_tokens(self, endpoint: Endpoint, model: str, longest: int) -> None:
        """Remember a model's maximum of output tokens."""
        self._learnt.learn_max_tokens(endpoint, model, longest)

    def asking(self, endpoint: Endpoint, model: str) -> asyncio.Lock:
        """The lock to hold while finding a model's maximum, so that concurrent first requests ask for it once."""
        return self._asking.setdefault((endpoint.base_url, model), asyncio.Lock())


class _Attempt:
    """One request, adapted until the server accepts its form.

    Args:
        chat: keeps dialects and maxima of models.
        sdk: the provider's client.
        endpoint: the server.
        request: the request.
        resumed: messages to append to the request's own: the content of a paused reply.
    """

    def __init__(
        self,
        chat: AnthropicChat,
        sdk: AsyncAnthropic,
        endpoint: Endpoint,
        request: ModelRequest,
        resumed: list[dict[str, Any]],
    ) -> None:
        self._chat = chat
        self._sdk = sdk
        self._endpoint = endpoint
        self._request = request
        self._resumed = resumed
        self._signed = True
        self._otherwise: Dialect | None = None

    async def open(self) -> _Stream:
        """Send the request and return the reply's stream."""
        wanted = self._request.max_output_tokens or self._request.extra.get("max_tokens")
        longest = wanted or self._chat.max_tokens(self._endpoint, self._request.model)
        if longest is not None:
            try:
                return await self._send(longest)
            except (anthropic.BadRequestError, anthropic.UnprocessableEntityError):
                if wanted or self._chat.max_tokens(self._endpoint, self._request.model) is not None:
                    raise
                _log.info("%s does not take what it once did", self._endpoint.provider)
        async with self._chat.asking(self._endpoint, self._request.model):
            longest = self._chat.max_tokens(self._endpoint, self._request.model) or await self._told()
            if longest is None:
                stream, longest = await self._probe()
                if stream is not None:
                    return stream
        return await self._send(longest)

    async def _told(self) -> int | None:
        """Ask the models endpoint for the model's maximum, and learn its dialect from the same answer."""
        model = self._request.model
        try:
            with translated(self._endpoint.provider, self._endpoint.key), errand("model_facts"):
                asked = self._sdk.get(
                    f"/v1/models/{model}", cast_to=object, options={"headers": _headers(self._endpoint)}
                )
                info = _as_object(await asked, self._endpoint)
        except ProviderError as error:
            if error.code not in _UNLISTED:
                raise
            return None
        self._chat.learn(self._endpoint, model, told(self._chat.dialect(self._endpoint, model), info))
        longest = max_tokens_told(info)
        if longest is not None:
            self._chat.learn_max_tokens(self._endpoint, model, longest)
        return longest

    async def _probe(self) -> tuple[_Stream | None, int]:
        """Send the request with a maximum larger than any model's.

        Returns the stream and that maximum if the server accepts it. Otherwise the stream is ``None`` and the maximum
        is the one that the refusal names, or ``DEFAULT_MAX_TOKENS``. Only a maximum from the server is remembered.
        """
        model = self._request.model
        try:
            stream = await self._send(PROBE_MAX_TOKENS, purpose="model_facts")
        except (anthropic.BadRequestError, anthropic.UnprocessableEntityError) as error:
            words = words_of(error.body) or error.message
            if not about_max_tokens(words):
                raise
            longest = max_tokens_in(words)
            if longest is None:
                _log.warning("%s does not say how long %s may answer", self._endpoint.provider, model)
                return None, DEFAULT_MAX_TOKENS
        else:
            self._chat.learn_max_tokens(self._endpoint, model, PROBE_MAX_TOKENS)
            return stream, PROBE_MAX_TOKENS
        self._chat.learn_max_tokens(self._endpoint, model, longest)
        return None, longest

    async def _send(self, max_tokens: int, purpose: str = "") -> _Stream:
        """Send the request. After a refusal try another dialect, and remember the one that the server accepts."""
        endpoint, request = self._endpoint, self._request
        # A dialect that was refused during the probe is refused for the next request too.
        dialect = self._otherwise or self._chat.dialect(endpoint, request.model)
        while True:
            body = self._body(dialect, max_tokens)
            try:
                with errand(purpose or request.purpose, request):
                    stream = await self._sdk.post(
                        "/v1/messages",
                        cast_to=object,
                        body=body,
                        options={"headers": _headers(endpoint)},
                        stream=True,
                        stream_cls=_Stream,
                    )
            except (anthropic.BadRequestError, anthropic.UnprocessableEntityError) as error:
                words = words_of(error.body) or error.message
                if self._signed and has_signatures(body) and "signature" in words.lower():
                    self._signed = False
                    continue
                other = after_refusal(dialect, words, body, request.extra) or self._chat.doubt(
                    endpoint, request.model, words
                )
                if other is None:
                    raise
                _log.info("%s refuses how %s was asked; trying another way", endpoint.provider, request.model)
                self._otherwise = dialect = other
            else:
                if self._otherwise is not None:
                    self._chat.learn(endpoint, request.model, self._otherwise)
                return stream

    def _body(self, dialect: Dialect, max_tokens: int) -> dict[str, Any]:
        body = request_body(self._request, dialect, max_tokens)
        body["messages"] = [*body["messages"], *self._resumed]
        if not self._signed:
            body = without_signatures(body)
        return {**body, "model": self._request.model, "stream": True}


def _with_known_keywords(request: ModelRequest) -> ModelRequest:
    """The request with a schema that the API knows: other keywords are told in descriptions, and objects are closed."""
    if request.schema is None:
        return request
    try:
        return replace(request, schema=anthropic.transform_schema(one_type_each(request.schema)))
    except (ValueError, TypeError, AssertionError):
        # A part without a type, or that allows anything, has no form in the API. A tool's arguments may have any.
        return request


def _as_object(answer: object, endpoint: Endpoint) -> dict[str, Any]:
    """An answer of the models endpoint as a JSON object."""
    if not isinstance(answer, dict):
        detail = "the answer of the models endpoint is not a JSON object"
        raise ProviderError(ErrorCode.INVALID_RESPONSE, detail, provider=endpoint.provider)
    return answer


def _sdk_client(endpoint: Endpoint) -> AsyncAnthropic:
    """A client that ignores settings of the environment that are meant for another server."""
    with translated(endpoint.provider, endpoint.key):
        options = http_options(endpoint, named_events=True)
    return AsyncAnthropic(
        # Without a key of its own the SDK looks for one in the environment and in the user's files.
        api_key=endpoint.key or "none",
        base_url=_root(endpoint.base_url),
        max_retries=0,
        timeout=TIMEOUT,
        open_telemetry=False,
        default_headers={"anthropic-version": API_VERSION},
        http_client=anthropic.DefaultAsyncHttpxClient(**options),
    )


def _root(base_url: str) -> str:
    """The address without the version, which the SDK adds and which many users include."""
    return base_url.rstrip("/").removesuffix("/v1")


def _headers(endpoint: Endpoint) -> dict[str, Any]:
    """Headers that override those from the environment. ``Omit`` tells the SDK that there is no key."""
    return {"X-Api-Key": endpoint.key or Omit(), "Authorization": Omit()}


async def _events(stream: _Stream, endpoint: Endpoint, reply: ReplyAssembler) -> AsyncGenerator[dict[str, Any], None]:
    """The events of a stream up to ``message_stop``, whatever the event names of the server."""
    if not is_event_stream(stream.response):
        yield await whole_reply(stream.response, endpoint, "content")
        return
    number = 0
    while not reply.stopped:
        try:
            if reply.finished:
                async with asyncio.timeout(_TAIL_S):
                    event = await anext(stream)
            else:
                event = await anext(stream)
        except StopAsyncIteration:
            # The SDK drops events that do not belong to this API.
            if not number and (
                content_type(stream.response) != "text/event-stream" or stream.response.num_bytes_downloaded
            ):
                raise not_an_answer(stream.response, endpoint) from None
            return
        except (TimeoutError, anthropic.AnthropicError, httpx2.HTTPError, ProviderError, ValueError):
            # After the stop reason the reply is complete, however the connection ends.
            if reply.finished:
                return
            raise
        number += 1
        yield event


async def _drain(stream: _Stream, reply: ReplyAssembler) -> None:
    """Read the end of the body for up to ``_DRAIN_S``, so that the connection can be used again."""
    if not reply.stopped:
        return
    try:
        async with asyncio.timeout(_DRAIN_S):
            async for _ in stream:
                pass
    except (TimeoutError, anthropic.AnthropicError, httpx2.HTTPError, ProviderError, ValueError):
        _log.debug("the server did not end its reply")
