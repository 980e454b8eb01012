"""Google's Gemini API, and any server that speaks its format at a provider's own ``base_url`` (P-06)."""

import asyncio
import importlib
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING

from assistant.core.errors import ErrorCode, ProviderError
from assistant.core.settings import Provider
from assistant.llm.backend import BackendNeeds, ModelDelta, ModelRequest
from assistant.llm.openai_compatible import endpoint_of
from assistant.llm.openai_format import Endpoint

if TYPE_CHECKING:
    from assistant.llm.google_chat import GoogleChat

KIND = "google"

BASE_URL = "https://generativelanguage.googleapis.com"

_SHOWN_NAMES = 8


def create(needs: BackendNeeds) -> "GoogleBackend":
    """The backend."""
    return GoogleBackend(needs)


class GoogleBackend:
    """Streams generated content. The SDK takes seconds to import, so it is loaded in a thread when first needed.

    Args:
        needs: where keys come from.
    """

    def __init__(self, needs: BackendNeeds) -> None:
        self._key_of = needs.key_of
        self._loaded: GoogleChat | None = None

    async def prepare(self, provider: Provider) -> None:
        """Load the SDK, make its client, and see that there is a key.

        Raises:
            ProviderError: ``authentication``, when a key is wanted and there is none.
        """
        endpoint = await self._endpoint(provider)
        await (await self._chat()).prepare(endpoint)

    async def stream(self, provider: Provider, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Run one inference; closing the generator closes the connection.

        Raises:
            ProviderError: as in ``ProviderBackend.stream``; ``authentication`` before anything is sent when a key is
                wanted and there is none; ``model_not_found`` when no model is named.
        """
        endpoint = await self._endpoint(provider)
        chat = await self._chat()
        if not request.model:
            offered = ", ".join((await chat.model_names(endpoint))[:_SHOWN_NAMES]) or "none"
            raise ProviderError(
                ErrorCode.MODEL_NOT_FOUND,
                f"no model is chosen; the server has: {offered}",
                provider=provider.name,
                message_key="model_not_chosen",
            )
        async with aclosing(chat.stream(endpoint, request)) as deltas:
            async for delta in deltas:
                yield delta

    async def close(self) -> None:
        """Close every client."""
        if self._loaded is not None:
            await self._loaded.close()

    async def _endpoint(self, provider: Provider) -> Endpoint:
        # A keyring that is locked asks the user first, for as long as that takes.
        key = await asyncio.to_thread(self._key_of, provider)
        return endpoint_of(provider, key, base_url=BASE_URL)

    async def _chat(self) -> "GoogleChat":
        if self._loaded is None:
            module = await asyncio.to_thread(importlib.import_module, "assistant.llm.google_chat")
            # Another request may have been waiting for the same import.
            self._loaded = self._loaded or module.GoogleChat()
        return self._loaded
