"""Sound level in decibels relative to full scale (dBFS)."""

import math

import numpy as np

from assistant.core.audio import FRAME_MS

FLOOR_DB = -96.0
"""Level reported for silence, below the quietest step of 16 bits."""

_FULL_SCALE = 32_768.0


def level_db(pcm: bytes) -> float:
    """Root mean square level of 16-bit mono sound in dBFS; ``FLOOR_DB`` for silence and for empty input.

    A sine at full scale has -3 dBFS.
    """
    if not pcm:
        return FLOOR_DB
    samples = np.frombuffer(pcm, "<i2").astype(np.float32)
    # The sum without ``np.mean``, whose checks take longer than the sum.
    power = float(np.add.reduce(np.square(samples)) / len(samples)) / _FULL_SCALE**2
    return max(FLOOR_DB, 10 * math.log10(power)) if power > 0 else FLOOR_DB


class LevelMeter:
    """Measures the level of a stream of frames in equal intervals.

    Args:
        interval_ms: length of one interval; 50 ms gives 20 updates a second.
    """

    def __init__(self, interval_ms: int = 50) -> None:
        self._frames_wanted = max(1, interval_ms // FRAME_MS)
        self._frames: list[bytes] = []

    def feed(self, pcm: bytes) -> float | None:
        """Take one 10 ms frame; return the level in dBFS when an interval is complete, otherwise ``None``."""
        self._frames.append(pcm)
        if len(self._frames) < self._frames_wanted:
            return None
        level = level_db(b"".join(self._frames))
        self._frames.clear()
        return level
