"""A process of a test, which writes an event per line to its standard output."""

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]


class EventProcess:
    """The test's side of such a process."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def tell(self, command: str) -> None:
        """Write a line to the process."""
        assert self._process.stdin
        self._process.stdin.write(f"{command}\n".encode())
        await self._process.stdin.drain()

    async def next_event(self, wanted: Callable[[dict[str, Any]], bool], limit_s: float = 60) -> dict[str, Any]:
        """The next wanted event. Others before it are passed over."""
        assert self._process.stdout
        async with asyncio.timeout(limit_s):
            while line := await self._process.stdout.readline():
                event: dict[str, Any] = json.loads(line)
                if wanted(event):
                    return event
        raise AssertionError("the process ended without the wanted event")


@contextlib.asynccontextmanager
async def event_process(
    module: str, *arguments: str, environment: Mapping[str, str], ends_within_s: float
) -> AsyncIterator[EventProcess]:
    """Run a module in a process of its own. At the end its standard input is closed.

    The process then has to end within ``ends_within_s`` seconds and with status 0.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", module, *arguments),
        cwd=ROOT,
        env=environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        yield EventProcess(process)
        assert process.stdin
        process.stdin.close()
        async with asyncio.timeout(ends_within_s):
            assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
