"""One connection to a server: lists its tools and calls them. Lives on the loop of the MCP thread."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp import Client
from mcp.client.session import ClientRequestContext
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp.shared.exceptions import MCPError, UrlElicitationRequiredError

from assistant.core.version import VERSION
from assistant.tasks import TaskSupervisor
from assistant.tools.mcp.running.asking import AskUser, Elicited
from assistant.tools.tool import ToolError

_MOST_TOOLS = 200
"""Tools of one server that are used."""
_MOST_PAGES = 50
_MOST_PAGES_TO_OPEN = 3
_LIST_S = 30.0
_PROGRESS_EVERY_S = 0.5
_LISTEN_AGAIN_S = 60.0
"""Seconds before listening again to a server that has ended it."""

log = logging.getLogger(__name__)

ReportProgress = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a running call can tell the user.

    Attributes:
        progress: takes a progress report in words.
        elicit: asks the user.
    """

    progress: ReportProgress
    elicit: AskUser


class ServerFailedError(Exception):
    """A server refused or failed; the text says why."""


class ServerSession:
    """A server that is connected inside ``connected``.

    Args:
        transport: gives the streams of messages; or, in tests, the SDK's own server.
    """

    def __init__(self, transport: Any) -> None:
        self._client = Client(
            transport,
            elicitation_callback=self._elicit,
            message_handler=self._notice,
            client_info=types.Implementation(name="sori", version=VERSION),
            cache=None,
        )
        self._running: list[tuple[Surroundings, asyncio.Timeout]] = []
        # A server may ask several questions at once; a user answers one after another.
        self._asking = asyncio.Lock()
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
            ServerFailedError: the server failed.
            TimeoutError: it did not answer in time.
            ToolError: the user has to finish on a page of it first.
        """
        told = 0.0

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            nonlocal told
            if time.monotonic() - told < _PROGRESS_EVERY_S:
                return
            told = time.monotonic()
            share = f"{progress:g}/{total:g}" if total else f"{progress:g}"
            surroundings.progress(message or share)

        running: tuple[Surroundings, asyncio.Timeout] | None = None
        try:
            async with asyncio.timeout(timeout_s) as limit:
                running = surroundings, limit
                self._running.append(running)
                return await self._client.call_tool(name, arguments, progress_callback=on_progress)
        except MCPError as error:
            if running is not None and await self._page_wanted(error, running):
                raise ToolError("tool_reason.page_first") from error
            raise ServerFailedError(str(error) or type(error).__name__) from error
        except (ValueError, RuntimeError) as error:
            raise ServerFailedError(str(error) or type(error).__name__) from error
        finally:
            if running is not None:
                self._running.remove(running)

    @asynccontextmanager
    async def connected(self) -> AsyncGenerator[None, None]:
        """Connect, and disconnect afterwards.

        Raises:
            MCPError: the server does not speak the protocol.
        """
        async with self._client as client:
            # The SDK would check results with the server's own regular expressions.
            client.session.validate_tool_result = _unchecked  # type: ignore[method-assign]
            async with TaskSupervisor() as tasks:
                tasks.start(self._listen(), name="changes of the tools of an MCP server")
                yield

    async def _listen(self) -> None:
        """Follow changes of the tools of a server of the newest protocol, which tells them only to those who listen."""
        offered = self._client.server_capabilities.tools
        if offered is None or not offered.list_changed:
            return
        while True:
            try:
                async with self._client.listen(tools_list_changed=True) as events:
                    async for _ in events:
                        self.changed.set()
            except ListenNotSupportedError:  # Older servers send notifications.
                return
            except (MCPError, SubscriptionLost, TimeoutError, RuntimeError) as error:
                log.info("an MCP server tells no changes: %s", error)
            await asyncio.sleep(_LISTEN_AGAIN_S)
            # What was missed is not told again.
            self.changed.set()

    async def _elicit(
        self,
        context: ClientRequestContext,  # noqa: ARG002 - the SDK's protocol
        params: types.ElicitRequestParams,
    ) -> types.ElicitResult | types.ErrorData:
        """Answer a server's question. It may ask only while exactly one call runs, so that the user knows for what."""
        if len(self._running) != 1:
            return types.ElicitResult(action="decline")
        elicited = await self._asked(params, self._running[0])
        content: dict[str, str | int | float | bool | list[str] | None] | None = None
        if elicited.values is not None:
            content = dict(elicited.values)
        return types.ElicitResult(action=elicited.action, content=content)

    async def _asked(
        self, params: types.ElicitRequestParams, running: tuple[Surroundings, asyncio.Timeout]
    ) -> Elicited:
        """Ask the user. Meanwhile the time of the call stands still."""
        surroundings, limit = running
        form = params if isinstance(params, types.ElicitRequestFormParams) else None
        url = params.url if isinstance(params, types.ElicitRequestURLParams) else ""
        now_s = asyncio.get_running_loop().time
        async with self._asking:
            left_s = (limit.when() or now_s()) - now_s()
            _move(limit, None)
            try:
                return await surroundings.elicit(params.message, None if form is None else form.requested_schema, url)
            finally:
                _move(limit, now_s() + left_s)

    async def _page_wanted(self, error: MCPError, running: tuple[Surroundings, asyncio.Timeout]) -> bool:
        """Whether a call failed because the user has to visit pages first, and the user has opened them all."""
        try:
            wanted = UrlElicitationRequiredError.from_error(error.error).elicitations
        except ValueError:  # another error, or one that says nothing
            return False
        answers = [await self._asked(each, running) for each in wanted[:_MOST_PAGES_TO_OPEN]]
        return bool(answers) and all(each.action == "accept" for each in answers)

    async def _notice(self, message: Any) -> None:
        """Take a notification of the server."""
        if isinstance(message, types.ToolListChangedNotification):
            self.changed.set()


def _move(limit: asyncio.Timeout, when_s: float | None) -> None:
    """Move the end of a limit that still counts."""
    with suppress(RuntimeError):  # The call is over.
        limit.reschedule(when_s)


async def _unchecked(name: str, result: types.CallToolResult) -> None:
    """Check nothing: results are words for a model."""
