"""Notices a device that has stopped to ask for sound (V-19)."""

LONGEST_STEP_S = 0.25
"""Most time that one check counts. After a pause of the whole program the device has had no chance to ask."""


class StallWatch:
    """Measures how long a counter has not moved.

    Args:
        limit_s: time after which the counter counts as stalled.
        longest_step_s: most time that one check counts.
    """

    def __init__(self, limit_s: float, longest_step_s: float = LONGEST_STEP_S) -> None:
        self._limit_s, self._longest_step_s = limit_s, longest_step_s
        self._count = -1
        self._still_s = 0.0
        self._checked_s: float | None = None

    def stalled(self, count: int, now_s: float) -> bool:
        """Whether ``count`` has not moved for the limit. Call it once in each ``longest_step_s``.

        Args:
            count: the counter.
            now_s: the time of a clock that never goes back, in seconds.
        """
        step_s = 0.0 if self._checked_s is None else min(now_s - self._checked_s, self._longest_step_s)
        self._checked_s = now_s
        self._still_s = self._still_s + step_s if count == self._count else 0.0
        self._count = count
        return self._still_s >= self._limit_s
