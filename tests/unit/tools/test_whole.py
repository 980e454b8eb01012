"""Work that must end is waited for, whatever happens to the one who waits."""

import asyncio

import pytest

from assistant.tools.whole import wait_whole


async def test_a_waiter_that_is_cancelled_again_still_waits_for_the_end() -> None:
    release = asyncio.Event()

    async def work() -> None:
        await release.wait()

    running = asyncio.ensure_future(work())
    waiter = asyncio.create_task(wait_whole(running))
    for _ in range(3):
        await asyncio.sleep(0)
        waiter.cancel()
    await asyncio.sleep(0)
    assert not waiter.done()
    release.set()
    with pytest.raises(asyncio.CancelledError):
        await waiter
    assert running.done()


async def test_the_error_of_the_work_is_not_raised() -> None:
    async def fail() -> None:
        raise ValueError

    failing = asyncio.ensure_future(fail())
    await wait_whole(failing)
    assert isinstance(failing.exception(), ValueError)
