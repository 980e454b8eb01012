"""OpenAI, Z.AI, and any server of the chat completions format at a provider's own ``base_url`` (P-03, P-07)."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from assistant.core.settings import Provider
from assistant.llm.backend import BackendNeeds, ModelDelta, ModelRequest
from assistant.llm.openai_compatible import CompatibleServers, endpoint_of
from assistant.llm.openai_format import Endpoint
from assistant.llm.openai_profiles import PROFILES

KINDS = tuple(PROFILES)


def create(needs: BackendNeeds) -> "OpenAIBackend":
    """The backend."""
    return OpenAIBackend(needs)


class OpenAIBackend:
    """Streams chat completions.

    Args:
        needs: where keys come from.
    """

    def __init__(self, needs: BackendNeeds) -> None:
        self._key_of = needs.key_of
        self._servers = CompatibleServers()

    async def prepare(self, provider: Provider) -> None:
        """Load the SDK, and see that there is a key.

        Raises:
            ProviderError: ``authentication``, when a key is wanted and there is none.
        """
        await self._endpoint(provider)
        await self._servers.prepare()

    async def stream(self, provider: Provider, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Run one inference; closing the generator closes the connection.

        Raises:
            ProviderError: as in ``ProviderBackend.stream``; ``authentication`` before anything is sent when a key is
                wanted and there is none.
        """
        request = PROFILES[provider.kind].worded(request)
        endpoint = await self._endpoint(provider)
        async with aclosing(self._servers.stream(endpoint, request)) as deltas:
            async for delta in deltas:
                yield delta

    async def close(self) -> None:
        """Close every client."""
        await self._servers.close()

    async def _endpoint(self, provider: Provider) -> Endpoint:
        # A keyring that is locked asks the user first, for as long as that takes.
        key = await asyncio.to_thread(self._key_of, provider)
        return endpoint_of(provider, key, base_url=PROFILES[provider.kind].base_url)
