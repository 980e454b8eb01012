"""Tasks with an owner: each has a name, its failure is told once, and its end is awaited.

Only this module calls ``create_task`` (``tests/unit/test_structure.py``). A failure that no caller handles goes to the
exception handler of the loop, which logs it; ``show_failures`` also lets it be shown to the user.
"""

import asyncio
import os
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Self, TypeVar

from assistant.core.service.request import Refusal, RefusedError, RequestId

T = TypeVar("T")


class AbandonedThreads(ThreadPoolExecutor):
    """A thread pool that is not awaited at the end, so that running calls into libraries do not delay the end.

    Such calls import an SDK, load a model or measure a voice, which takes up to a minute.
    """

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = True) -> None:
        """Accept no more work, and do not wait for running work; ``wait``, which the event loop passes, is ignored."""
        del wait
        super().shutdown(wait=False, cancel_futures=cancel_futures)


def come_last(platform: str = sys.platform) -> None:
    """Give this thread the lowest priority. Only Linux can do this for one thread without a library."""
    if platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)


class IdleTimer:
    """Lets go of something that takes memory when it was not in use for a while. For one event loop.

    Args:
        idle_s: seconds without use.
        leave: called on the loop then.
    """

    def __init__(self, idle_s: float, leave: Callable[[], object]) -> None:
        self._idle_s, self._leave = idle_s, leave
        self._users = 0
        self._timer: asyncio.TimerHandle | None = None

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Keep it for the block. Blocks may overlap: the time begins at the end of the last one."""
        self._users += 1
        self.stop()
        try:
            yield
        finally:
            self._users -= 1
            if not self._users:
                self._timer = asyncio.get_running_loop().call_later(self._idle_s, self._leave)

    def stop(self) -> None:
        """Let go of nothing any more, unless it is used again."""
        if self._timer is not None:
            self._timer.cancel()


class TaskSupervisor:
    """The tasks of one owner, which closes them; as a context manager it closes them at the end of the block."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    async def __aenter__(self) -> Self:
        """Enter the block."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close."""
        await self.close()

    @property
    def idle(self) -> bool:
        """Whether no task runs."""
        return not self._tasks

    def start(self, work: Coroutine[Any, Any, T], *, name: str, handled: bool = False) -> asyncio.Task[T]:
        """Start a task.

        Args:
            work: what it does.
            name: what it is, for the log.
            handled: whether the caller handles its failure, for example because it awaits the task.
        """
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(partial(self._ended, handled=handled))
        return task

    def cancel(self) -> None:
        """Cancel all tasks, without waiting for their end."""
        for task in self._tasks:
            task.cancel()

    async def settle(self) -> None:
        """Wait until all tasks have ended, also those that begin meanwhile."""
        while others := self._tasks - {asyncio.current_task()}:
            await asyncio.wait(others)

    async def close(self) -> None:
        """Cancel all tasks, and wait until they have ended."""
        while others := self._tasks - {asyncio.current_task()}:
            for task in others:
                task.cancel()
            await asyncio.wait(others)

    def _ended(self, task: asyncio.Task[Any], *, handled: bool) -> None:
        self._tasks.discard(task)
        if task.cancelled() or (error := task.exception()) is None or handled:
            return
        context = {"message": f"the task {task.get_name()} failed", "exception": error, "task": task}
        task.get_loop().call_exception_handler(context)


def show_failures(show: Callable[[BaseException], None]) -> None:
    """Let failures of the running loop's tasks be shown to the user.

    Args:
        show: takes each failure that no caller handles, once, after it was logged.
    """

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        loop.default_exception_handler(context)
        if (error := context.get("exception")) is not None and ("task" in context or "future" in context):
            show(error)

    asyncio.get_running_loop().set_exception_handler(handle)


def run_on(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, T]) -> Future[T]:
    """Start a coroutine on the loop of another thread.

    Raises:
        RuntimeError: the loop has ended. The coroutine is closed then, so that Python does not warn of it later.
    """
    try:
        return asyncio.run_coroutine_threadsafe(work, loop)
    except RuntimeError:
        work.close()
        raise


async def first_of(*works: Awaitable[T]) -> T:
    """Run until the first of these has ended; cancel the others, and wait until they have ended.

    Returns:
        What the first one returned. Its error is raised.
    """
    async with TaskSupervisor() as tasks:
        running = [tasks.start(_awaited(work), name="first of several", handled=True) for work in works]
        done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
        return next(task for task in running if task in done).result()


async def _awaited(work: Awaitable[T]) -> T:
    return await work


async def wait_whole(work: asyncio.Future[Any]) -> None:
    """Wait for the end of the work even while being cancelled again, then pass that cancellation on.

    The work's own error is not raised.
    """
    cancelled: asyncio.CancelledError | None = None
    while not work.done():
        try:
            await asyncio.wait({work})
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled


async def reply_of(ask: Callable[[Callable[[Any], None]], RequestId], give_up: Callable[[RequestId], None]) -> Any:
    """Ask, and wait on this loop for the reply, which may come on any thread.

    Args:
        ask: sends the request, given what takes its reply.
        give_up: gives the request up when the waiting task is cancelled.

    Raises:
        RefusedError: the request was refused.
    """
    loop = asyncio.get_running_loop()
    waiting: asyncio.Future[Any] = loop.create_future()

    def settle(reply: Any) -> None:
        if not waiting.done():
            waiting.set_result(reply)

    def take(reply: Any) -> None:
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(settle, reply)

    asked = ask(take)
    try:
        reply = await waiting
    except asyncio.CancelledError:
        give_up(asked)
        raise
    if isinstance(reply, Refusal):
        raise RefusedError(reply)
    return reply
