"""A gain that changes smoothly, so that fades and ducking cause no clicks."""

import numpy as np
from numpy.typing import NDArray

from assistant.audio.resampling import RATIO
from assistant.core.audio import FRAME_SAMPLES

_PLAYED_STEPS: NDArray[np.float32] = np.arange(1, FRAME_SAMPLES * RATIO + 1, dtype=np.float32) / np.float32(RATIO)


class GainRamp:
    """A gain between 0 and 1 that moves linearly towards its target.

    Attributes:
        level: the current gain.
        target: the gain at the end of the ramp.
    """

    def __init__(self) -> None:
        self.level = 1.0
        self.target = 1.0
        self._step = 0.0

    def jump(self, level: float) -> None:
        """Set the gain to ``level`` without a ramp."""
        self.level = self.target = level
        self._step = 0.0

    def move(self, target: float, ticks: int) -> None:
        """Move to ``target`` within ``ticks`` samples of the echo reference."""
        self.target = target
        self._step = (target - self.level) / ticks

    def apply(self, played: NDArray[np.int16], reference: NDArray[np.int16]) -> None:
        """Apply the gain to one block in place, at both rates, and advance the ramp by its length.

        Args:
            played: ``RATIO`` times as many samples as ``reference``, at most one block.
            reference: the same sound at ``SAMPLE_RATE``.
        """
        if self.level == self.target:
            if self.level != 1.0:
                np.multiply(played, self.level, out=played, casting="unsafe")
                np.multiply(reference, self.level, out=reference, casting="unsafe")
            return
        low, high = sorted((self.level, self.target))
        curve = np.clip(self.level + self._step * _PLAYED_STEPS[: len(played)], low, high)
        np.multiply(played, curve, out=played, casting="unsafe")
        np.multiply(reference, curve[RATIO - 1 :: RATIO], out=reference, casting="unsafe")
        self.level += self._step * len(reference)
        if (self.target - self.level) * self._step <= 0:
            self.jump(self.target)
