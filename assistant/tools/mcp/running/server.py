"""Keeps one server running: starts it, offers its tools, starts it again when it fails. Lives on the MCP thread."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from assistant.core.errors import StorageError
from assistant.core.records.egress import EgressLedger
from assistant.core.records.mcp import SERVER_ENDED, McpServerState, McpStatus
from assistant.tools.calling import RunningCall
from assistant.tools.mcp.approvals import ApprovalChangedError, Approvals, tool_hash
from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.environment import MissingVariableError, expanded
from assistant.tools.mcp.known_tools import KnownTools
from assistant.tools.mcp.log_file import log_file
from assistant.tools.mcp.program import program_of
from assistant.tools.mcp.running.adaptation import adapted, described, only_reads, output_of, said_of
from assistant.tools.mcp.running.http import http_streams
from assistant.tools.mcp.running.server_log import ServerLog
from assistant.tools.mcp.running.session import ServerFailedError, ServerSession, Surroundings
from assistant.tools.mcp.running.stdio import Process
from assistant.tools.tool import NotRunError, Tool, ToolError, ToolOutput

_START_S = 60.0
"""Longest start: the first one may fetch the server's package."""
_BACKOFF_S = (1.0, 5.0, 15.0, 60.0)
"""Seconds before each new start after a failure. After the last one the server stays stopped."""
_STABLE_S = 120.0
"""Seconds of work after which earlier failures are forgotten."""

