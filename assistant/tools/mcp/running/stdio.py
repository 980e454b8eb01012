"""Talks to a server that Sori starts as a process: JSON messages, one a line, through its standard input and output.

The SDK's own transport reads lines of any length, with a cost that grows with the square of the length. A server that
floods its output could so stop the whole program. This one ends the connection at a line that is too long.
"""

import asyncio
import contextlib
import logging
import os
import shutil
import signal
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage

from assistant.child_processes import end_process
from assistant.core.records.mcp import SENT_TOO_MUCH, SERVER_ENDED
from assistant.tasks import TaskSupervisor, wait_whole
from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.environment import process_environment
from assistant.tools.mcp.running.limits import LONGEST_MESSAGE, MessagePace, problem_of
from assistant.tools.mcp.running.server_log import ServerLog

_GRACE_S = 2.0
"""Seconds that a server has to end after its input was closed, and again after it was asked to."""
_LAST_OUTPUT_S = 0.3
"""Seconds in which the last output of a process that has ended is still read. A child may hold the output open."""
_GUARD = 'read -r _; kill -s KILL -- "-$0"'
"""Waits for the end of its input, which also comes when Sori is killed, and ends a group of processes."""
_PIECE = 65536
_BETWEEN_PIECES_S = 0.05
"""Wait after a whole piece of the standard error, so that writing the log leaves time for other threads."""

Streams = tuple[Any, Any]
"""A stream of messages from the server, and one to it."""

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Process:
    """A server's process.

    Attributes:
        entry: the expanded entry.
        environment: the user's environment.
        server_log: takes what it writes to its standard error.
        ended: set when the connection is over; its result is the reason.
    """

    entry: ServerEntry
    environment: Mapping[str, str]
    server_log: ServerLog
    ended: asyncio.Future[str] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    @asynccontextmanager
    async def streams(self) -> AsyncGenerator[Streams, None]:
        """Start the process, connect to it, and end it with all its children.

        Raises:
            OSError: the process cannot be started.
        """
        process, exited = await self._started()
        to_session, from_server = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        to_server, from_session = anyio.create_memory_object_stream[SessionMessage](0)
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise OSError("the process has no pipes")
        guard: asyncio.subprocess.Process | None = None
        name, tasks = self.entry.name, TaskSupervisor()
        try:
            guard = await _guard(process.pid)
            reading = tasks.start(self._read(process.stdout, to_session), name=f"output of MCP server {name}")
            tasks.start(_end_reading(reading, exited), name=f"end of MCP server {name}")
            tasks.start(self._write(process.stdin, from_session), name=f"input of MCP server {name}")
            tasks.start(self._read_errors(process.stderr), name=f"log of MCP server {name}")
            yield from_server, to_server
        finally:
            try:
                # A caller that is cancelled, even again, must not leave a server behind. Every wait inside is limited.
                with anyio.CancelScope(shield=True):
                    await wait_whole(tasks.start(_stop(process, exited, guard), name=f"stop MCP server {name}"))
            finally:
                tasks.cancel()
                for stream in (to_session, from_server, to_server, from_session):
                    stream.close()
                await tasks.close()

    async def _started(self) -> tuple[asyncio.subprocess.Process, asyncio.Event]:
        entry, loop = self.entry, asyncio.get_running_loop()
        transport, protocol = await loop.subprocess_exec(
            _WatchedProcess,
            entry.command,
            *entry.arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=process_environment(entry, self.environment),
            cwd=entry.folder or Path.home(),
            # Its own group, so that its children can be ended with it, and Ctrl-C in a terminal does not reach it.
            start_new_session=True,
        )
        return asyncio.subprocess.Process(transport, protocol, loop), protocol.exited

    async def _read(self, output: asyncio.StreamReader, to_session: Any) -> None:
        reason, pace = SERVER_ENDED, MessagePace()
        now_s = asyncio.get_running_loop().time
        try:
            while line := await output.readline():
                wait_s = pace.wait_s(now_s())
                if reason := problem_of(line) or pace.problem:
                    return
                reason = SERVER_ENDED
                if line.strip():
                    await to_session.send(_parsed(line))
                if wait_s:
                    await asyncio.sleep(wait_s)
        except ValueError:
            reason = f"{SENT_TOO_MUCH} a message of more than {LONGEST_MESSAGE} bytes"
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            reason = "closed"
        finally:
            with contextlib.suppress(RuntimeError):  # The loop may be closing.
                if not self.ended.done():
                    self.ended.set_result(reason)
            to_session.close()

    async def _write(self, to_process: asyncio.StreamWriter, from_session: Any) -> None:
        with contextlib.suppress(OSError, anyio.ClosedResourceError):
            async for message in from_session:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                to_process.write(text.encode() + b"\n")
                await to_process.drain()

    async def _read_errors(self, errors: asyncio.StreamReader) -> None:
        while piece := await errors.read(_PIECE):
            self.server_log.write(piece)
            if len(piece) == _PIECE:
                await asyncio.sleep(_BETWEEN_PIECES_S)


def _parsed(line: bytes) -> SessionMessage | Exception:
    try:
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        log.info("a line of an MCP server is not a message: %s", str(error)[:200])
        return error


class _WatchedProcess(asyncio.subprocess.SubprocessStreamProtocol):
    """Tells when the process itself has ended: ``Process.wait`` also waits for children that hold its output open."""

    def __init__(self) -> None:
        super().__init__(limit=LONGEST_MESSAGE, loop=asyncio.get_running_loop())
        self.exited = asyncio.Event()

    def process_exited(self) -> None:
        super().process_exited()
        self.exited.set()


async def _end_reading(reading: "asyncio.Task[None]", exited: asyncio.Event) -> None:
    """End the connection with the process, although a child of it may hold its output open."""
    await exited.wait()
    await asyncio.wait({reading}, timeout=_LAST_OUTPUT_S)
    reading.cancel()


async def _guard(group: int) -> asyncio.subprocess.Process | None:
    """A process that ends a group of processes when Sori is gone or closes its input; ``None`` on Windows."""
    shell = None if sys.platform == "win32" else shutil.which("sh")
    if shell is None:
        return None
    nothing = asyncio.subprocess.DEVNULL
    return await asyncio.create_subprocess_exec(
        *(shell, "-c", _GUARD, str(group)),
        stdin=asyncio.subprocess.PIPE,
        stdout=nothing,
        stderr=nothing,
        start_new_session=True,
    )


async def _stop(
    process: asyncio.subprocess.Process, exited: asyncio.Event, guard: asyncio.subprocess.Process | None
) -> None:
    """End a process and its children: close its input, then ask, then kill."""
    if process.stdin is not None:
        process.stdin.close()
    for sent in (None, signal.SIGTERM):
        if sent is not None:
            _signal_group(process, sent)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(exited.wait(), _GRACE_S)
            break
    await end_process(process, group=True)  # also children that outlived it
    if guard is not None:
        await end_process(guard)


def _signal_group(process: asyncio.subprocess.Process, number: int) -> None:
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
