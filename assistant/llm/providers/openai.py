"""OpenAI, Z.AI, and any server of the chat completions format at a provider's own ``base_url`` (P-03, P-07)."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from assistant.core.settings import Provider
from assistant.llm.backend import BackendNeeds, ModelDelta, ModelRequest
from assistant.llm.openai_compatible import CompatibleServers, endpoint_of
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
        endpoint_of(provider, self._key_of(provider), base_url=PROFILES[provider.kind].base_url)
        await self._servers.prepare()

    async def stream(self, provider: Provider, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Run one inference; closing the generator closes the connection.

        Raises:
            ProviderError: as in ``ProviderBackend.stream``; ``authentication`` before anything is sent when a key is
                wanted and there is none.
        """
        profile = PROFILES[provider.kind]
        endpoint = endpoint_of(provider, self._key_of(provider), base_url=profile.base_url)
        async with aclosing(self._servers.stream(endpoint, profile.worded(request))) as deltas:
            async for delta in deltas:
                yield delta

    async def close(self) -> None:
        """Close every client."""
        await self._servers.close()
