"""The thread of the servers ends when it is told to, also just after its start."""

import asyncio
import inspect

import pytest

from assistant.tools.mcp.running.loop_thread import LoopThread


async def test_an_end_right_after_the_start_is_not_lost() -> None:
    thread = LoopThread("test")
    seen: list[str] = []

    async def main(over: asyncio.Event) -> None:
        await over.wait()
        seen.append("over")

    assert not thread.started
    thread.start(main)
    await thread.end(5.0)
    assert seen == ["over"]
    await thread.end(5.0)


async def test_the_end_of_a_thread_that_never_started_does_nothing() -> None:
    await LoopThread("test").end(5.0)


async def _until_over(over: asyncio.Event) -> None:
    await over.wait()


async def test_work_for_a_thread_that_has_ended_is_refused_and_leaves_nothing_unfinished() -> None:
    thread = LoopThread("test")
    thread.start(_until_over)
    await thread.end(5.0)
    work = asyncio.sleep(0)
    with pytest.raises(RuntimeError):
        await thread.run(work)
    assert inspect.getcoroutinestate(work) == inspect.CORO_CLOSED
