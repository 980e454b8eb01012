"""Streams chat completions through the official ``openai`` SDK, for every provider that speaks its format.

What the SDK does not do by itself, as seen of version 3.54 against a server that misbehaves: a 200 with HTML, or a
stream cut off cleanly, is a silent empty success there; both are errors here. Its retries are off: there is one retry
policy for all providers, and it is not this.
"""

import asyncio
import ipaddress
import json
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
import openai
from openai import AsyncOpenAI, AsyncStream, Omit, RequestOptions

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.backend import ModelDelta, ModelRequest
from assistant.llm.openai_errors import stream_error, translated
from assistant.llm.openai_format import Endpoint, ReplyAssembler, request_body

_log = logging.getLogger(__name__)

_CONNECT_S = 10.0
_SEND_S = 60.0
_TAIL_S = 0.5
"""How long to wait for the token counts, which come after the finish reason, and for the end of the body."""

_LONGEST_BODY = 1 << 20
"""How much of a body that is not a stream is read: more than any reply, less than a download."""

_SUBSTITUTES = {"stream_options": "", "max_completion_tokens": "max_tokens"}
"""Parameters that older compatible servers refuse, and what they know instead; empty for nothing."""


@dataclass(slots=True, kw_only=True)
class _Client:
    endpoint: Endpoint
    sdk: AsyncOpenAI
    users: int = 0
    retired: bool = False


