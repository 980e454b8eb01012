"""Streams replies from Gemini through the official ``google-genai`` SDK.

The SDK (version 3.4) does several things by default that are prevented here. It takes keys, addresses and API versions
from the environment, retries once aiohttp is installed, and makes further requests to continue a reply. It accepts a
truncated stream as complete, and waits for a server that closes slowly.
"""

import asyncio
import logging
import re
import warnings
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any

import httpx2
from google import genai
from google.genai import errors, types

from assistant.core.errors import ProviderError
from assistant.core.records.egress import DataClass
from assistant.llm.backend import ImageRequest, ModelDelta, ModelRequest
from assistant.llm.facts.chat_models import chat_models
from assistant.llm.facts.learnt_dialects import LearntDialects, ModelMemory
from assistant.llm.google.connection import GoogleHttpClient, SentRequest
from assistant.llm.google.dialect import Dialect, after_refusal, dialect_of
from assistant.llm.google.errors import translated
from assistant.llm.google.format import ReplyAssembler, config_of, contents_of
from assistant.llm.google.images import image_of
from assistant.llm.sdk_chat import SdkChat
from assistant.llm.transport.endpoint import Endpoint
from assistant.llm.transport.recorded_requests import errand
from assistant.llm.transport.sdk_clients import KeepsClients, certificates
from assistant.llm.transport.server_errors import words_of

_log = logging.getLogger(__name__)

_Chunks = AsyncIterator[types.GenerateContentResponse]

_TAIL_S = 0.5
"""Seconds to wait for the end of the body after the finish reason."""

_API_VERSION = "v1"
"""API version for an address without one."""

_VERSIONED = re.compile(r"(.*?)/(v\d+\w*)/?")

_OURS = frozenset({"http_options", "httpOptions", "automatic_function_calling", "automaticFunctionCalling"})
"""Parameters that ``extra`` may not change: how requests are sent, and who runs tools."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Client:
    """The SDK's client, and the HTTP client beneath it."""

    sdk: genai.Client
    http: GoogleHttpClient

    async def close(self) -> None:
        """Close both."""
        await self.sdk.aio.aclose()
        self.sdk.close()
        await self.http.aclose()


