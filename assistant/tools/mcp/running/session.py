"""One connection to a server: lists its tools and calls them. Lives on the loop of the MCP thread."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp import Client
from mcp.client.session import ClientRequestContext
from mcp.shared.exceptions import MCPError

_MOST_TOOLS = 200
"""Tools of one server that are used."""
_MOST_PAGES = 50
_LIST_S = 30.0
_PROGRESS_EVERY_S = 0.5

Progress = Callable[[str], None]
Elicit = Callable[[str, Mapping[str, Any]], Awaitable[dict[str, Any] | None]]
"""Asks the user on behalf of a server: takes the message and the schema; returns the values, ``None`` for a no."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a running call can tell the user.

    Attributes:
        progress: takes a progress report in words.
        elicit: asks the user.
    """

    progress: Progress
    elicit: Elicit


class ServerFailedError(Exception):
    """A server refused or failed; the text says why."""


class Session:
    """A server that is connected inside ``connected``.

    Args:
        transport: gives the streams of messages; or, in tests, the SDK's own server.
    """

    def __init__(self, transport: Any) -> None:
        self._client = Client(
            transport,
            elicitation_callback=self._elicit,
            message_handler=self._notice,
            client_info=types.Implementation(name="sori", version="1"),
            cache=None,
        )
        self._running: list[Surroundings] = []
        self.changed = asyncio.Event()
        """Set when the server says that its tools have changed."""

    async def tools(self) -> list[types.Tool]:
        """All tools of the server, at most ``_MOST_TOOLS``.

        Raises:
            ServerFailedError: the server does not tell them.
        """
        found: list[types.Tool] = []
        cursor: str | None = None
        try:
            async with asyncio.timeout(_LIST_S):
                for _ in range(_MOST_PAGES):
                    page = await self._client.list_tools(cursor=cursor, cache_mode="bypass")
                    found += page.tools
                    cursor = page.next_cursor
                    if not cursor or len(found) >= _MOST_TOOLS:
                        break
        except TimeoutError as error:
            raise ServerFailedError("it does not list its tools in time") from error
        except (MCPError, ValueError) as error:
            raise ServerFailedError(str(error)) from error
        return found[:_MOST_TOOLS]

    async def call(
        self, name: str, arguments: dict[str, Any], timeout_s: float, surroundings: Surroundings
    ) -> types.CallToolResult:
        """Call a tool. A cancelled call is cancelled at the server too.

        Raises:
            ServerFailedError: the server failed, or did not answer in time.
        """
        told = 0.0

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            nonlocal told
            if time.monotonic() - told < _PROGRESS_EVERY_S:
                return
            told = time.monotonic()
            share = f"{progress:g}/{total:g}" if total else f"{progress:g}"
            surroundings.progress(message or share)

        self._running.append(surroundings)
        try:
            return await self._client.call_tool(
                name, arguments, read_timeout_seconds=timeout_s, progress_callback=on_progress
            )
        except (MCPError, ValueError, RuntimeError) as error:
            raise ServerFailedError(str(error) or type(error).__name__) from error
        finally:
            self._running.remove(surroundings)

    @asynccontextmanager
    async def connected(self) -> AsyncGenerator[None, None]:
        """Connect, and disconnect afterwards.

        Raises:
            MCPError: the server does not speak the protocol.
        """
        async with self._client as client:
            # The SDK would check results with the server's own regular expressions.
            client.session.validate_tool_result = _unchecked  # type: ignore[method-assign]
            yield

    async def _elicit(
        self,
        context: ClientRequestContext,  # noqa: ARG002 - the SDK's protocol
        params: types.ElicitRequestParams,
    ) -> types.ElicitResult | types.ErrorData:
        """Answer a server's question. It may ask only while exactly one call runs, so that the user knows for what."""
        if len(self._running) != 1 or not isinstance(params, types.ElicitRequestFormParams):
            return types.ElicitResult(action="decline")
        values = await self._running[0].elicit(params.message, params.requested_schema)
        if values is None:
            return types.ElicitResult(action="decline")
        return types.ElicitResult(action="accept", content=values)

    async def _notice(self, message: Any) -> None:
        """Take a notification of the server."""
        if isinstance(message, types.ToolListChangedNotification):
            self.changed.set()


async def _unchecked(name: str, result: types.CallToolResult) -> None:
    """Check nothing: results are words for a model."""
