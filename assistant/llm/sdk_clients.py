"""One SDK client a provider, and what every SDK's client shares."""

import ipaddress
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import httpx2

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.openai_format import Endpoint

_CONNECT_S = 10.0
_SEND_S = 60.0

TIMEOUT = httpx2.Timeout(None, connect=_CONNECT_S, write=_SEND_S, pool=None)
"""Limits on the answer are the deadline's; an SDK's own would be one more policy."""


class Closes(Protocol):
    """A client of an SDK."""

    async def close(self) -> None:
        """Close its connections."""
        ...


_Sdk = TypeVar("_Sdk", bound=Closes)


@dataclass(slots=True, kw_only=True)
class _Client(Generic[_Sdk]):
    endpoint: Endpoint
    sdk: _Sdk
    users: int = 0
    retired: bool = False


class SdkClients(Generic[_Sdk]):
    """Keeps one client a provider.

    Args:
        make: makes the SDK's client for an endpoint.
    """

    def __init__(self, make: Callable[[Endpoint], _Sdk]) -> None:
        self._make = make
        self._clients: dict[str, _Client[_Sdk]] = {}

    @asynccontextmanager
    async def use(self, endpoint: Endpoint) -> AsyncIterator[_Sdk]:
        """The provider's client, made anew when its data has changed; the old one closes after its last stream.

        Raises:
            ProviderError: ``authentication`` for a key that cannot be one.
        """
        client = self._clients.get(endpoint.provider)
        if client is None or client.endpoint != endpoint:
            if client is not None:
                await _retire(client)
            if not (endpoint.key.isascii() and endpoint.key.isprintable()):
                detail = "the API key has characters that no key has"
                raise ProviderError(ErrorCode.AUTHENTICATION, detail, provider=endpoint.provider)
            client = self._clients[endpoint.provider] = _Client(endpoint=endpoint, sdk=self._make(endpoint))
        client.users += 1
        try:
            yield client.sdk
        finally:
            client.users -= 1
            if client.retired:
                await _retire(client)

    async def close(self) -> None:
        """Close every client."""
        clients, self._clients = list(self._clients.values()), {}
        for client in clients:
            await client.sdk.close()


async def _retire(client: _Client[_Sdk]) -> None:
    client.retired = True
    if not client.users:
        await client.sdk.close()


def is_loopback(base_url: str) -> bool:
    """Whether an address is on this machine; a proxy of the environment would be asked even for that."""
    host = httpx2.URL(base_url).host
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
