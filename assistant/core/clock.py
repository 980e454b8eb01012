"""The Protocol of a clock. Tests inject their own clock into everything outside the voice path."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time and waits. Voice logic uses audio time instead."""

    def now(self) -> datetime:
        """The current time, timezone-aware, in the user's time zone."""
        ...

    def moment(self, wall: datetime) -> datetime:
        """The moment at which the user's wall clock shows ``wall``, which has no time zone.

        Of a time that the clock shows twice it is the first. For a time that the clock leaves out it is as much later
        as the clock is put forward.
        """
        ...

    def monotonic(self) -> float:
        """Seconds from an arbitrary start; never decreases."""
        ...

    def uptime(self) -> float:
        """Seconds from an arbitrary start, with those in which the computer was suspended; never decreases."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Return after ``seconds``; return at once when ``seconds`` is not positive."""
        ...
