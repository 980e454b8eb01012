"""The work in progress, so that audio time can stop while it runs.

A recording played fast advances only while nothing is being recognised, generated or synthesised. The machine then
appears infinitely fast, and a conversation gives the same result on any computer.
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
"""Longest wait for a model; after it the model counts as stuck. The slowest calls, a voice that loads at its first
sentence and the recognition of half a minute of speech, take a few seconds on a busy computer (V-19)."""

_Result = TypeVar("_Result")


class Work:
    """Counts the pieces of work in progress."""

    def __init__(self) -> None:
        self._count = 0
        self._idle = asyncio.Event()
        self._idle.set()

    @contextmanager
    def piece(self) -> Iterator[None]:
        """Count one piece of work for the duration of this context."""
        self._count += 1
        self._idle.clear()
        try:
            yield
        finally:
            self._count -= 1
            if self._count == 0:
                self._idle.set()

    def pause(self) -> None:
        """One of the pieces waits for the user, until ``resume``."""
        self._count -= 1
        if self._count == 0:
            self._idle.set()

    def resume(self) -> None:
        """A piece that has waited for the user goes on."""
        self._count += 1
        self._idle.clear()

    @property
    def idle(self) -> bool:
        """Whether no work is in progress."""
        return self._count == 0

    async def wait_until_idle(self) -> None:
        """Return when no work is in progress and finished work starts no more."""
        # A finished piece wakes its awaiter in the loop's next iteration, and the awaiter may start the next piece.
        quiet_rounds = 0
        while quiet_rounds < 3:
            await self._idle.wait()
            await asyncio.sleep(0)
            quiet_rounds = quiet_rounds + 1 if self.idle else 0


class ModelThread:
    """A thread for one model, whose results are awaited.

    Threads cannot be killed. If a caller is cancelled, the model finishes its call and the late result is dropped.

    Args:
        name: name of the thread, and of the engine in errors.
        work: counts the calls.
        limit_s: longest wait for a result.
    """

    def __init__(self, name: str, work: Work, *, limit_s: float = LONGEST_CALL_S) -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._name = name
        self._work = work
        self._limit_s = limit_s

    async def run(self, call: Callable[[], _Result]) -> _Result:
        """Run ``call`` on the thread and return its result.

        Raises:
            SoriError: the error raised by ``call``. Any other exception, and a missing result after ``limit_s``,
                becomes an ``EngineError``, so no caller waits for ever.
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
        """Accept no more calls; the running call may finish."""
        self._executor.shutdown(wait=False, cancel_futures=True)


class Jobs:
    """The background tasks of one owner."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, job: Coroutine[Any, Any, None]) -> None:
        """Run ``job`` in the background."""
        task = asyncio.get_running_loop().create_task(job)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def cancel(self) -> None:
        """Cancel all tasks."""
        for task in self._tasks:
            task.cancel()

    async def settle(self) -> None:
        """Wait until all tasks have ended, with or without an error."""
        await asyncio.gather(*self._tasks, return_exceptions=True)
