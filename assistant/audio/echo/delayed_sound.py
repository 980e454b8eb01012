"""A sound that is taken later than it came, also by a fraction of a sample."""

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from assistant.core.audio import FRAME_SAMPLES, SAMPLE_RATE

KERNEL: Final = 16
"""Samples from which one between them is computed (a windowed sinc). Up to 6 kHz the error is below -40 dB."""
LONGEST_MS: Final = 800

_KEPT: Final = LONGEST_MS * SAMPLE_RATE // 1000
_OFFSETS: Final = np.arange(KERNEL) - KERNEL // 2 + 1


class DelayedSound:
    """Keeps a sound and gives it again after a delay.

    Args:
        delay_ms: the usual delay.
    """

    def __init__(self, delay_ms: int) -> None:
        self._delay = delay_ms * SAMPLE_RATE // 1000
        self._kept = np.zeros(_KEPT, np.float32)

    def feed(self, frame: NDArray[np.float32]) -> None:
        """Take the next 10 ms."""
        self._kept = np.concatenate((self._kept[FRAME_SAMPLES:], frame))

    def take(self, more_ms: float = 0.0) -> NDArray[np.float32]:
        """The 10 ms that came the usual delay and ``more_ms`` ago; the newest ones if that is in the future."""
        later = min(max(self._delay + more_ms * SAMPLE_RATE / 1000, 0.0), _KEPT - 2 * FRAME_SAMPLES)
        return frame_at(self._kept, _KEPT - FRAME_SAMPLES - later).astype(np.float32, copy=False)


def frame_at(sound: NDArray[np.floating[Any]], start: float) -> NDArray[np.floating[Any]]:
    """10 ms of a sound that begin between two samples. At its edges whole samples are taken."""
    whole = math.floor(start)
    first = whole + int(_OFFSETS[0])
    region = sound[first : first + FRAME_SAMPLES + KERNEL - 1] if first >= 0 else sound[:0]
    if start == whole or len(region) < FRAME_SAMPLES + KERNEL - 1:
        nearest = min(max(round(start), 0), len(sound) - FRAME_SAMPLES)
        return sound[nearest : nearest + FRAME_SAMPLES]
    away = _OFFSETS - (start - whole)
    weights = np.sinc(away) * np.cos(np.pi * away / (KERNEL + 2)) ** 2
    return np.correlate(region, weights.astype(sound.dtype), "valid")
