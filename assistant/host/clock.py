"""The computer's own clock."""

import asyncio
import time
from datetime import UTC, datetime
from typing import Final

_UPTIME: Final[int | None] = getattr(time, "CLOCK_BOOTTIME", getattr(time, "CLOCK_MONOTONIC", None))
"""Linux counts a suspended computer's time in the first, macOS in the second. Windows has none, and counts it."""


class SystemClock:
    """Implements ``assistant.core.clock.Clock`` with the system's time and time zone."""

    def now(self) -> datetime:
        """The current time in the system's time zone, aware."""
        return datetime.now(tz=UTC).astimezone()

    def moment(self, wall: datetime) -> datetime:
        """The moment of a wall clock's time, by the rules of the system's time zone."""
        return wall.astimezone(UTC).astimezone()

    def monotonic(self) -> float:
        """Seconds of the system's monotonic clock."""
        return time.monotonic()

    def uptime(self) -> float:
        """Seconds with those in which the computer was suspended."""
        return time.monotonic() if _UPTIME is None else time.clock_gettime(_UPTIME)

    async def sleep(self, seconds: float) -> None:
        """Return after ``seconds``."""
        await asyncio.sleep(max(0.0, seconds))
