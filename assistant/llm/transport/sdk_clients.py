"""Keeps one SDK client per provider, with HTTP options that all SDKs share."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache, partial
from typing import Generic, Protocol, TypedDict, TypeVar

import httpx2

from assistant.core.addresses import is_local_host
from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.transport.endpoint import Endpoint
from assistant.llm.transport.event_stream import plain_events
from assistant.llm.transport.recorded_requests import recorded
from assistant.llm.transport.server_errors import raise_told_error

_CONNECT_S = 10.0
_SEND_S = 60.0

TIMEOUT = httpx2.Timeout(None, connect=_CONNECT_S, write=_SEND_S, pool=None)
"""``deadline`` limits the response time. A timeout of the SDK would be a second policy."""

_KEPT = httpx2.Limits(max_connections=1000, max_keepalive_connections=100)
_ONE_REQUEST_EACH = httpx2.Limits(max_connections=1000, max_keepalive_connections=0)


class HttpOptions(TypedDict):
    """The options of every SDK's HTTP client."""

    timeout: httpx2.Timeout
    trust_env: bool
    follow_redirects: bool
    verify: ssl.SSLContext
    limits: httpx2.Limits
    event_hooks: dict[str, list[Callable[..., Awaitable[None]]]]


def http_options(endpoint: Endpoint, *, named_events: bool = False) -> HttpOptions:
    """The options for connecting to a server and reading its streams.

    Redirects are not followed: only ``Authorization`` is removed from a request to another host, and the keys of
    Anthropic and Google are in other headers.

    Args:
        endpoint: the server.
        named_events: whether its API distinguishes the events of a stream by name.

    Raises:
        httpx2.InvalidURL: the address is malformed.
    """
    # A proxy from the environment would be used even for this machine.
    trusts = not is_local_host(httpx2.URL(endpoint.base_url).host)
    hooks: list[Callable[..., Awaitable[None]]] = (
        [] if endpoint.ledger is None else [recorded(endpoint.ledger, endpoint.provider)]
    )
    return {
        "timeout": TIMEOUT,
        "trust_env": trusts,
        "follow_redirects": False,
        "verify": certificates(),
        "limits": _KEPT if endpoint.reuses_connections else _ONE_REQUEST_EACH,
        "event_hooks": {
            "request": hooks,
            "response": [plain_events(named=named_events, check=partial(raise_told_error, endpoint))],
        },
    }


@cache
def certificates() -> ssl.SSLContext:
    """The system's certificates. Reading them takes a tenth of a second, so all clients share them."""
    return httpx2.create_ssl_context()


class Closes(Protocol):
    """An SDK's client."""

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
    """Keeps one client per provider. Lives on one event loop.

    Args:
        make: makes the SDK's client for an endpoint; called in a thread because it may be slow.
    """

    def __init__(self, make: Callable[[Endpoint], _Sdk]) -> None:
        self._make = make
        self._clients: dict[str, _Client[_Sdk]] = {}
        self._making = asyncio.Lock()

    async def prepare(self, endpoint: Endpoint) -> None:
        """Make the provider's client in advance.

        Raises:
            ProviderError: the key or the address is malformed.
        """
        await self._current(endpoint)

    @asynccontextmanager
    async def use(self, endpoint: Endpoint) -> AsyncIterator[_Sdk]:
        """The provider's client. After a change of its endpoint a new one is made, and the old one closes after use.

        Raises:
            ProviderError: the key or the address is malformed.
        """
        client = await self._current(endpoint)
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

    async def _current(self, endpoint: Endpoint) -> _Client[_Sdk]:
        async with self._making:
            kept = self._clients.get(endpoint.provider)
            if kept is not None and kept.endpoint == endpoint:
                return kept
            if not (endpoint.key.isascii() and endpoint.key.isprintable()):
                detail = "the API key has characters outside printable ASCII"
                raise ProviderError(ErrorCode.AUTHENTICATION, detail, provider=endpoint.provider)
            made = _Client(endpoint=endpoint, sdk=await asyncio.to_thread(self._make, endpoint))
            self._clients[endpoint.provider] = made
        if kept is not None:
            await _retire(kept)
        return made


class KeepsClients(Generic[_Sdk]):
    """A chat with one SDK client per provider. Lives on one event loop.

    Args:
        make: makes the SDK's client for an endpoint; called in a thread because it may be slow.
    """

    def __init__(self, make: Callable[[Endpoint], _Sdk]) -> None:
        self._clients = SdkClients(make)

    async def prepare(self, endpoint: Endpoint) -> None:
        """Make the provider's client, so that the first request need not wait for it.

        Raises:
            ProviderError: the key or the address is malformed.
        """
        await self._clients.prepare(endpoint)

    async def close(self) -> None:
        """Close every client."""
        await self._clients.close()


async def _retire(client: _Client[_Sdk]) -> None:
    client.retired = True
    if not client.users:
        await client.sdk.close()
