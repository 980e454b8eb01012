"""Decides when captured sound crosses from the audio callback to the event loop.

A call into the loop wakes its thread, which costs more than the work on a block of silence. So while nobody speaks and
nothing is said, sound that is no louder than the room waits in the callback's queue until 240 ms are together. A block
that is louder takes everything before it along at once. Nothing is dropped, and the order stays.

A wake word or a name is noticed no later than without this, not even in a voice as soft as the room: the wake word is
scored only after a quarter of a second of voice, a name is read only at the end of its onset, and from the first frame
with a voice on every block crosses at once.
"""

from collections import deque
from typing import Final

import numpy as np

from assistant.audio.resampling import Samples

LONGEST_WAIT_S: Final = 0.24
"""Most sound that waits. The speaker is watched at each crossing (``stall.LONGEST_STEP_S``)."""
NO_VOICE_DB: Final = -65.0
"""Level in dBFS below which voice activity detection finds no speech, even in silence."""
ABOVE_ROOM_DB: Final = 10.0
"""A block this much above the room's quietest half second may hold a voice. Steady noise stays below, because blocks of
10 ms vary by about 3 dB."""
ROOM_S: Final = 4.0
"""Time in which the room's quietest half second is searched. In a shorter one a drop-out would count as the room."""

_PART_S: Final = 0.5
_NEVER_BELOW: Final = 32_768.0**2 * 10 ** (NO_VOICE_DB / 10)
_ABOVE: Final = 10 ** (ABOVE_ROOM_DB / 10)
_sum = np.add.reduce


class Crossing:
    """Decides block by block. ``crosses`` is called in the audio callback, everything else in the event loop.

    Attributes:
        attentive: whether every block crosses at once, because somebody speaks or a conversation runs.
    """

    def __init__(self) -> None:
        self.attentive = True
        self._waiting_s = 0.0
        self._loud_from = _NEVER_BELOW
        self._part_s = self._part_energy = 0.0
        self._parts: deque[float] = deque(maxlen=round(ROOM_S / _PART_S))
        """The power of each of the last half seconds."""

    def crosses(self, block: Samples, length_s: float) -> bool:
        """Whether the loop is to be told of this block and of those that wait.

        Args:
            block: the captured samples, of any rate and number of channels.
            length_s: their duration in seconds.
        """
        self._waiting_s += length_s
        power = _power_of(block)
        self._learn(power, length_s)
        if self.attentive or power >= self._loud_from or self._waiting_s + length_s / 2 >= LONGEST_WAIT_S:
            self._waiting_s = 0.0
            return True
        return False

    def _learn(self, power: float, length_s: float) -> None:
        """Follow the level of the room."""
        self._part_s += length_s
        self._part_energy += power * length_s
        if self._part_s >= _PART_S - length_s / 2:
            self._parts.append(self._part_energy / self._part_s)
            self._part_s = self._part_energy = 0.0
            self._loud_from = max(_NEVER_BELOW, _ABOVE * min(self._parts))


def _power_of(block: Samples) -> float:
    """The power without a constant part, which cheap sound cards add and which would hide the room."""
    count = len(block)
    if not count:
        return 0.0
    samples = block.astype(np.float32)
    mean = float(_sum(samples)) / count
    return max(0.0, float(samples.dot(samples)) / count - mean * mean)
