"""What is being worked on right now, so that audio time can stand still meanwhile.

A recording that is played fast advances only while nothing is being recognised, thought or synthesised: the machine
then seems infinitely fast, and a whole conversation comes out the same on any computer.
"""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

_Result = TypeVar("_Result")


class Work:
    """Counts the pieces of work that are under way."""

    def __init__(self) -> None:
        self._count = 0
        self._idle = asyncio.Event()
        self._idle.set()

    @contextmanager
    def piece(self) -> Iterator[None]:
        """One piece of work is under way inside this context."""
        self._count += 1
        self._idle.clear()
        try:
            yield
        finally:
            self._count -= 1
            if self._count == 0:
                self._idle.set()

    @property
    def idle(self) -> bool:
        """Whether nothing is under way."""
        return self._count == 0

    async def wait_until_idle(self) -> None:
        """Return when nothing is under way, nor about to be by what has just finished."""
        # A finished piece wakes whoever awaits it in the loop's next round, and that one may begin the next piece.
        quiet_rounds = 0
        while quiet_rounds < 3:
            await self._idle.wait()
            await asyncio.sleep(0)
            quiet_rounds = quiet_rounds + 1 if self.idle else 0


class ModelThread:
    """The one thread on which one model runs; its results are awaited.

    Threads cannot be killed: a caller that is cancelled leaves the model running to the end of its call, and the late
    result is dropped.
    """

    def __init__(self, name: str, work: Work) -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._work = work

    async def run(self, call: Callable[[], _Result]) -> _Result:
        """Run ``call`` on the thread and return what it returns."""
        with self._work.piece():
            return await asyncio.get_running_loop().run_in_executor(self._executor, call)

    def close(self) -> None:
        """Take no more calls; the one that runs may finish."""
        self._executor.shutdown(wait=False, cancel_futures=True)
