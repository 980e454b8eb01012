"""How far fetching a model has come, and how long it still takes as far as that can be seen."""

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

_PACE_WINDOW_S = 15.0
"""Long enough to even out packages that arrive in bursts, short enough to follow a network that changes."""
_PACE_NEEDS_S = 2.0
"""Before that nothing is said of the time: what has been seen is the start of programs and connections."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchProgress:
    """How far fetching ``model`` has come.

    Attributes:
        model: its name.
        done: bytes that are here, of what is downloaded.
        total: bytes of all that is downloaded.
        left_s: seconds that it still takes at the pace of the last seconds; ``None`` while nothing can be said.
    """

    model: str
    done: int
    total: int
    left_s: float | None = None

    @property
    def fraction(self) -> float:
        """From 0 to 1; 1 only when the model stands in its place."""
        return self.done / self.total if self.total else 1.0


Progress = Callable[[FetchProgress], None]
"""Told how far it is, several times a second. What it raises ends the fetching and reaches the caller; what has arrived
is kept for the next time."""


class Pace:
    """Bytes a second over the last seconds.

    Args:
        now: a clock that only goes forward, in seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._seen: deque[tuple[float, int]] = deque([(now(), 0)])
        self._arrived = 0

    def arrived(self, count: int) -> None:
        """So many bytes have come over the network."""
        self._arrived += count
        at = self._now()
        self._seen.append((at, self._arrived))
        while at - self._seen[0][0] > _PACE_WINDOW_S:
            self._seen.popleft()

    def seconds_for(self, count: int) -> float | None:
        """How long ``count`` bytes take; ``None`` before enough was seen, and while nothing arrives."""
        began, before = self._seen[0]
        passed_s = self._now() - began
        if passed_s < _PACE_NEEDS_S or self._arrived <= before:
            return None
        return count * passed_s / (self._arrived - before)


class Meter:
    """Counts bytes, on any thread, and tells the progress on the thread that fetches.

    Args:
        model: name of the model.
        total: bytes that are downloaded.
        progress: told; nobody by default.
        pace: measures how fast it goes.
    """

    def __init__(self, model: str, total: int, progress: Progress | None, pace: Pace | None = None) -> None:
        self._model, self._total, self._progress = model, total, progress
        self._pace = pace or Pace()
        self._lock = threading.Lock()
        self._done = 0

    def expect(self, more: int) -> None:
        """Another source is tried: so much more is to come."""
        self._total += more

    def count(self, arrived: int, *, kept: bool = False) -> None:
        """So many bytes have arrived (or, negative, were thrown away); ``kept`` ones were here before."""
        with self._lock:
            self._done = max(self._done + arrived, 0)
            if not kept:
                self._pace.arrived(max(arrived, 0))

    def tick(self, arrived: int, *, kept: bool = False) -> None:
        """Count, and tell."""
        self.count(arrived, kept=kept)
        self.tell()

    def tell(self) -> None:
        """Tell how far it is; what the listener raises ends the fetching."""
        with self._lock:
            done = min(self._done, max(self._total - 1, 0))
            left_s = self._pace.seconds_for(self._total - done)
        self._tell(done, left_s)

    def finish(self) -> None:
        """All is in place."""
        self._tell(self._total, 0.0)

    def _tell(self, done: int, left_s: float | None) -> None:
        if self._progress is not None:
            self._progress(FetchProgress(model=self._model, done=done, total=self._total, left_s=left_s))