CallOnLoop = Callable[["Server", str, dict[str, Any], RunningCall], Any]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What a server needs.

    Attributes:
        approvals: what the user approved.
        known: keeps what servers say of their tools, for the next start.
        environment: the user's environment.
        ledger: records requests to addresses; ``None`` to record nothing.
        logs: folder of the servers' log files.
        call: calls a tool for the engine: takes the server, the tool's name, the arguments, and what it serves.
        on_change: called when state or tools have changed.
    """

    approvals: Approvals
    known: KnownTools
    environment: Mapping[str, str]
    ledger: EgressLedger | None
    logs: Path
    call: CallOnLoop
    on_change: Callable[[], None]


@dataclass(slots=True, eq=False)
class Server:
    """One server.

    Attributes:
        entry: its entry, unexpanded.
        needs: what it needs.
        state: what the user sees.
        tools: its tools at present; replaced as a whole, so that other threads may read it.
        wake: set to start it again at once.
    """

    entry: ServerEntry
    needs: Needs
    state: McpServerState = field(init=False)
    tools: tuple[Tool, ...] = ()
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    _session: ServerSession | None = None

    def __post_init__(self) -> None:
        self.state = McpServerState(name=self.entry.name, status=McpStatus.STARTING)

    async def run(self) -> None:
        """Keep the server running until the task is cancelled."""
        failures = 0
        while True:
            began = time.monotonic()
            reason = await self._work()
            failures = 1 if time.monotonic() - began > _STABLE_S else failures + 1
            log.warning("MCP server %s failed: %s", self.entry.name, reason)
            over = failures > len(_BACKOFF_S)
            # A call waits for the first new start, which comes at once.
            waiting = McpStatus.STARTING if failures == 1 else McpStatus.FAILED
            self._become(McpStatus.STOPPED if over else waiting, reason=reason)
            self.wake.clear()
            try:
                await asyncio.wait_for(self.wake.wait(), None if over else _BACKOFF_S[failures - 1])
                failures = 0
            except TimeoutError:
                continue

    async def call(self, tool: str, arguments: dict[str, Any], surroundings: Surroundings) -> ToolOutput:
        """Call a tool.

        Raises:
            ToolError: the server does not run, or it or the tool failed.
        """
        session = self._session
        if session is None:
            raise NotRunError("tools.server_not_ready", server=self.entry.name, name=tool)
        try:
            return output_of(await session.call(tool, arguments, self.entry.timeout_s, surroundings))
        except TimeoutError as error:
            seconds = f"{self.entry.timeout_s:g}"
            raise ToolError("tool_reason.no_answer", name=self.entry.name, seconds=seconds) from error
        except ServerFailedError as error:
            raise ToolError("tool_reason.failed", name=self.entry.name, detail=error) from error

    def look_again(self) -> None:
        """Offer the tools that the user has approved meanwhile."""
        if self._session is not None:
            self._session.changed.set()

    async def _work(self) -> str:
        """Start the server and serve its tools until it fails; returns why it failed."""
        self._become(McpStatus.STARTING, reason=self.state.reason)
        try:
            async with self._connected() as (session, ended):
                await self._serve(session, ended)
                return ended.result()
        except asyncio.CancelledError:
            raise
        except MissingVariableError as error:
            return f"the variable {error.name} is not set"
        except (ServerFailedError, OSError, TimeoutError, ValueError) as error:
            return _words_of(error)
        except BaseExceptionGroup as group:
            return _first_words(group)
        except Exception as error:
            # Whatever the SDK meets in what a server sends: only this server fails.
            log.exception("MCP server %s", self.entry.name)
            return f"{type(error).__name__}: {error}"
        finally:
            self._session = None
            self.tools = ()

    @asynccontextmanager
    async def _connected(self) -> AsyncGenerator[tuple[ServerSession, "asyncio.Future[str]"], None]:
        entry = expanded(self.entry, self.needs.environment)
        async with asyncio.timeout(_START_S) as limit:
            if entry.url:
                ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
                transport = http_streams(entry, self.needs.ledger)
            else:
                process = self._process(entry)
                ended, transport = process.ended, process.streams()
            session = ServerSession(transport)
            async with session.connected():
                limit.reschedule(None)
                yield session, ended

    def _process(self, entry: ServerEntry) -> Process:
        if program_of(entry, self.needs.environment) is None:
            raise OSError(f"the program {entry.command} is not there")
        path = log_file(self.needs.logs, entry.name)
        return Process(entry, self.needs.environment, ServerLog(path, entry.environment.values()))

    async def _serve(self, session: ServerSession, ended: "asyncio.Future[str]") -> None:
        """Offer the tools, anew each time they change, until the connection ends."""
        ended.add_done_callback(partial(self._lose, session))
        while not ended.done():
            session.changed.clear()
            await self._offer(session, ended, await session.tools())
            await session.changed.wait()

    def _lose(self, session: ServerSession, ended: "asyncio.Future[str]") -> None:
        """Let calls wait for the next start, before any call of the lost connection fails. Its end may take seconds."""
        self._session, self.tools = None, ()
        self._become(McpStatus.STARTING, reason=ended.result())
        session.changed.set()

    async def _offer(self, session: ServerSession, ended: "asyncio.Future[str]", found: list[types.Tool]) -> None:
        """Offer the tools as far as the user has approved what the server says of them. None is called before."""
        by_name = {tool.name: tool for tool in found}
        said = {name: said_of(tool) for name, tool in by_name.items()}
        hashes = {name: tool_hash(each) for name, each in said.items()}
        waiting = await asyncio.to_thread(self._pinned, by_name, hashes)
        offered: dict[str, Tool] = {}
        left_out, kept = [], []
        for name, tool in by_name.items():
            if name in waiting:
                continue
            try:
                made = adapted(self.entry, tool, offered, partial(self.needs.call, self))
            except ValueError as error:
                log.warning("the tool %s of the MCP server %s cannot be used: %s", name, self.entry.name, error)
                left_out.append(name)
            else:
                offered[made.name] = made
                kept.append(said[name])
        await asyncio.to_thread(self.needs.known.keep, self.entry.name, kept)
        if not ended.done():
            self._session, self.tools = session, tuple(offered.values())
            self._become(McpStatus.READY, waiting=tuple(sorted(waiting)), left_out=tuple(left_out))

    def _pinned(self, by_name: Mapping[str, types.Tool], hashes: Mapping[str, str]) -> frozenset[str]:
        """The names of the tools that wait for the user's approval, at the first start all of them."""
        approvals, name = self.needs.approvals, self.entry.name
        said = {each: (hashed, described(name, by_name[each])) for each, hashed in hashes.items()}
        try:
            return approvals.await_tools(self.entry, said, [each for each in said if only_reads(by_name[each])])
        except ApprovalChangedError as error:
            raise ServerFailedError("it is no longer approved as it was started") from error
        except StorageError as error:
            # Without a record the tools of the next start could not be compared.
            raise ServerFailedError(f"its tools cannot be recorded: {error}") from error

    def _become(
        self, status: McpStatus, *, reason: str = "", waiting: tuple[str, ...] = (), left_out: tuple[str, ...] = ()
    ) -> None:
        self.state = McpServerState(
            name=self.entry.name,
            status=status,
            tools=len(self.tools),
            waiting=waiting,
            reason=reason,
            left_out=left_out,
        )
        self.needs.on_change()


def _first_words(group: BaseExceptionGroup[BaseException]) -> str:
    first = group.exceptions[0]
    while isinstance(first, BaseExceptionGroup):
        first = first.exceptions[0]
    return _words_of(first)


def _words_of(error: BaseException) -> str:
    """Why a server failed. One that ends before it has answered is a closed connection to the SDK."""
    told: BaseException | None = error
    while told is not None:
        if isinstance(told, MCPError) and told.code == types.CONNECTION_CLOSED:
            return SERVER_ENDED
        told = told.__cause__
    return str(error) or type(error).__name__
