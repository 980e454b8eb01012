"""The Protocol of a clock, so that everything outside the voice path can be told the time by a test."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time and waits. Voice logic uses audio time instead."""

    def now(self) -> datetime:
        """The present instant in the user's time zone, aware."""
        ...

    def monotonic(self) -> float:
        """Seconds from an arbitrary start that never go backwards."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Return after ``seconds``; at once when they are not positive."""
        ...
