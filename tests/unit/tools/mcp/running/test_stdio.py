"""What a process writes is read in bounded steps."""

import asyncio
import os
import shutil
from pathlib import Path

import pytest

from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.running import stdio
from assistant.tools.mcp.running.server_log import ServerLog
from assistant.tools.mcp.running.stdio import Process


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that were slept; none of them passes."""
    slept: list[float] = []

    async def noted(wait_s: float) -> None:
        slept.append(wait_s)

    monkeypatch.setattr(asyncio, "sleep", noted)
    return slept


class Session:
    """Takes the messages of a server."""

    closed = False

    async def send(self, message: object) -> None:
        return

    def close(self) -> None:
        self.closed = True


def process(folder: Path) -> Process:
    return Process(ServerEntry(name="a", command="a"), {}, ServerLog(folder / "log", ()))


async def test_empty_lines_without_end_wait(tmp_path: Path, waits: list[float]) -> None:
    output = asyncio.StreamReader()
    output.feed_data(b"\n" * 100)
    output.feed_eof()
    reading, session = process(tmp_path), Session()
    await reading._read(output, session)
    assert waits
    assert session.closed
    assert reading.ended.result() == "it has ended"


async def test_a_flood_of_errors_is_logged_piece_by_piece(tmp_path: Path, waits: list[float]) -> None:
    errors = asyncio.StreamReader()
    errors.feed_data(b"x" * 200_000)
    errors.feed_eof()
    await process(tmp_path)._read_errors(errors)
    assert len(waits) == 3
    assert (tmp_path / "log").stat().st_size == 200_000


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such guard")
async def test_a_start_that_is_cancelled_beside_its_guard_leaves_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = asyncio.get_running_loop().create_future()

    async def endless(group: int) -> None:
        started.set_result(group)
        await asyncio.Event().wait()

    monkeypatch.setattr(stdio, "_guard", endless)
    entry = ServerEntry(name="a", command=str(shutil.which("cat")))
    server = Process(entry, dict(os.environ), ServerLog(tmp_path / "log", ()))

    async def run() -> None:
        async with server.streams():
            pass

    task = asyncio.create_task(run())
    group = await started
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(ProcessLookupError):
        os.killpg(group, 0)
