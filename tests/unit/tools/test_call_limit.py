"""A call's time limit stands still while the user is asked."""

import asyncio

from assistant.tools.call_limit import CallLimit


class Clock:
    """A loop's time that tests move."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._at_s = loop.time()
        loop.time = lambda: self._at_s  # type: ignore[method-assign]

    async def pass_s(self, seconds: float) -> None:
        self._at_s += seconds
        for _ in range(3):
            await asyncio.sleep(0)


async def test_the_user_s_time_does_not_count() -> None:
    clock = Clock(asyncio.get_running_loop())
    limit = CallLimit(10.0)
    await clock.pass_s(6.0)
    with limit.paused():
        await clock.pass_s(100.0)
        with limit.paused():
            await clock.pass_s(100.0)
        await clock.pass_s(100.0)
    await clock.pass_s(3.0)
    assert not limit.over.done()
    await clock.pass_s(2.0)
    assert limit.over.done()


async def test_a_limit_that_has_ended_does_not_begin_again() -> None:
    clock = Clock(asyncio.get_running_loop())
    limit = CallLimit(1.0)
    with limit.paused():
        limit.end()
    await clock.pass_s(2.0)
    assert limit.over.cancelled()
