"""What is being worked on right now, so that audio time can stand still meanwhile.

A recording that is played fast advances only while nothing is being recognised, thought or synthesised: the machine
then seems infinitely fast, and a whole conversation comes out the same on any computer.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from assistant.core.errors import EngineError, SoriError

log = logging.getLogger(__name__)

LONGEST_CALL_S = 60.0
"""A model that has given nothing by then is stuck: the slowest, a voice that is loaded at its first sentence and
recognition of half a minute of speech, take a few seconds on a busy computer (V-19)."""

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

    Args:
        name: of the thread, and of the engine in errors.
        work: counts the calls.
        limit_s: longest wait for a result.
    """

    def __init__(self, name: str, work: Work, *, limit_s: float = LONGEST_CALL_S) -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._name = name
        self._work = work
        self._limit_s = limit_s

    async def run(self, call: Callable[[], _Result]) -> _Result:
        """Run ``call`` on the thread and return what it returns.

        Raises:
            SoriError: what ``call`` raised; an ``EngineError`` for anything that is none, and when there is no result
                in time. So nothing that a model does can leave whoever awaits it waiting for ever.
        """
        scope = asyncio.timeout(self._limit_s)
        try:
            with self._work.piece():
                async with scope:
                    return await asyncio.get_running_loop().run_in_executor(self._executor, call)
        except SoriError:
            raise
        except Exception as error:
            log.exception("%s failed", self._name)
            late = isinstance(error, TimeoutError) and scope.expired()
            detail = f"no result for {self._limit_s:g} s" if late else f"{type(error).__name__}: {error}"
            raise EngineError(self._name, detail, cause=error) from error

    def close(self) -> None:
        """Take no more calls; the one that runs may finish."""
        self._executor.shutdown(wait=False, cancel_futures=True)


class Jobs:
    """What runs in the background for one owner, and ends with it."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, job: Coroutine[Any, Any, None]) -> None:
        """Run ``job``."""
        task = asyncio.get_running_loop().create_task(job)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def cancel(self) -> None:
        """Stop all of them."""
        for task in self._tasks:
            task.cancel()

    async def settle(self) -> None:
        """Wait until all of them are over, however they end."""
        await asyncio.gather(*self._tasks, return_exceptions=True)
