"""Counts wrong tokens, so that guessing is slow and fills no log."""

from collections import deque
from collections.abc import Callable

MOST = 10
"""Wrong tokens within ``WITHIN_S`` after which further ones are refused unseen. Valid tokens are never refused."""
WITHIN_S = 60.0


class WrongTokens:
    """The wrong tokens of the last minute, of all callers together: on loopback they have one address.

    Args:
        monotonic: seconds from an arbitrary start.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._at: deque[float] = deque(maxlen=MOST)

    def wait_s(self) -> float:
        """Seconds until another wrong token is looked at; 0 if it is at once."""
        if len(self._at) < MOST:
            return 0.0
        return max(0.0, self._at[0] + WITHIN_S - self._monotonic())

    def add(self) -> None:
        """Count a wrong token."""
        self._at.append(self._monotonic())
