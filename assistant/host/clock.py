"""The computer's own clock."""

import asyncio
import time
from datetime import UTC, datetime


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

    async def sleep(self, seconds: float) -> None:
        """Return after ``seconds``."""
        await asyncio.sleep(max(0.0, seconds))
