"""The time limit of a running call, which stands still while the user is asked."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager


class CallLimit:
    """Counts the time of a call from its making on. Belongs to the event loop on which it was made.

    Args:
        seconds: the time that the call may take, without the user's.

    Attributes:
        over: done when the time is over.
    """

    def __init__(self, seconds: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._left_s = seconds
        self._asking = 0
        self._began_s = self._loop.time()
        self.over: asyncio.Future[None] = self._loop.create_future()
        self._timer = self._loop.call_later(seconds, self.over.cancel)

    def end(self) -> None:
        """Count no more."""
        self._timer.cancel()
        self.over.cancel()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Do not count while the user is asked."""
        self._asking += 1
        if self._asking == 1:
            self._timer.cancel()
            self._left_s -= self._loop.time() - self._began_s
        try:
            yield
        finally:
            self._asking -= 1
            if not self._asking and not self.over.done():
                self._began_s = self._loop.time()
                self._timer = self._loop.call_later(max(self._left_s, 0.0), self.over.cancel)
