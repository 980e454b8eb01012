"""Streams replies from Gemini through the official ``google-genai`` SDK.

What the SDK does by itself, as seen of version 3.4 against a server that misbehaves, and is not wanted: it takes keys,
addresses and API versions from the environment, retries once aiohttp is installed, makes further requests to continue a
reply, takes a stream that was cut off for a whole one, and waits for a server that is slow to close.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
from google import genai
from google.genai import errors, types

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.backend import ModelDelta, ModelRequest
from assistant.llm.google_connection import Exchange, GoogleHttpClient
from assistant.llm.google_errors import translated
from assistant.llm.google_format import ReplyAssembler, config_of, contents_of
from assistant.llm.openai_format import Endpoint

_TAIL_S = 0.5
"""How long to wait for the end of the body once the model has stopped."""

_API_VERSION = "v1"
"""The version that an address without one is asked for."""

_VERSIONED = re.compile(r"(.*?)/(v\d+\w*)/?")

_OURS = frozenset({"http_options", "httpOptions", "automatic_function_calling", "automaticFunctionCalling"})
"""What ``extra`` may not change: how requests are made, and who runs tools."""


@dataclass(slots=True, kw_only=True)
class _Client:
    endpoint: Endpoint
    sdk: genai.Client
    http: GoogleHttpClient
    users: int = 0
    retired: bool = False


@dataclass(slots=True, kw_only=True)
class _Clients:
    """Clients by the provider's name, and what keeps two of one from being made at a time."""

    by_provider: dict[str, _Client] = field(default_factory=dict)
    making: asyncio.Lock = field(default_factory=asyncio.Lock)


class GoogleChat:
    """Keeps one SDK client a provider, and streams replies through it. Lives on one event loop."""

    def __init__(self) -> None:
        self._clients = _Clients()

    async def stream(self, endpoint: Endpoint, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Run one inference; closing the generator closes the connection.

        Raises:
            ProviderError: as in ``ProviderBackend.stream``.
        """
        reply = ReplyAssembler(endpoint.provider)
        exchange = Exchange()
        async with self._client(endpoint) as sdk:
            with translated(endpoint, exchange):
                chunks = await _opened(sdk, request)
                try:
                    while (chunk := await _next(chunks, exchange, reply)) is not None:
                        for delta in reply.take(chunk):
                            yield delta
                finally:
                    await exchange.end(chunks)
        for delta in reply.end():
            yield delta

    async def prepare(self, endpoint: Endpoint) -> None:
        """Make the provider's client, which the first request would otherwise wait for.

        Raises:
            ProviderError: the key or the address cannot be one.
        """
        await self._current(endpoint)

    async def model_names(self, endpoint: Endpoint) -> tuple[str, ...]:
        """The models that the server lists and that generate content.

        Raises:
            ProviderError: the list is not to be had.
        """
        names: list[str] = []
        async with self._client(endpoint) as sdk:
            with translated(endpoint, Exchange()):
                async for model in await sdk.aio.models.list():
                    actions = model.supported_actions
                    if model.name and (actions is None or "generateContent" in actions):
                        names.append(model.name.removeprefix("models/"))
        return tuple(names)

    async def close(self) -> None:
        """Close every client."""
        clients, self._clients = self._clients, _Clients()
        for client in clients.by_provider.values():
            await _close(client)

    @asynccontextmanager
    async def _client(self, endpoint: Endpoint) -> AsyncIterator[genai.Client]:
        """The provider's client, made anew when its data has changed; the old one closes after its last stream."""
        client = await self._current(endpoint)
        client.users += 1
        try:
            yield client.sdk
        finally:
            client.users -= 1
            if client.retired:
                await _retire(client)

    async def _current(self, endpoint: Endpoint) -> _Client:
        kept = self._clients
        async with kept.making:
            client = kept.by_provider.get(endpoint.provider)
            if client is not None and client.endpoint == endpoint:
                return client
            if not (endpoint.key.isascii() and endpoint.key.isprintable()):
                detail = "the API key has characters that no key has"
                raise ProviderError(ErrorCode.AUTHENTICATION, detail, provider=endpoint.provider)
            with translated(endpoint, Exchange()):
                # A quarter of a second, most of it for reading the system's certificates several times over.
                made = await asyncio.to_thread(_made, endpoint)
            kept.by_provider[endpoint.provider] = made
        if client is not None:
            await _retire(client)
        return made


def _build_models() -> None:
    """Let the SDK build what checks its requests and replies: it does so at the first of each, on the event loop."""
    candidate = {"content": {"role": "model", "parts": [{"text": ""}]}, "finish_reason": "STOP"}
    types.GenerateContentResponse.model_validate({"candidates": [candidate], "usage_metadata": {}})
    types.GenerateContentConfig.model_validate({"system_instruction": ""})


async def _retire(client: _Client) -> None:
    client.retired = True
    if not client.users:
        await _close(client)


async def _close(client: _Client) -> None:
    await client.sdk.aio.aclose()
    client.sdk.close()
    await client.http.aclose()


def _made(endpoint: Endpoint) -> _Client:
    """A client that takes nothing from the environment that was meant for another server; takes a while."""
    versioned = _VERSIONED.fullmatch(endpoint.base_url)
    _build_models()
    root, version = versioned.groups() if versioned else (endpoint.base_url, _API_VERSION)
    http = GoogleHttpClient(endpoint)
    options = types.HttpOptions(
        base_url=root,
        api_version=version,
        retry_options=types.HttpRetryOptions(attempts=1),
        httpx_async_client=http,
    )
    sdk = genai.Client(vertexai=False, api_key=endpoint.key or "none", http_options=options)
    return _Client(endpoint=endpoint, sdk=sdk, http=http)


async def _opened(sdk: genai.Client, request: ModelRequest) -> AsyncIterator[types.GenerateContentResponse]:
    """The SDK's stream, which sends the request when its first chunk is asked for.

    Raises:
        ValueError: the request cannot be put in Gemini's words.
    """
    # Turned into the SDK's types here, as dictionaries of theirs are a union that no checker can tell apart.
    contents: Any = [types.Content.model_validate(each) for each in contents_of(request)]
    return await sdk.aio.models.generate_content_stream(model=request.model, contents=contents, config=_config(request))


def _config(request: ModelRequest) -> types.GenerateContentConfig:
    """The configuration with ``extra`` merged last: what the SDK knows by name, and the rest into the body as it is."""
    config = config_of(request)
    known = types.GenerateContentConfig.model_fields
    names = {field.alias or name: name for name, field in known.items()} | {name: name for name in known}
    extra = {name: value for name, value in request.extra.items() if name not in _OURS}
    config.update({names[name]: value for name, value in extra.items() if name in names})
    body = {name: value for name, value in extra.items() if name not in names}
    if body:
        config["http_options"] = types.HttpOptions(extra_body=body)
    return types.GenerateContentConfig.model_validate(config)


async def _next(
    chunks: AsyncIterator[types.GenerateContentResponse], exchange: Exchange, reply: ReplyAssembler
) -> types.GenerateContentResponse | None:
    """The next chunk; ``None`` when there is none, or soon after the reply has finished."""
    try:
        if not reply.finished:
            return await exchange.next(chunks)
        async with asyncio.timeout(_TAIL_S):
            return await exchange.next(chunks)
    except StopAsyncIteration:
        return None
    except (TimeoutError, errors.APIError, httpx2.HTTPError, ValueError):
        # After the finish reason the reply is whole, however the connection ends.
        if reply.finished:
            return None
        raise
