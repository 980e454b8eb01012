"""Child processes that end with their use: none is left behind, however often whoever waits is cancelled."""

import asyncio
import os
import signal
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress

from assistant.tasks import TaskSupervisor, wait_whole


@asynccontextmanager
async def child_process(
    *command: str,
    stdin: int = DEVNULL,
    stdout: int = DEVNULL,
    stderr: int = DEVNULL,
    env: Mapping[str, str] | None = None,
    group: bool = False,
) -> AsyncGenerator[Process, None]:
    """A process for the block, which kills it at its end.

    Args:
        command: the program and its arguments.
        stdin: as ``asyncio.create_subprocess_exec`` takes it, like ``stdout``, ``stderr`` and ``env``.
        stdout: its output.
        stderr: its error stream.
        env: its environment; this process's own by default.
        group: whether its children are killed with it.

    Raises:
        OSError: it cannot be started.
    """
    process = await asyncio.create_subprocess_exec(
        *command, stdin=stdin, stdout=stdout, stderr=stderr, env=env, start_new_session=group
    )
    try:
        yield process
    finally:
        await end_process(process, group=group)


async def end_process(process: Process, *, grace_s: float = 0.0, group: bool = False) -> None:
    """Kill a process, close its pipes and wait for its end, also while this is cancelled, even again.

    Nothing that it has printed can be read any more. A process that has ended already may still have open pipes.

    Args:
        process: the process.
        grace_s: seconds in which it may end by itself after its input was closed. A cancellation ends them.
        group: whether it leads a group of processes, which is killed with it.
    """
    try:
        if grace_s and process.stdin is not None:
            process.stdin.close()
            with suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), grace_s)
    finally:
        _kill(process, group=group)
        await wait_whole(TaskSupervisor().start(_gone(process), name="end of a child process", handled=True))


def _kill(process: Process, *, group: bool) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if group and os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
    if process.stdin is not None and process.stdin.transport.get_write_buffer_size():
        process.stdin.transport.abort()  # otherwise it would wait for a child of the process that does not read
    # The only way to close pipes that a child of the process holds open. It kills a process that runs.
    process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001


async def _gone(process: Process) -> None:
    await process.wait()
    await asyncio.sleep(0)  # asyncio closes the pipes in its next step