class GoogleChat(KeepsClients[_Client], SdkChat):
    """Streams replies through one SDK client per provider. Lives on one event loop."""

    def __init__(self, learnt: ModelMemory | None = None) -> None:
        super().__init__(_made)
        self._dialects = LearntDialects(f"google {genai.__version__}", Dialect, learnt)

    async def stream(self, endpoint: Endpoint, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Run one inference; closing the generator closes the connection.

        Raises:
            ProviderError: as in ``ProviderBackend.stream``.
        """
        reply = ReplyAssembler(endpoint.provider)
        exchange = SentRequest()
        async with self._clients.use(endpoint) as client:
            with translated(endpoint, exchange):
                chunks, chunk = await self._begun(client.sdk, endpoint, request, exchange)
                try:
                    while chunk is not None:
                        for delta in reply.take(chunk):
                            yield delta
                        chunk = await _next(chunks, reply)
                finally:
                    await exchange.end(chunks)
        for delta in reply.end():
            yield delta

    async def model_names(self, endpoint: Endpoint) -> tuple[str, ...]:
        """The chat models that the server lists.

        Raises:
            ProviderError: the list cannot be read.
        """
        names: list[str] = []
        exchange = SentRequest()
        async with self._clients.use(endpoint) as client:
            with translated(endpoint, exchange), exchange.sending(), errand("list_models"):
                async for model in await client.sdk.aio.models.list():
                    actions = model.supported_actions
                    if model.name and (actions is None or "generateContent" in actions):
                        names.append(model.name.removeprefix("models/"))
        return chat_models(names)

    async def image(self, endpoint: Endpoint, request: ImageRequest) -> bytes:
        """Make one picture.

        Raises:
            ProviderError: as in ``ProviderBackend.image``.
        """
        exchange = SentRequest()
        async with self._clients.use(endpoint) as client:
            with translated(endpoint, exchange), exchange.sending(), errand("image", data=(DataClass.CONVERSATION,)):
                return await image_of(client.sdk, request, endpoint.provider)

    async def _begun(
        self, sdk: genai.Client, endpoint: Endpoint, request: ModelRequest, exchange: SentRequest
    ) -> tuple[_Chunks, types.GenerateContentResponse | None]:
        """The stream and its first chunk. After a refusal try another dialect, and remember the accepted one."""
        named = dialect_of(request.model)
        before = dialect = self._dialects.dialect(endpoint, request.model, named)
        while True:
            chunks = await _opened(sdk, request, dialect)
            chunk: types.GenerateContentResponse | None = None
            try:
                with errand(request.purpose, request), exchange.sending():
                    chunk = await anext(chunks)
            except StopAsyncIteration:
                pass
            except errors.APIError as error:
                await exchange.end(chunks)
                if exchange.status != HTTPStatus.BAD_REQUEST:
                    raise
                words = words_of(error.details)
                other = after_refusal(dialect, words, request)
                if other is None and self._dialects.doubtful(endpoint, request.model, words):
                    before = other = named
                if other is None:
                    raise
                _log.info("%s refuses how %s was asked; trying another way", endpoint.provider, request.model)
                dialect = other
                exchange.again()
                continue
            except BaseException:
                await exchange.end(chunks)
                raise
            # Refused signatures belong to one conversation. The rest of the dialect holds for the model.
            if dialect != before:
                self._dialects.learn(endpoint, request.model, replace(dialect, own_signatures=True))
            return chunks, chunk


def _build_models() -> None:
    """Let the SDK build its validators here. Otherwise the first request and reply build them on the event loop."""
    candidate = {"content": {"role": "model", "parts": [{"text": ""}]}, "finish_reason": "STOP"}
    types.GenerateContentResponse.model_validate({"candidates": [candidate], "usage_metadata": {}})
    types.GenerateContentConfig.model_validate({"system_instruction": ""})


def _made(endpoint: Endpoint) -> _Client:
    """A client that ignores settings of the environment that are meant for another server. Takes a while to make."""
    _build_models()
    # This SDK version warns about finish reasons that it does not know. They need no warning.
    warnings.filterwarnings("ignore", r".* is not a valid \w+", UserWarning, r"google\.genai\b")
    versioned = _VERSIONED.fullmatch(endpoint.base_url)
    root, version = versioned.groups() if versioned else (endpoint.base_url, _API_VERSION)
    with translated(endpoint, SentRequest()):
        http = GoogleHttpClient(endpoint)
        options = types.HttpOptions(
            base_url=root,
            api_version=version,
            retry_options=types.HttpRetryOptions(attempts=1),
            httpx_async_client=http,
            # For the SDK's synchronous client. It is unused and would read the system's certificates again.
            client_args={"verify": certificates()},
        )
        sdk = genai.Client(vertexai=False, api_key=endpoint.key or "none", http_options=options)
    return _Client(sdk=sdk, http=http)


async def _opened(sdk: genai.Client, request: ModelRequest, dialect: Dialect) -> _Chunks:
    """The SDK's stream. Asking for the first chunk sends the request.

    Raises:
        ValueError: the request cannot be converted to Gemini's format.
    """
    # The conversion is done here because the SDK's dictionary types are a union that a type checker cannot resolve.
    contents: Any = [types.Content.model_validate(each) for each in contents_of(request, dialect)]
    config = _config(request, dialect)
    return await sdk.aio.models.generate_content_stream(model=request.model, contents=contents, config=config)


def _config(request: ModelRequest, dialect: Dialect) -> types.GenerateContentConfig:
    """The configuration with ``extra`` merged last: known parameters by name, other ones into the body unchanged."""
    config = config_of(request, dialect)
    known = types.GenerateContentConfig.model_fields
    names = {field.alias or name: name for name, field in known.items()} | {name: name for name in known}
    extra = {name: value for name, value in request.extra.items() if name not in _OURS}
    config.update({names[name]: value for name, value in extra.items() if name in names})
    body = {name: value for name, value in extra.items() if name not in names}
    if body:
        config["http_options"] = types.HttpOptions(extra_body=body)
    return types.GenerateContentConfig.model_validate(config)


async def _next(chunks: _Chunks, reply: ReplyAssembler) -> types.GenerateContentResponse | None:
    """The next chunk, or ``None`` at the end of the stream and at most ``_TAIL_S`` after the finish reason."""
    try:
        if not reply.finished:
            return await anext(chunks)
        async with asyncio.timeout(_TAIL_S):
            return await anext(chunks)
    except StopAsyncIteration:
        return None
    except (TimeoutError, errors.APIError, httpx2.HTTPError, ProviderError, ValueError):
        # After the finish reason the reply is complete, however the connection ends.
        if reply.finished:
            return None
        raise
