"""Progress of fetching a model, and an estimate of the remaining time."""

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

_PACE_WINDOW_S = 15.0
"""The speed is the average of this many seconds: enough for packages that arrive in bursts, few enough to follow a
changing network."""
_PACE_NEEDS_S = 3.0
"""There is no estimate before this many seconds, while programs and connections are starting."""
_PACE_NEEDS_BYTES = 100_000
"""There is no estimate from fewer bytes within the window: a connection that hardly works foretells nothing."""
_STALLED_S = 5.0
"""When nothing has arrived for this many seconds, there is no estimate, and what arrives then is measured anew.
Packages come in bursts a second or two apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchProgress:
    """The progress of fetching ``model``.

    Attributes:
        model: its name.
        done: bytes that have arrived.
        total: bytes of the whole download.
        left_s: remaining seconds at the current pace; ``None`` while unknown.
        arrived: bytes that came over the network in this attempt.
    """

    model: str
    done: int
    total: int
    left_s: float | None = None
    arrived: int = 0

    @property
    def fraction(self) -> float:
        """Fraction from 0 to 1; 1 only when the model is in its place."""
        return self.done / self.total if self.total else 1.0


Progress = Callable[[FetchProgress], None]
"""Called with the progress several times a second. Its exception ends the fetching and reaches the caller; bytes that
have arrived are kept for the next time."""


class FetchRate:
    """Bytes per second over the last seconds.

    Args:
        now: a monotonic clock in seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._seen: deque[tuple[float, int]] = deque([(now(), 0)])
        self.total = 0

    def arrived(self, count: int) -> None:
        """Count bytes that came over the network."""
        if count <= 0:
            return
        now = self._now()
        self.total += count
        if now - self._seen[-1][0] >= _STALLED_S:
            self._seen.clear()
        self._seen.append((now, self.total))

    def seconds_for(self, count: int) -> float | None:
        """Seconds that ``count`` bytes take; ``None`` while too little has arrived to tell."""
        now = self._now()
        while len(self._seen) > 1 and now - self._seen[1][0] >= _PACE_WINDOW_S:
            self._seen.popleft()
        began, before = self._seen[0]
        passed_s, recent = now - began, self.total - before
        stalled = now - self._seen[-1][0] >= _STALLED_S
        if stalled or passed_s < _PACE_NEEDS_S or recent < _PACE_NEEDS_BYTES:
            return None
        return count * passed_s / recent


class Meter:
    """Counts bytes on any thread, and reports the progress on the thread that fetches.

    Args:
        model: name of the model.
        total: bytes to download.
        progress: called with the progress; ``None`` for nobody.
        pace: measures the speed.
    """

    def __init__(self, model: str, total: int, progress: Progress | None, pace: FetchRate | None = None) -> None:
        self._model, self._total, self._progress = model, total, progress
        self._pace = pace or FetchRate()
        self._lock = threading.Lock()
        self._done = 0

    def expect(self, more: int) -> None:
        """Add bytes to the total, because another source is tried."""
        self._total += more

    def count(self, arrived: int, *, kept: bool = False) -> None:
        """Count arrived bytes, or negative ones that were discarded; ``kept`` ones were here before."""
        with self._lock:
            self._done = max(self._done + arrived, 0)
            if not kept:
                self._pace.arrived(arrived)

    def tick(self, arrived: int, *, kept: bool = False) -> None:
        """Count and report."""
        self.count(arrived, kept=kept)
        self.tell()

    def tell(self) -> None:
        """Report the progress. An exception of the listener ends the fetching."""
        with self._lock:
            done = min(self._done, max(self._total - 1, 0))
            left_s = self._pace.seconds_for(self._total - done)
        self._tell(done, left_s)

    def finish(self) -> None:
        """Report that the model is in its place."""
        self._tell(self._total, 0.0)

    def _tell(self, done: int, left_s: float | None) -> None:
        if self._progress is not None:
            arrived = self._pace.total
            self._progress(
                FetchProgress(model=self._model, done=done, total=self._total, left_s=left_s, arrived=arrived)
            )
