"""What is heard beside an echo: when there is a model of the echo path, and when it can be trusted."""

from collections import deque
from dataclasses import dataclass
from typing import Final

from assistant.audio.echo.clock_drift import ClockDrift
from assistant.audio.echo.correlation import FOLLOWS, EchoCorrelation, PlayedSound
from assistant.audio.echo.echo_path import EchoPath
from assistant.audio.echo.presence import COMPARISONS
from assistant.core.audio import FRAME_MS

LEARNED_FROM_MS: Final = 700
"""Sound from which a new model learns at once. An echo is recognised 0.6 s after the answer's first sound."""
SAME_DELAY_MS: Final = 5.0
"""Largest difference between two measured delays of one echo."""
LEARNED_AGAIN_AFTER: Final = 2 * COMPARISONS
"""Number of consecutive comparisons that show a change of the echo."""


@dataclass(frozen=True, slots=True)
class Separated:
    """10 ms of what is heard beside an echo, for voice detection.

    Attributes:
        pcm: the sound.
        trusted: whether the model of the echo path was checked in the running answer. If not, the sound may contain the
            echo.
    """

    pcm: bytes
    trusted: bool


class Separation:
    """Keeps the model of the echo path (``EchoPath``) and checks it against the sound.

    A model is trusted after the delay was measured in the running answer. If it is the same as before, little sound is
    enough. A model is not trusted while what it leaves resembles what is played, as after a change of the echo's delay
    or of the room.

    Args:
        played: the played sound, which is fed before ``feed``.
    """

    def __init__(self, played: PlayedSound) -> None:
        self._newest: deque[tuple[bytes, bytes]] = deque(maxlen=LEARNED_FROM_MS // FRAME_MS)
        self._drift = ClockDrift()
        self._path: EchoPath | None = None
        self._left = EchoCorrelation(played)
        self._measured = False
        self._clean = True
        self._moved = 0
        self._leaks = 0
        self._at_ms = 0
        self._sound: Separated | None = None

    @property
    def drift(self) -> float:
        """By how much the echo's delay grows, as a share of the time, because the two clocks differ."""
        return self._drift.ms_a_second / 1000

    @property
    def sound(self) -> Separated | None:
        """The newest frame of what is heard beside the echo; ``None`` while there is no model of its path."""
        return self._sound

    def feed(self, heard: bytes, played: bytes) -> None:
        """Take the next 10 ms of both directions while sound is played."""
        self._newest.append((heard, played))
        if self._path is None:
            return
        sound = self._path.feed(heard, played)
        self._left.feed(sound)
        self._sound = Separated(sound, trusted=self._measured and self._clean and self._path.explains)

    def compare(self) -> None:
        """Check whether what the model leaves still resembles what is played; takes 0.4 ms."""
        if self._path is None or (peak := self._left.peak()) is None:
            return
        self._clean = peak < FOLLOWS
        self._leaks = 0 if self._clean else self._leaks + 1

    def pass_time(self) -> None:
        """10 ms pass, whether something is played or not: the clocks drift apart."""
        self._at_ms += FRAME_MS
        if self._path is not None:
            self._path.moved_ms += self._drift.ms_a_second * FRAME_MS / 1000

    def measured(self, delay_ms: float, age_ms: float) -> None:
        """Take the delay of a recognised echo. The echo path is modelled anew when it has changed.

        Args:
            delay_ms: the delay.
            age_ms: time since the middle of the sound in which it was measured.
        """
        self._measured = True
        before = self._drift.ms_a_second
        self._drift.measure((self._at_ms - age_ms) / 1000, delay_ms)
        if self._path is not None:
            # The model is as old as the sound from which it was learned.
            self._path.moved_ms += (self._drift.ms_a_second - before) * age_ms / 1000
        if self._path is None:
            self._clean = True
            self._learn(delay_ms)
            return
        same = abs(self._path.delay_ms - delay_ms) <= SAME_DELAY_MS
        self._moved = 0 if same else self._moved + 1
        if max(self._moved, self._leaks) >= LEARNED_AGAIN_AFTER:
            # The new model has to show that it is clean, because it learned in part from the old echo.
            self._clean = False
            self._learn(delay_ms)

    def measured_early(self, delay_ms: float) -> None:
        """Take a delay that was found in little sound: it is believed only if it is that of the known echo."""
        if self._path is not None and abs(self._path.delay_ms - delay_ms) <= SAME_DELAY_MS:
            self._measured = True

    def pause(self) -> None:
        """Nothing is played: keep the model, and measure the delay again before it is trusted."""
        self._newest.clear()
        self._left.clear()
        self._measured, self._clean = False, True
        self._moved = self._leaks = 0
        self._sound = None

    def clear(self) -> None:
        """There is no echo: forget the model."""
        self._path = self._sound = None

    def _learn(self, delay_ms: float) -> None:
        self._moved = self._leaks = 0
        self._left.clear()
        self._path = EchoPath(delay_ms)
        for heard, played in self._newest:
            self._path.feed(heard, played)
