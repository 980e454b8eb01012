"""Real processes end with their use, and their pipes are closed, however they behave and whoever is cancelled."""

import asyncio
import os
import sys
import time
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from pathlib import Path

import pytest

from assistant.child_processes import child_process, end_process

WAITS = "import sys; print('up', flush=True); sys.stdin.read()"
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {WAITS}; signal.pause()"
FLOODS = "import os\nwhile True: os.write(1, b'x' * 65536)"
LEAVES_A_CHILD = (
    "import subprocess, sys;"
    "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], start_new_session={apart});"
    "print(child.pid, flush=True); sys.stdin.read() if {stays} else None"
)
posix = pytest.mark.skipif(sys.platform == "win32", reason="groups and signals of POSIX")


async def started(code: str) -> Process:
    """A Python process with pipes that has begun to print."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, stdin=PIPE, stdout=PIPE, stderr=PIPE, start_new_session=True
    )
    assert process.stdout is not None
    await process.stdout.readexactly(1)
    return process


def open_files() -> set[str]:
    """What this process has open, also of earlier tests, which may close it at any time."""
    found = set()
    for each in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            found.add(str(each.readlink()))
    return found


def alive(process_id: int) -> bool:
    """Whether a process runs; one that nobody waits for has ended."""
    try:
        return Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


async def gone(process_id: int) -> bool:
    """Whether a process that was killed ends at once."""
    ends_s = time.monotonic() + 5
    while alive(process_id) and time.monotonic() < ends_s:  # noqa: ASYNC110 - another process waits for it
        await asyncio.sleep(0.01)
    return not alive(process_id)


def assert_reaped(process: Process) -> None:
    """The process has ended, and was waited for."""
    assert process.returncode is not None
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)


@posix
@pytest.mark.parametrize("code", [WAITS, STUBBORN, FLOODS], ids=["waits", "ignores SIGTERM", "floods its output"])
@pytest.mark.parametrize("cancellations", [0, 1, 2, 5])
async def test_a_process_has_ended_when_the_wait_is_over_however_often_it_is_cancelled(
    code: str, cancellations: int
) -> None:
    before = open_files()
    process = await started(code)
    ending = asyncio.create_task(end_process(process, grace_s=30.0 if cancellations else 0.0))
    for _ in range(cancellations):
        await asyncio.sleep(0)
        ending.cancel()
    with suppress(asyncio.CancelledError):
        await ending
    assert ending.cancelled() == bool(cancellations)
    assert_reaped(process)
    assert open_files() <= before


@posix
async def test_a_process_that_has_ended_by_itself_leaves_no_pipe_open() -> None:
    before = open_files()
    process = await started("print('over')")
    while process.returncode is None:  # noqa: ASYNC110 - waiting for the process would also wait for its pipes
        await asyncio.sleep(0.01)
    await end_process(process)
    await end_process(process)
    assert process.returncode == 0
    assert open_files() <= before


@posix
@pytest.mark.parametrize("stays", [True, False])
async def test_a_child_that_keeps_the_pipes_open_is_not_waited_for(stays: bool) -> None:
    before = open_files()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", LEAVES_A_CHILD.format(apart=True, stays=stays), stdin=PIPE, stdout=PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    grandchild = int(await process.stdout.readline())
    process.stdin.write(b"x" * 1_000_000)  # more than the pipe takes: nobody reads it
    try:
        async with asyncio.timeout(60):
            await end_process(process)
        assert alive(grandchild)
        assert_reaped(process)
        assert open_files() <= before
    finally:
        os.kill(grandchild, 9)


@posix
@pytest.mark.parametrize("stays", [True, False])
async def test_a_group_ends_with_its_first_process(stays: bool) -> None:
    code = LEAVES_A_CHILD.format(apart=False, stays=stays)
    async with child_process(sys.executable, "-c", code, stdin=PIPE, stdout=PIPE, group=True) as process:
        assert process.stdout is not None
        grandchild = int(await process.stdout.readline())
    assert_reaped(process)
    assert await gone(grandchild)


@posix
async def test_a_process_may_end_by_itself_when_its_input_is_closed() -> None:
    process = await started(WAITS)
    await end_process(process, grace_s=30.0)
    assert process.returncode == 0


@posix
async def test_a_process_that_does_not_end_in_its_time_is_killed() -> None:
    process = await started(STUBBORN)
    await end_process(process, grace_s=0.2)
    assert process.returncode == -9


@posix
async def test_a_block_that_is_cancelled_twice_leaves_no_process_and_no_pipe_behind() -> None:
    before, running = open_files(), asyncio.get_running_loop().create_future()

    async def use() -> None:
        async with child_process(sys.executable, "-c", STUBBORN, stdin=PIPE, stdout=PIPE) as process:
            assert process.stdout is not None
            await process.stdout.readline()
            running.set_result(process)
            await process.communicate()

    using = asyncio.create_task(use())
    process = await running
    for _ in range(2):
        using.cancel()
        await asyncio.sleep(0)
    await asyncio.wait({using})
    assert using.cancelled()
    assert_reaped(process)
    assert open_files() <= before


async def test_a_program_that_is_not_there_is_told() -> None:
    with pytest.raises(FileNotFoundError):
        async with child_process("/no/such/program"):
            pass
