"""Streams messages through the official ``anthropic`` SDK.

What the SDK does not do by itself, as seen of version 2.12 against a server that misbehaves: a 200 with HTML, or a
stream cut off cleanly, is a silent empty success there; both are errors here. After ``message_stop`` it waits until the
server hangs up; this does not. Its retries are off: there is one retry policy for all providers, and it is not this.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import anthropic
import httpx2
from anthropic import AsyncAnthropic, AsyncStream, Omit

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.anthropic.dialect import (
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
from assistant.llm.anthropic.format import has_signatures, request_body, without_signatures
from assistant.llm.anthropic.reply import ReplyAssembler
from assistant.llm.backend import ModelDelta, ModelRequest
from assistant.llm.facts.chat_models import chat_models_of
from assistant.llm.facts.learnt_dialects import LearntDialects, ModelMemory
from assistant.llm.transport.answer_bodies import content_type, is_event_stream, not_an_answer, whole_reply
from assistant.llm.transport.endpoint import Endpoint
from assistant.llm.transport.recorded_requests import errand
from assistant.llm.transport.sdk_clients import TIMEOUT, SdkClients, http_options
from assistant.llm.transport.server_errors import stream_error, words_of

_log = logging.getLogger(__name__)

_OFFICIAL_URL = "https://api.anthropic.com"
"""Known to speak the SDK's own, newest version of the API."""

_TAIL_S = 0.5
"""How long to wait for ``message_stop`` once the model has said why it stopped."""

_DRAIN_S = 0.05
"""How long the end of the body may take after ``message_stop``; it comes with it, and frees the connection."""

_RESUMES = 8
"""How often a reply that the server pauses is gone on with."""

_UNLISTED = frozenset(
    {ErrorCode.MODEL_NOT_FOUND, ErrorCode.INVALID_REQUEST, ErrorCode.INVALID_RESPONSE, ErrorCode.PERMISSION}
)
"""What a server without a models endpoint, or a key that may not read it, answers there."""

_Stream = AsyncStream[Any]


