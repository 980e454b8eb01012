"""A thread with an event loop of its own, so that nothing that a server sends can delay the engine's loop."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

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

    def start(self, main: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Start the thread. It ends when ``main`` ends; other coroutines are cancelled then."""
        started = threading.Event()

        async def run() -> None:
            self._loop = asyncio.get_running_loop()
            started.set()
            await main()

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
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    def call(self, work: Callable[[], None]) -> None:
        """Call a function on the thread and return at once; do nothing after its end."""
        if self._loop is not None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(work)

    async def join(self, timeout_s: float) -> None:
        """Wait for the end of the thread, without blocking the caller's loop."""
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join, timeout_s)
