"""The work in progress, so that audio time can stop while it runs.

A recording played fast advances only while nothing is being recognised, generated or synthesised. The machine then
appears infinitely fast, and a conversation gives the same result on any computer.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager


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
