"""Time in the heard sound: its position, and the timers that count it."""

from collections.abc import Callable

from assistant.core.audio import to_samples, to_seconds
from assistant.core.machine.events import Timer
from assistant.core.machine.states import TurnId


class AudioTime:
    """Counts heard samples, and finds the timers that have run out.

    Attributes:
        samples: the number of samples heard so far, at ``SAMPLE_RATE``.
    """

    def __init__(self) -> None:
        self.samples = 0
        self._timers: dict[Timer, tuple[TurnId, int]] = {}
        self._left: dict[Timer, int] = {}
        """Samples that a timer had left when it was cancelled."""

    @property
    def seconds(self) -> float:
        """The position in seconds."""
        return to_seconds(self.samples)

    def start(self, timer: Timer, turn: TurnId, limit_s: float, *, resumed: bool = False) -> None:
        """Start a timer for ``turn``.

        Args:
            timer: which one; if it runs, it starts anew.
            turn: the turn that waits for it.
            limit_s: its duration in seconds.
            resumed: whether it goes on with the time it had left when it was cancelled.
        """
        limit = to_samples(limit_s)
        if resumed:
            limit = self._left.get(timer, limit)
        self._timers[timer] = (turn, self.samples + limit)

    def cancel(self, timer: Timer) -> None:
        """Stop a timer, and remember the time it has left."""
        if timer in self._timers:
            self._left[timer] = self._timers.pop(timer)[1] - self.samples

    def forget(self, timer: Timer) -> None:
        """Forget the time that a cancelled timer had left."""
        self._left.pop(timer, None)

    def clear(self) -> None:
        """Stop all timers."""
        self._timers.clear()

    def take_due(self) -> tuple[TurnId, Timer] | None:
        """Remove a timer that has run out, and return its turn and name; ``None`` if there is none."""
        for timer, (turn, limit) in self._timers.items():
            if self.samples >= limit:
                del self._timers[timer]
                return turn, timer
        return None


class TraceTime:
    """The time of a session's trace: that of the heard sound, and real time while there is no microphone.

    Args:
        heard: the time of the heard sound.
        real_s: returns the real time in seconds.
    """

    def __init__(self, heard: AudioTime, real_s: Callable[[], float]) -> None:
        self._heard, self._real_s = heard, real_s
        self._deaf_s = 0.0
        self._deaf_since: float | None = None

    def seconds(self, *, hears: bool) -> float:
        """Seconds, never fewer than at an earlier call.

        Args:
            hears: whether there is a microphone, so that the heard sound counts the time.
        """
        # A session that always has a microphone, such as one on a file, has pure audio time.
        now = self._real_s() if self._deaf_since is not None or not hears else 0.0
        since = now if self._deaf_since is None else self._deaf_since
        self._deaf_s += now - since
        self._deaf_since = None if hears else now
        return self._heard.seconds + self._deaf_s
