"""What providers of the OpenAI format share: the SDK loaded when it is first needed, and a model where none is named.

The SDK takes one to two seconds to import, so nothing imports it at start; ``prepare`` does so in a thread.
"""

import asyncio
import importlib
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from assistant.core.errors import ErrorCode, ProviderError
from assistant.core.settings import Provider
from assistant.llm.backend import ModelDelta, ModelRequest
from assistant.llm.openai_format import Endpoint

if TYPE_CHECKING:
    from assistant.llm.openai_chat import OpenAIChat

_NO_LIST = frozenset({ErrorCode.MODEL_NOT_FOUND, ErrorCode.INVALID_REQUEST, ErrorCode.INVALID_RESPONSE})
"""What a server without a list of models answers when it is asked for one."""

_UNNAMED = "default"
"""Sent to a server that lists no models: one that has a single model does not look at the name."""

_SHOWN_NAMES = 8


def endpoint_of(provider: Provider, key: str, *, base_url: str = "") -> Endpoint:
    """Where a provider is asked.

    Args:
        provider: the provider's data.
        key: its API key, empty for none.
        base_url: the kind's own root, for a provider that names none.

    Raises:
        ProviderError: ``authentication``, when a key is wanted and there is none (T-07).
    """
    wanted = provider.api_key_env or ("" if provider.base_url else "api_key_env")
    if wanted and not key:
        raise ProviderError(
            ErrorCode.AUTHENTICATION,
            f"there is no API key; set {wanted}",
            provider=provider.name,
            message_key="api_key_missing",
        )
    return Endpoint(provider=provider.name, base_url=provider.base_url or base_url, key=key.strip())


class CompatibleServers:
    """Streams replies from servers of the OpenAI format. Lives on one event loop."""

    def __init__(self) -> None:
        self._loaded: OpenAIChat | None = None
        self._only_models: dict[str, str] = {}

    async def prepare(self) -> None:
        """Load the SDK."""
        await self._chat()

    async def stream(self, endpoint: Endpoint, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Run one inference; an empty ``request.model`` means the server's only one.

        Raises:
            ProviderError: as in ``ProviderBackend.stream``; ``model_not_found`` when no model is named and the server
                has several.
        """
        chat = await self._chat()
        if not request.model:
            request = replace(request, model=await self._only_model(chat, endpoint))
        async with aclosing(chat.stream(endpoint, request)) as deltas:
            async for delta in deltas:
                yield delta

    async def close(self) -> None:
        """Close every client."""
        if self._loaded is not None:
            await self._loaded.close()

    async def _chat(self) -> "OpenAIChat":
        if self._loaded is None:
            module = await asyncio.to_thread(importlib.import_module, "assistant.llm.openai_chat")
            # Another request may have been waiting for the same import.
            self._loaded = self._loaded or module.OpenAIChat()
        return self._loaded

    async def _only_model(self, chat: "OpenAIChat", endpoint: Endpoint) -> str:
        if endpoint.base_url not in self._only_models:
            self._only_models[endpoint.base_url] = await only_model(chat, endpoint)
        return self._only_models[endpoint.base_url]


class ListsModels(Protocol):
    """What can say which models a server has."""

    async def model_names(self, endpoint: Endpoint) -> tuple[str, ...]:
        """The models that the server lists."""
        ...


async def only_model(chat: ListsModels, endpoint: Endpoint) -> str:
    """The model to ask for where none is named: the server's only one.

    Raises:
        ProviderError: ``model_not_found`` when it has several, which are named; or the list is not to be had.
    """
    try:
        names = await chat.model_names(endpoint)
    except ProviderError as error:
        if error.code not in _NO_LIST:
            raise
        names = (_UNNAMED,)
    if len(names) != 1:
        offered = ", ".join(names[:_SHOWN_NAMES]) or "none"
        raise ProviderError(
            ErrorCode.MODEL_NOT_FOUND,
            f"no model is chosen; the server has: {offered}",
            provider=endpoint.provider,
            message_key="model_not_chosen",
        )
    return names[0]
