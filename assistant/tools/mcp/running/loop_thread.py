"""A thread with an event loop of its own, so that nothing that a server sends can delay the engine's loop."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from assistant.tasks import run_on

Result = TypeVar("Result")


class LoopThread:
    """Runs coroutines for callers on other threads.

    Args:
        name: name of the thread.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._over: asyncio.Event | None = None

    @property
    def started(self) -> bool:
        """Whether it was started."""
        return self._thread is not None

    def start(self, main: Callable[[asyncio.Event], Coroutine[Any, Any, None]]) -> None:
        """Start the thread. It ends when ``main`` ends; other coroutines are cancelled then.

        Args:
            main: takes the event that ``end`` sets.
        """
        started = threading.Event()

        async def run() -> None:
            self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
            started.set()
            await main(self._over)

        self._thread = threading.Thread(target=lambda: asyncio.run(run()), name=self._name, daemon=True)
        self._thread.start()
        started.wait()

    async def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Run a coroutine on the thread. Cancelling the caller cancels it.

        Raises:
            RuntimeError: the thread has ended.
        """
        if self._loop is None:
            work.close()
            raise RuntimeError(f"{self._name} does not run")
        return await asyncio.wrap_future(run_on(self._loop, work))

    async def end(self, timeout_s: float) -> None:
        """Let ``main`` end, and wait for it without blocking the caller's loop. Do nothing before the start."""
        if self._loop is None or self._over is None or self._thread is None:
            return
        with suppress(RuntimeError):  # It has ended already.
            self._loop.call_soon_threadsafe(self._over.set)
        await asyncio.to_thread(self._thread.join, timeout_s)
