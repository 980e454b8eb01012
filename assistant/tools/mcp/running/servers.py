"""All MCP servers: follows ``mcp.json`` and the approvals, and gives the tools of the servers that run."""

import asyncio
import concurrent.futures
import gc
import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.core.records.egress import EgressLedger
from assistant.core.records.mcp import McpServerState, McpStatus
from assistant.core.texts import Texts
from assistant.tasks import TaskSupervisor, run_on
from assistant.tools.calling import RunningCall
from assistant.tools.mcp.approvals import Approvals, Standing
from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.known_tools import KnownTools
from assistant.tools.mcp.mcp_json import McpFile
from assistant.tools.mcp.names import is_of
from assistant.tools.mcp.running.asking import CANCELLED, Elicited, OpenPage, ServerQuestions
from assistant.tools.mcp.running.loop_thread import LoopThread
from assistant.tools.mcp.showing import in_one_line
from assistant.tools.tool import NotRunError, Tool

if TYPE_CHECKING:
    from assistant.tools.mcp.running.server import Server

_LOOK_EVERY_S = 2.0
"""Seconds between looks at the files."""
_CLOSE_S = 8.0
"""Longest wait for the servers to end: a server may take two seconds after each of three requests."""

log = logging.getLogger(__name__)


class McpServers:
    """Runs the approved and enabled servers on a thread of their own. Its methods belong to the engine's loop.

    The SDK is imported, and the thread started, with the first server. Nobody without servers waits for them.

    Args:
        file: the configured servers.
        approvals: what the user approved.
        known: what servers said of their tools at their last start.
        environment: the user's environment.
        ledger: records requests to addresses.
        logs: folder of the servers' log files.
        texts: the user's words, for questions of servers.
        on_states: told the states of all servers when one has changed.
        open_page: opens a page that a server wants the user to see, after the user's yes.
    """

    def __init__(
        self,
        file: McpFile,
        approvals: Approvals,
        known: KnownTools,
        *,
        environment: Mapping[str, str],
        ledger: EgressLedger | None,
        logs: Path,
        texts: Texts,
        on_states: Callable[[tuple[McpServerState, ...]], None],
        open_page: OpenPage,
    ) -> None:
        self._file, self._approvals, self._known = file, approvals, known
        self._environment, self._ledger, self._logs, self._texts = environment, ledger, logs, texts
        self._on_states, self._open_page = on_states, open_page
        self._thread = LoopThread("mcp")
        self._engine: asyncio.AbstractEventLoop | None = None
        self._tasks, self._running = TaskSupervisor(), TaskSupervisor()  # of the engine's loop and of the thread's
        self._servers: dict[str, tuple[Server, asyncio.Task[None]]] = {}
        self._waiting: dict[str, McpServerState] = {}
        self._told: tuple[tuple[McpServerState, ...], dict[str, tuple[Tool, ...]]] = (), {}
        self._arriving: dict[str, tuple[Tool, ...]] = {}
        self._offered: dict[str, tuple[Tool, ...]] = {}
        self._tools: tuple[Tool, ...] = ()
        self._news = asyncio.Event()
        self.states: tuple[McpServerState, ...] = ()

    def tools(self) -> tuple[Tool, ...]:
        """The tools of the servers that run or start for the first time, in a fixed order."""
        return self._tools

    def start(self) -> None:
        """Start the servers in the background, and follow changes of the files from now on."""
        self._engine = asyncio.get_running_loop()
        self._tasks.start(self._watch(), name="first entry of mcp.json")

    async def start_and_wait(self, limit_s: float) -> tuple[McpServerState, ...]:
        """Start the servers and wait until each approved one is ready or has failed. Without one start nothing.

        Args:
            limit_s: longest wait, in seconds.

        Returns:
            The states of the approved servers that are not ready.
        """
        wanted = _wanted(*await asyncio.to_thread(self._read))
        if not wanted:
            return ()
        self.start()
        return await self._started(wanted, limit_s)

    async def await_tool(self, tool: str, limit_s: float) -> str:
        """Wait for the approved server that a missing tool may belong to, as long as it starts.

        Args:
            tool: the tool's name.
            limit_s: longest wait, in seconds.

        Returns:
            The name of the server if it is not ready; empty if it is, or if no server runs that may have the tool.
        """
        if self._engine is None or not tool.startswith("mcp_"):
            return ""
        wanted = _wanted(*await asyncio.to_thread(self._read))
        missing = await self._started([name for name in wanted if is_of(tool, name)], limit_s)
        return missing[0].name if missing else ""

    async def _started(self, names: Collection[str], limit_s: float) -> tuple[McpServerState, ...]:
        """Wait until each of these servers is ready or has failed; returns those that are not ready."""
        with suppress(TimeoutError):
            async with asyncio.timeout(limit_s):
                while any(state.status is McpStatus.STARTING for state in self._states_of(names)):
                    self._news.clear()
                    await self._news.wait()
        return tuple(state for state in self._states_of(names) if state.status is not McpStatus.READY)

    def _states_of(self, names: Iterable[str]) -> list[McpServerState]:
        known = {state.name: state for state in self.states}
        return [known.get(name, McpServerState(name=name, status=McpStatus.STARTING)) for name in names]

    async def restart(self, name: str) -> bool:
        """Start a server again at once; returns whether there is such a server."""
        if name not in self._servers:
            return False
        await self._thread.run(self._stop(name))
        await self._thread.run(self._look())
        return True

    async def close(self) -> None:
        """End all servers."""
        await self._tasks.close()
        await self._thread.end(_CLOSE_S)

    async def _watch(self) -> None:
        """Offer known tools, wait for the first entry, then start the thread, which looks at the files itself."""
        self._arriving = await asyncio.to_thread(self._read_known)
        self._tools = _in_order(self._arriving)
        while not (await asyncio.to_thread(self._file.read)).entries:  # noqa: ASYNC110 - nothing tells of edits
            await asyncio.sleep(_LOOK_EVERY_S)
        # The import takes half a second of processor time.
        await asyncio.to_thread(_import_sdk)
        self._thread.start(self._run)

    # On the thread

    async def _run(self, wanted_over: asyncio.Event) -> None:
        while not wanted_over.is_set():
            try:
                await self._look()
            except Exception:
                # The next look may succeed; the servers that run go on.
                log.exception("the MCP servers cannot be followed")
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_EVERY_S):
                    await wanted_over.wait()
        await asyncio.gather(*map(self._stop, tuple(self._servers)))

    async def _look(self) -> None:
        """Start and stop servers as the files want it."""
        entries, standing = await asyncio.to_thread(self._read)
        wanted = _wanted(entries, standing)
        for name, (server, _) in tuple(self._servers.items()):
            if server.entry != wanted.get(name):
                await self._stop(name)
            elif set(server.state.waiting) != standing[name].waiting.keys():
                server.look_again()
        self._waiting = {
            each.name: McpServerState(name=each.name, status=McpStatus.UNAPPROVED if each.enabled else McpStatus.OFF)
            for each in entries
            if each.name not in wanted
        }
        for name, entry in wanted.items():
            if name not in self._servers:
                self._begin(entry)
        self._changed()

    def _read(self) -> tuple[tuple[ServerEntry, ...], Mapping[str, Standing]]:
        entries = self._file.read().entries
        return entries, self._approvals.standing(entries)

    def _read_known(self) -> dict[str, tuple[Tool, ...]]:
        return self._known.arriving(_wanted(*self._read()).values(), self._approvals)

    def _begin(self, entry: ServerEntry) -> None:
        from assistant.tools.mcp.running.server import Needs, Server

        needs = Needs(
            approvals=self._approvals,
            known=self._known,
            environment=self._environment,
            ledger=self._ledger,
            logs=self._logs,
            call=self._call,
            on_change=self._changed,
        )
        server = Server(entry, needs)
        self._servers[entry.name] = server, self._running.start(server.run(), name=f"MCP server {entry.name}")

    async def _stop(self, name: str) -> None:
        _, task = self._servers.pop(name)
        task.cancel()
        await asyncio.wait({task})
        self._changed()

    def _changed(self) -> None:
        """Tell the engine of the present tools and states."""
        running = {name: server.state for name, (server, _) in self._servers.items()}
        states = tuple(state for _, state in sorted({**self._waiting, **running}.items()))
        told = states, {name: server.tools for name, (server, _) in self._servers.items()}
        if told != self._told and self._engine is not None:
            self._told = told
            with suppress(RuntimeError):  # The engine has ended.
                self._engine.call_soon_threadsafe(self._take, *told)

    # On the engine's loop

    def _take(self, states: tuple[McpServerState, ...], tools: Mapping[str, tuple[Tool, ...]]) -> None:
        starting = {each.name for each in states if each.status is McpStatus.STARTING}
        # A call of a tool whose server starts again waits for it.
        again = {name: tuple(replace(tool, arriving=True) for tool in each) for name, each in self._offered.items()}
        self._arriving = {name: each for name, each in {**again, **self._arriving}.items() if name in starting}
        self._offered = {**self._offered, **{name: each for name, each in tools.items() if each}}
        self._tools = _in_order({**tools, **self._arriving})
        if states != self.states:
            self.states = states
            self._news.set()
            self._on_states(states)

    async def _call(self, server: "Server", tool: str, arguments: dict[str, Any], call: RunningCall) -> Any:
        """Call a tool for a turn. One whose server has ended since the call was checked waits for its new start."""
        try:
            return await self._sent(server, tool, arguments, call)
        except NotRunError:
            with nullcontext() if call.limit is None else call.limit.paused():
                again = await self._offered_again(server.entry, call.call.name)
            if not again:
                raise
        return await self._sent(server, tool, arguments, call)

    async def _offered_again(self, entry: ServerEntry, tool: str) -> bool:
        """Wait for a server that starts again; whether it offers a tool then, which the user has approved as it is."""
        if all(state.name != entry.name for state in self.states):
            return False  # It was removed.
        await self._started([entry.name], entry.timeout_s)
        return any(each.name == tool and not each.arriving for each in self._tools)

    async def _sent(self, server: "Server", tool: str, arguments: dict[str, Any], call: RunningCall) -> Any:
        """Send a call. What the server reports or asks goes to the turn."""
        from assistant.tools.mcp.running.session import Surroundings

        loop, attendant = asyncio.get_running_loop(), call.attendant

        def progress(text: str) -> None:
            if attendant is not None:
                loop.call_soon_threadsafe(attendant.progress, call.call, text)

        asking: set[concurrent.futures.Future[Elicited]] = set()

        async def elicit(message: str, schema: Mapping[str, Any] | None, url: str) -> Elicited:
            if attendant is None:
                return CANCELLED
            questions = ServerQuestions(
                texts=self._texts,
                server=in_one_line(server.entry.name),
                call=call.call,
                attendant=attendant,
                limit=call.limit,
                open_page=self._open_page,
            )
            asked = questions.page(message, url) if schema is None else questions.form(message, schema)
            future = run_on(loop, asked)
            asking.add(future)
            try:
                return await asyncio.wrap_future(future)
            except asyncio.CancelledError:
                task = asyncio.current_task()
                if task is not None and task.cancelling():
                    raise
                return CANCELLED  # The call is over.

        try:
            return await self._thread.run(server.call(tool, arguments, Surroundings(progress=progress, elicit=elicit)))
        finally:
            # Nobody waits for the answers any longer.
            for each in tuple(asking):
                each.cancel()


def _in_order(tools: Mapping[str, tuple[Tool, ...]]) -> tuple[Tool, ...]:
    """The tools of all servers in the order of the servers' names."""
    # A name may be taken by another server's tool, as where two names differ in their spaces only.
    return tuple({tool.name: tool for _, several in sorted(tools.items()) for tool in several}.values())


def _wanted(entries: Iterable[ServerEntry], standing: Mapping[str, Standing]) -> dict[str, ServerEntry]:
    """The servers that are to run: the enabled and approved ones."""
    return {each.name: each for each in entries if each.enabled and standing[each.name].approved}


def _import_sdk() -> None:
    import assistant.tools.mcp.running.server  # noqa: F401

    # The SDK's modules double the objects, and each collection of all would hold up the engine for twice the time.
    gc.freeze()
