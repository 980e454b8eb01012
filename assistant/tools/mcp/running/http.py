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
from assistant.tools.mcp.running.limits import LONGEST_MESSAGE, MessagePace, problem_of

_CONNECT_S = 10.0


@asynccontextmanager
async def http_streams(entry: ServerEntry, ledger: EgressLedger | None) -> AsyncGenerator[Any, None]:
    """Connect to the address of an expanded entry.

    The SDK follows redirects within the same origin only, so headers with keys go nowhere else.
    """
    hooks = [] if ledger is None else [_as_mcp(recorded(ledger, f"mcp {entry.name}"))]
    certified = await asyncio.to_thread(certificates)
    client = httpx2.AsyncClient(
        # The limits count bytes as they come, and compressed ones can become a thousand times as many.
        headers={"accept-encoding": "identity", **entry.headers},
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


class _Checked(httpx2.AsyncByteStream):
    """A body of which only what may be parsed is passed on: a whole answer, or a stream of events line by line."""

    def __init__(self, body: Any, *, events: bool) -> None:
        self._body, self._events = body, events
        self._pace = MessagePace()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        held = b""
        async for piece in self._body:
            held += piece
            if self._events and b"\n" in piece:
                *lines, held = held.split(b"\n")
                for line in lines:
                    await self._check(line)
                    yield line + b"\n"
            if len(held) > LONGEST_MESSAGE:
                raise httpx2.ReadError(f"it sent a message of more than {LONGEST_MESSAGE} bytes")
        await self._check(held)
        yield held

    async def aclose(self) -> None:
        await self._body.aclose()

    async def _check(self, message: bytes) -> None:
        """Let a message pass, in its time.

        Raises:
            httpx2.ReadError: it would take too long to parse.
        """
        wait_s = self._pace.wait_s(asyncio.get_running_loop().time()) if message else 0.0
        if problem := problem_of(message) or self._pace.problem:
            raise httpx2.ReadError(problem)
        if wait_s:
            await asyncio.sleep(wait_s)


async def _limited(response: httpx2.Response) -> None:
    """Limit what of an answer is parsed.

    Raises:
        httpx2.ReadError: the answer is compressed, so that nothing is known of its size.
    """
    if response.headers.get("content-encoding", "identity") != "identity":
        raise httpx2.ReadError("it compresses its answers, although it was asked not to")
    events = response.headers.get("content-type", "").startswith("text/event-stream")
    response.stream = _Checked(response.stream, events=events)