class OpenAIChat:
    """Keeps one SDK client a provider, and streams replies through it. Lives on one event loop."""

    def __init__(self) -> None:
        self._clients: dict[str, _Client] = {}
        self._refused: dict[str, set[str]] = {}

    async def stream(self, endpoint: Endpoint, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Run one inference; closing the generator closes the connection.

        Raises:
            ProviderError: as in ``ProviderBackend.stream``.
        """
        reply = ReplyAssembler(endpoint.provider)
        async with self._client(endpoint) as sdk:
            with translated(endpoint.provider, endpoint.key):
                stream = await self._open(sdk, endpoint, request)
                try:
                    async with aclosing(_chunks(stream, endpoint, reply)) as chunks:
                        async for chunk in chunks:
                            for delta in reply.take(chunk):
                                yield delta
                finally:
                    await stream.close()
        for delta in reply.end():
            yield delta

    async def model_names(self, endpoint: Endpoint) -> tuple[str, ...]:
        """The models that the server lists.

        Raises:
            ProviderError: the list is not to be had.
        """
        async with self._client(endpoint) as sdk:
            with translated(endpoint.provider, endpoint.key):
                page = await sdk.get("/models", cast_to=object, options=_options(endpoint))
        listed = page.get("data") if isinstance(page, dict) else None
        if not isinstance(listed, list):
            raise ProviderError(ErrorCode.INVALID_RESPONSE, "the list of models is not one", provider=endpoint.provider)
        return tuple(str(each["id"]) for each in listed if isinstance(each, dict) and each.get("id"))

    async def close(self) -> None:
        """Close every client."""
        clients, self._clients = list(self._clients.values()), {}
        for client in clients:
            await client.sdk.close()

    async def _open(self, sdk: AsyncOpenAI, endpoint: Endpoint, request: ModelRequest) -> AsyncStream[Any]:
        """Send the request; a parameter that the server does not know is left out from then on."""
        refused = self._refused.setdefault(endpoint.base_url, set())
        body = {**request_body(request), "model": request.model, "stream": True}
        while True:
            try:
                return await sdk.post(
                    "/chat/completions",
                    cast_to=object,
                    body=_without(body, refused),
                    options=_options(endpoint),
                    stream=True,
                    stream_cls=AsyncStream[Any],
                )
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                unknown = _unknown_parameters(error) & body.keys() - refused
                if not unknown:
                    raise
                _log.info("%s does not know %s; leaving it out", endpoint.provider, ", ".join(sorted(unknown)))
                refused |= unknown

    @asynccontextmanager
    async def _client(self, endpoint: Endpoint) -> AsyncIterator[AsyncOpenAI]:
        """The provider's client, made anew when its data has changed; the old one closes after its last stream."""
        client = self._clients.get(endpoint.provider)
        if client is None or client.endpoint != endpoint:
            if client is not None:
                await _retire(client)
            if not (endpoint.key.isascii() and endpoint.key.isprintable()):
                detail = "the API key has characters that no key has"
                raise ProviderError(ErrorCode.AUTHENTICATION, detail, provider=endpoint.provider)
            with translated(endpoint.provider, endpoint.key):
                client = _Client(endpoint=endpoint, sdk=_sdk_client(endpoint))
            self._clients[endpoint.provider] = client
        client.users += 1
        try:
            yield client.sdk
        finally:
            client.users -= 1
            if client.retired:
                await _retire(client)


async def _retire(client: _Client) -> None:
    client.retired = True
    if not client.users:
        await client.sdk.close()


def _sdk_client(endpoint: Endpoint) -> AsyncOpenAI:
    """A client that takes nothing from the environment that was meant for another server."""
    # Limits on the answer are the deadline's; the SDK's own would be one more policy.
    timeout = httpx2.Timeout(None, connect=_CONNECT_S, write=_SEND_S, pool=None)
    # A proxy of the environment would be asked even for loopback.
    http_client = openai.DefaultAsyncHttpxClient(timeout=timeout, trust_env=not _is_loopback(endpoint.base_url))
    headers: dict[str, Any] = {
        "Authorization": f"Bearer {endpoint.key}" if endpoint.key else Omit(),
        "OpenAI-Organization": Omit(),
        "OpenAI-Project": Omit(),
    }
    return AsyncOpenAI(
        api_key=endpoint.key or "none",
        base_url=endpoint.base_url,
        max_retries=0,
        timeout=timeout,
        http_client=http_client,
        default_headers=headers,
    )


def _options(endpoint: Endpoint) -> RequestOptions:
    """Options of one request: the SDK must be told each time that a missing key is meant."""
    return {} if endpoint.key else {"headers": {"Authorization": Omit()}}


def _is_loopback(base_url: str) -> bool:
    host = httpx2.URL(base_url).host
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _without(body: dict[str, Any], refused: set[str]) -> dict[str, Any]:
    kept = {name: value for name, value in body.items() if name not in refused}
    for name in refused & body.keys():
        if substitute := _SUBSTITUTES[name]:
            kept[substitute] = body[name]
    return kept


def _unknown_parameters(error: openai.APIStatusError) -> set[str]:
    """The dispensable parameters that a refusal names."""
    body = error.body if isinstance(error.body, dict) else {}
    named = f"{body.get('param')} {error.message} {body.get('detail')}"
    return {name for name in _SUBSTITUTES if name in named}


async def _chunks(
    stream: AsyncStream[Any], endpoint: Endpoint, reply: ReplyAssembler
) -> AsyncGenerator[dict[str, Any], None]:
    """The chunks of a stream, whatever the server calls one; ends soon after the reply has finished."""
    if not _is_event_stream(stream.response):
        yield await _whole_body(stream.response, endpoint)
        return
    number = 0
    while True:
        try:
            async with asyncio.timeout(_TAIL_S if reply.finished else None):
                chunk = await anext(stream)
        except StopAsyncIteration:
            if not number and _content_type(stream.response) != "text/event-stream":
                raise _not_an_answer(stream.response, endpoint) from None
            return
        except (TimeoutError, openai.OpenAIError, httpx2.HTTPError, ValueError):
            # After the finish reason the reply is whole, however the connection ends.
            if reply.finished:
                return
            raise
        if isinstance(chunk, dict) and chunk.get("object") == "error":
            raise stream_error(chunk, endpoint.provider, endpoint.key)
        number += 1
        yield chunk


def _is_event_stream(response: httpx2.Response) -> bool:
    """Whether the body may be a stream: what is certainly something else is HTML or JSON."""
    others = {"text/html", "application/xhtml+xml", "application/json", "application/problem+json"}
    return _content_type(response) not in others


def _content_type(response: httpx2.Response) -> str:
    return response.headers.get("content-type", "").partition(";")[0].strip().lower()


def _not_an_answer(response: httpx2.Response, endpoint: Endpoint) -> ProviderError:
    kind = _content_type(response) or "something"
    detail = f"the server sent {kind} instead of an answer; is {endpoint.base_url} the root of an API?"
    return ProviderError(ErrorCode.INVALID_RESPONSE, detail, provider=endpoint.provider)


async def _whole_body(response: httpx2.Response, endpoint: Endpoint) -> dict[str, Any]:
    """A completion from a server that does not stream.

    Raises:
        ProviderError: the body is something else: an error told with status 200, a proxy's or a router's page.
    """
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > _LONGEST_BODY:
            break
    try:
        content = json.loads(body)
    except ValueError as error:
        raise _not_an_answer(response, endpoint) from error
    if isinstance(content, dict) and content.get("error"):
        raise stream_error(content["error"], endpoint.provider, endpoint.key)
    if not isinstance(content, dict) or not content.get("choices"):
        detail = "the server sent JSON that is not a chat completion"
        raise ProviderError(ErrorCode.INVALID_RESPONSE, detail, provider=endpoint.provider)
    return content
