"""Decides when captured sound crosses from the audio callback to the event loop.

A call into the loop wakes its thread, which costs more than the work on a block of silence. So while nobody speaks and
nothing is said, sound that is no louder than the room waits in the callback's queue until 100 ms are together. A block
that may hold a voice takes everything before it along at once. Nothing is dropped, and the order stays.

A wake word is noticed no later than without this: it is scored only after a quarter of a second of voice, and from
then on every block crosses at once.
"""

from typing import Final

import numpy as np

from assistant.audio.resampling import Samples

LONGEST_WAIT_S: Final = 0.1
"""Most sound that waits."""
NO_VOICE_DB: Final = -65.0
"""Level in dBFS below which voice activity detection finds no speech, even in silence."""
ABOVE_ROOM_DB: Final = 10.0
"""A block this much above the room's quietest moment may hold a voice. Steady noise stays below, because blocks of
10 ms vary by about 3 dB."""
ROOM_S: Final = 2.0
"""The room's quietest moment is searched in the last two to four seconds."""

_FULL_SCALE = 32_768.0


class Crossing:
    """Decides block by block. ``crosses`` is called in the audio callback, everything else in the event loop.

    Attributes:
        attentive: whether every block crosses at once, because somebody speaks or a conversation runs.
    """

    def __init__(self) -> None:
        self.attentive = True
        self._waiting_s = 0.0
        self._never_below = _power(NO_VOICE_DB)
        self._above = _power(ABOVE_ROOM_DB)
        self._room_s = 0.0
        self._lowest = self._lowest_before = 1.0

    def crosses(self, block: Samples, length_s: float) -> bool:
        """Whether the loop is to be told of this block and of those that wait.

        Args:
            block: the captured samples, of any rate and number of channels.
            length_s: their duration in seconds.
        """
        self._waiting_s += length_s
        loud = self._loud(block, length_s)
        if not (self.attentive or loud or self._waiting_s >= LONGEST_WAIT_S - length_s / 2):
            return False
        self._waiting_s = 0.0
        return True

    def _loud(self, block: Samples, length_s: float) -> bool:
        samples = block.astype(np.float32)
        power = float(np.dot(samples, samples)) / (max(1, len(samples)) * _FULL_SCALE**2)
        self._room_s += length_s
        if self._room_s >= ROOM_S:
            self._room_s = 0.0
            self._lowest_before, self._lowest = self._lowest, 1.0
        self._lowest = min(self._lowest, power)
        return power >= max(self._never_below, self._above * min(self._lowest, self._lowest_before))


def _power(db: float) -> float:
    return float(10 ** (db / 10))
