"""A clock that a test moves."""

import asyncio
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

KOREA = timezone(timedelta(hours=9), "KST")
START = datetime(2026, 11, 22, 15, 5, tzinfo=KOREA)
"""A Sunday afternoon."""


class FakeClock:
    """Implements ``Clock``; ``advance`` moves it and wakes sleeping tasks."""

    def __init__(self, now: datetime = START) -> None:
        self._now = now
        self._elapsed = 0.0
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []
        self._slept = asyncio.Event()

    def now(self) -> datetime:
        return self._now

    def moment(self, wall: datetime) -> datetime:
        return wall.replace(tzinfo=self._now.tzinfo).astimezone(UTC).astimezone(self._now.tzinfo)

    def monotonic(self) -> float:
        return self._elapsed

    def uptime(self) -> float:
        return self._elapsed

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            return
        sleeper: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append((self._elapsed + seconds, sleeper))
        self._slept.set()
        await sleeper

    @property
    def sleeping(self) -> int:
        """Number of tasks that sleep on this clock."""
        return sum(not sleeper.done() for _, sleeper in self._sleepers)

    @property
    def next_s(self) -> float:
        """Seconds until the first sleeping task wakes up.

        Raises:
            ValueError: no task is sleeping.
        """
        return min(due for due, sleeper in self._sleepers if not sleeper.done()) - self._elapsed

    async def until_sleeping(self, tasks: int = 1) -> None:
        """Wait until so many tasks sleep on this clock."""
        while self.sleeping < tasks:
            self._slept.clear()
            await self._slept.wait()

    def advance(self, seconds: float) -> None:
        """Move time forward and wake tasks whose time has come."""
        self._elapsed += seconds
        self._now += timedelta(seconds=seconds)
        for due, sleeper in self._sleepers:
            if due <= self._elapsed and not sleeper.done():
                sleeper.set_result(None)
        self._sleepers = [(due, sleeper) for due, sleeper in self._sleepers if not sleeper.done()]

    def set(self, now: datetime) -> None:
        """Set only the wall clock, as a user or a time server does."""
        self._now = now


async def pass_waits(clock: FakeClock, task: asyncio.Task[Any]) -> list[float]:
    """Advance through every sleep until the task ends; returns the lengths of the sleeps in seconds."""
    waits: list[float] = []
    while not task.done():
        sleeping = asyncio.ensure_future(clock.until_sleeping())
        await asyncio.wait({task, sleeping}, return_when=asyncio.FIRST_COMPLETED)
        sleeping.cancel()
        if clock.sleeping:
            waits.append(clock.next_s)
            clock.advance(waits[-1])
    return waits
