"""Anthropic, and any server that speaks its messages API at a provider's own ``base_url`` (P-04).

The SDK takes one to two seconds to import, so nothing imports it at start; ``prepare`` does so in a thread.
"""

import asyncio
import importlib
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from assistant.core.settings import Provider
from assistant.llm.backend import BackendNeeds, ModelDelta, ModelRequest
from assistant.llm.openai_compatible import endpoint_of, only_model
from assistant.llm.openai_format import Endpoint

if TYPE_CHECKING:
    from assistant.llm.anthropic_chat import AnthropicChat

KIND = "anthropic"

BASE_URL = "https://api.anthropic.com"


def create(needs: BackendNeeds) -> "AnthropicBackend":
    """The backend."""
    return AnthropicBackend(needs)


class AnthropicBackend:
    """Streams messages.

    Args:
        needs: where keys come from.
    """

    def __init__(self, needs: BackendNeeds) -> None:
        self._key_of = needs.key_of
        self._loaded: AnthropicChat | None = None
        self._only_models: dict[str, str] = {}

    async def prepare(self, provider: Provider) -> None:
        """Load the SDK, and see that there is a key.

        Raises:
            ProviderError: ``authentication``, when a key is wanted and there is none.
        """
        await self._endpoint(provider)
        await self._chat()

    async def stream(self, provider: Provider, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Run one inference; closing the generator closes the connection.

        Raises:
            ProviderError: as in ``ProviderBackend.stream``; ``authentication`` before anything is sent when a key is
                wanted and there is none; ``model_not_found`` when no model is named and the server has several.
        """
        endpoint = await self._endpoint(provider)
        chat = await self._chat()
        if not request.model:
            if endpoint.base_url not in self._only_models:
                self._only_models[endpoint.base_url] = await only_model(chat, endpoint)
            request = replace(request, model=self._only_models[endpoint.base_url])
        async with aclosing(chat.stream(endpoint, request)) as deltas:
            async for delta in deltas:
                yield delta

    async def close(self) -> None:
        """Close every client."""
        if self._loaded is not None:
            await self._loaded.close()

    async def _endpoint(self, provider: Provider) -> Endpoint:
        """Where ``provider`` is asked; the SDK adds the version of the path, which many write into an address."""
        # A keyring that is locked asks the user first, for as long as that takes.
        key = await asyncio.to_thread(self._key_of, provider)
        endpoint = endpoint_of(provider, key, base_url=BASE_URL)
        return replace(endpoint, base_url=endpoint.base_url.rstrip("/").removesuffix("/v1"))

    async def _chat(self) -> "AnthropicChat":
        if self._loaded is None:
            module = await asyncio.to_thread(importlib.import_module, "assistant.llm.anthropic_chat")
            # Another request may have been waiting for the same import.
            self._loaded = self._loaded or module.AnthropicChat()
        return self._loaded
