"""Talks to a server at an address: streamable HTTP. Each request is recorded in the egress ledger before it is sent."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp.client.streamable_http import streamable_http_client

from assistant.core.addresses import is_local_host
from assistant.core.records.egress import DataClass, EgressLedger
from assistant.llm.transport.recorded_requests import RecordRequest, errand, recorded
from assistant.llm.transport.sdk_clients import certificates
from assistant.tools.mcp.entries import ServerEntry

_CONNECT_S = 10.0
_LARGEST_ANSWER = 4 * 1024 * 1024
"""Bytes of an answer that are read."""


@asynccontextmanager
async def http_streams(entry: ServerEntry, ledger: EgressLedger | None) -> AsyncGenerator[Any, None]:
    """Connect to the address of an expanded entry.

    The SDK follows redirects within the same origin only, so headers with keys go nowhere else.
    """
    hooks = [] if ledger is None else [_as_mcp(recorded(ledger, f"mcp {entry.name}"))]
    certified = await asyncio.to_thread(certificates)
    client = httpx2.AsyncClient(
        headers=dict(entry.headers),
        timeout=httpx2.Timeout(entry.timeout_s, connect=_CONNECT_S),
        follow_redirects=False,
        # A proxy from the environment would be used even for this machine.
        trust_env=not is_local_host(httpx2.URL(entry.url).host),
        verify=certified,
        event_hooks={"request": hooks, "response": [_limited]},
    )
    async with client, streamable_http_client(entry.url, http_client=client) as streams:
        yield streams


def _as_mcp(hook: RecordRequest) -> RecordRequest:
    """The recording hook with the purpose of MCP. The SDK sends from tasks of its own, where no errand is set."""

    async def record(request: httpx2.Request) -> None:
        with errand("mcp", data=(DataClass.CONVERSATION,)):
            await hook(request)

    return record


class _LimitedStream(httpx2.AsyncByteStream):
    """A body that may have ``_LARGEST_ANSWER`` bytes."""

    def __init__(self, body: Any) -> None:
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = 0
        async for piece in self._body:
            read += len(piece)
            if read > _LARGEST_ANSWER:
                raise httpx2.ReadError(f"the answer has more than {_LARGEST_ANSWER} bytes")
            yield piece

    async def aclose(self) -> None:
        await self._body.aclose()


async def _limited(response: httpx2.Response) -> None:
    """Limit the size of an answer. The SDK limits each event of a stream itself."""
    if not response.headers.get("content-type", "").startswith("text/event-stream"):
        response.stream = _LimitedStream(response.stream)
