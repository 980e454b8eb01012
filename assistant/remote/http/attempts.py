"""Counts the calls of those who show no valid token, so that guessing is slow and fills no log."""

from collections import deque
from collections.abc import Callable

MOST = 10
"""Wrong tokens within ``WITHIN_S`` after which further ones are refused unseen. Valid tokens are never refused."""
MOST_UNKNOWN = 60
"""Calls without a valid token within ``WITHIN_S`` that are in the audit log; attempts to sign in that are looked at."""
WITHIN_S = 60.0


class CountedAttempts:
    """The attempts of the last minute, of all callers together: on loopback they have one address.

    Args:
        most: number of attempts after which further ones have to wait.
        monotonic: seconds from an arbitrary start.
    """

    def __init__(self, most: int, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._at: deque[float] = deque(maxlen=most)

    def wait_s(self) -> float:
        """Seconds until another attempt is looked at; 0 if it is at once."""
        if len(self._at) < (self._at.maxlen or 0):
            return 0.0
        return max(0.0, self._at[0] + WITHIN_S - self._monotonic())

    def add(self) -> None:
        """Count an attempt."""
        self._at.append(self._monotonic())