class AnthropicChat:
    """Keeps one SDK client a provider, and streams replies through it. Lives on one event loop."""

    def __init__(self, learnt: ModelMemory | None = None) -> None:
        self._clients = SdkClients(_sdk_client)
        self._learnt = LearntDialects(f"anthropic {anthropic.__version__}", Dialect, learnt)
        self._asking: dict[tuple[str, str], asyncio.Lock] = {}

    async def stream(self, endpoint: Endpoint, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Run one inference; closing the generator closes the connection.

        Raises:
            ProviderError: as in ``ProviderBackend.stream``.
        """
        reply = ReplyAssembler(endpoint.provider)
        resumed: list[dict[str, Any]] = []
        async with self._clients.use(endpoint) as sdk:
            for _ in range(_RESUMES):
                with translated(endpoint.provider, endpoint.key):
                    stream = await _Asking(self, sdk, endpoint, request, resumed).open()
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
            ErrorCode.INCOMPLETE, "the server paused the turn again and again", provider=endpoint.provider
        )

    async def prepare(self, endpoint: Endpoint) -> None:
        """Make the provider's client.

        Raises:
            ProviderError: the key or the address cannot be one.
        """
        await self._clients.prepare(endpoint)

    async def model_names(self, endpoint: Endpoint) -> tuple[str, ...]:
        """The models to talk with that the server lists.

        Raises:
            ProviderError: the list is not to be had.
        """
        async with self._clients.use(endpoint) as sdk:
            with translated(endpoint.provider, endpoint.key), errand("list_models"):
                page = await _get(sdk, endpoint, "/v1/models?limit=1000")
        return chat_models_of(page, endpoint.provider)

    async def close(self) -> None:
        """Close every client."""
        await self._clients.close()

    def dialect(self, endpoint: Endpoint, model: str) -> Dialect:
        """What is known by now of what a model takes."""
        named = dialect_of(model, newest_version=_root(endpoint.base_url) == _OFFICIAL_URL)
        return self._learnt.dialect(endpoint, model, named)

    def learn(self, endpoint: Endpoint, model: str, dialect: Dialect) -> None:
        """Remember what a model takes."""
        self._learnt.learn(endpoint, model, dialect)

    def doubt(self, endpoint: Endpoint, model: str, words: str) -> Dialect | None:
        """The dialect to begin anew with, when a refusal may mean that what was remembered does not hold any more."""
        return self.dialect(endpoint, model) if self._learnt.doubtful(endpoint, model, words) else None

    def max_tokens(self, endpoint: Endpoint, model: str) -> int | None:
        """The model's longest answer, where it is known."""
        return self._learnt.max_tokens(endpoint, model)

    def learn_max_tokens(self, endpoint: Endpoint, model: str, longest: int) -> None:
        """Remember a model's longest answer."""
        self._learnt.learn_max_tokens(endpoint, model, longest)

    def asking(self, endpoint: Endpoint, model: str) -> asyncio.Lock:
        """Held by whoever finds out a model's longest answer, so that concurrent first requests ask once."""
        return self._asking.setdefault((endpoint.base_url, model), asyncio.Lock())


class _Asking:
    """One request, made until the server takes its form.

    Args:
        chat: what is known of models.
        sdk: the provider's client.
        endpoint: who is asked.
        request: what is asked.
        resumed: messages that follow the request's own: a reply that was paused.
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
        """The reply's stream."""
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
        """What the models endpoint says; it also tells what the model takes."""
        model = self._request.model
        try:
            with translated(self._endpoint.provider, self._endpoint.key), errand("model_facts"):
                info = await _get(self._sdk, self._endpoint, f"/v1/models/{model}")
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
        """Ask for more than any model writes: the reply, if the server takes it, or the maximum that its refusal names.

        Only what the server itself said is remembered.
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
        """Send the request; what the server refuses is said another way, and so from then on if that is taken."""
        endpoint, request = self._endpoint, self._request
        # What the probe was refused holds for the request after it.
        dialect = self._otherwise or self._chat.dialect(endpoint, request.model)
        while True:
            body = self._body(dialect, max_tokens)
            try:
                with errand(purpose or request.purpose, request):
                    stream = await self._post(body)
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

    async def _post(self, body: dict[str, Any]) -> _Stream:
        return await self._sdk.post(
            "/v1/messages",
            cast_to=object,
            body=body,
            options={"headers": _headers(self._endpoint)},
            stream=True,
            stream_cls=_Stream,
        )


async def _get(sdk: AsyncAnthropic, endpoint: Endpoint, path: str) -> dict[str, Any]:
    answer = await sdk.get(path, cast_to=object, options={"headers": _headers(endpoint)})
    if not isinstance(answer, dict):
        raise ProviderError(ErrorCode.INVALID_RESPONSE, f"{path} is not JSON", provider=endpoint.provider)
    return answer


def _sdk_client(endpoint: Endpoint) -> AsyncAnthropic:
    """A client that takes nothing from the environment that was meant for another server."""
    with translated(endpoint.provider, endpoint.key):
        options = http_options(endpoint, named_events=True)
    return AsyncAnthropic(
        # Without a key of its own the SDK looks for one in the environment and in the user's files.
        api_key=endpoint.key or "none",
        base_url=_root(endpoint.base_url),
        max_retries=0,
        timeout=TIMEOUT,
        open_telemetry=False,
        http_client=anthropic.DefaultAsyncHttpxClient(**options),
    )


def _root(base_url: str) -> str:
    """The SDK adds the version of the path, which many write into an address."""
    return base_url.rstrip("/").removesuffix("/v1")


def _headers(endpoint: Endpoint) -> dict[str, Any]:
    """Headers of one request, over any that the environment adds; the SDK must be told that a missing key is meant."""
    return {"X-Api-Key": endpoint.key or Omit(), "Authorization": Omit()}


async def _events(stream: _Stream, endpoint: Endpoint, reply: ReplyAssembler) -> AsyncGenerator[dict[str, Any], None]:
    """The events of a stream, whatever the server calls one, up to ``message_stop``."""
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
            # The SDK passes over events that are not this API's.
            if not number and (
                content_type(stream.response) != "text/event-stream" or stream.response.num_bytes_downloaded
            ):
                raise not_an_answer(stream.response, endpoint) from None
            return
        except (TimeoutError, anthropic.AnthropicError, httpx2.HTTPError, ValueError):
            # After the stop reason the reply is whole, however the connection ends.
            if reply.finished:
                return
            raise
        if isinstance(event, dict) and event.get("type") == "error":
            raise stream_error(event, endpoint.provider, endpoint.key)
        number += 1
        yield event


async def _drain(stream: _Stream, reply: ReplyAssembler) -> None:
    """Read the end of the body, so that the connection can be used again; not for long."""
    if not reply.stopped:
        return
    try:
        async with asyncio.timeout(_DRAIN_S):
            async for _ in stream:
                pass
    except (TimeoutError, anthropic.AnthropicError, httpx2.HTTPError, ValueError):
        _log.debug("the server did not end its reply")
