"""Sound of a loudspeaker that a linear model of the echo path cannot explain.

A distorting loudspeaker adds harmonics, mostly of odd order. They follow the cube of the played sound and travel
through the same room. The level of this sound is learned for each band from what the linear model leaves. It starts
high and falls with evidence. A user who speaks raises it little, because a low quantile is learned.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from assistant.core.audio import FRAME_SAMPLES

START_DB: Final = -6.0
"""Expected level before any evidence, relative to the echo."""
LEAST_DB: Final = -24.0
MOST_DB: Final = 0.0
STEP_DB: Final = 1.0
"""Largest change of the level by a loud frame, divided by the larger of ``QUANTILE`` and its complement."""
QUANTILE: Final = 0.3
"""Share of the loud frames whose distortion is below the learned level."""
MARGIN_DB: Final = 4.0
"""Expected distortion above the learned level."""
LIMIT_DB: Final = -11.0
"""Mean level of the bands above which the linear model is not trusted. Nine of ten linear loudspeakers stay below
-19 dB from 0.65 s on, and below -11 dB while a user speaks; strongly distorting loudspeakers begin at up to -5 dB."""

_BINS: Final = FRAME_SAMPLES + 1
_BAND: Final = 20
"""Width of a band in frequencies: 1 kHz."""
_EDGES: Final = np.arange(0, _BINS - 1, _BAND)
_BAND_OF: Final = np.minimum(np.arange(_BINS) // _BAND, len(_EDGES) - 1)
_MEMORY: Final = 0.95
"""Smoothing of the usual energies, per frame."""

Energies = NDArray[np.float32]


class Distortion:
    """Learns the level of the distortion from each frame.

    Attributes:
        level_db: learned level of each band, relative to the echo.

    Args:
        partitions: length of the modelled response in frames.
    """

    def __init__(self, partitions: int) -> None:
        self.level_db = np.full(len(_EDGES), START_DB)
        self._cubes = np.zeros((partitions, _BINS), np.float32)
        self._cube = np.zeros(FRAME_SAMPLES, np.float32)
        self._energies = np.zeros(2)
        self._usual = np.zeros(len(_EDGES))

    @property
    def strong(self) -> bool:
        """Whether so much distortion must be expected that a linear model cannot be trusted."""
        return bool(self.level_db.mean() > LIMIT_DB)

    def play(self, played: NDArray[np.float32]) -> None:
        """Take the next frame that the loudspeaker emits."""
        cube = (played / np.float32(1_000)) ** 3
        self._energies = _MEMORY * self._energies + (1 - _MEMORY) * np.array((played @ played, cube @ cube))
        spectrum = np.fft.rfft(np.concatenate((self._cube, cube)))
        self._cube = cube
        self._cubes[1:] = self._cubes[:-1].copy()
        # The cube gets the energy of the played sound.
        self._cubes[0] = _energy(spectrum) * (self._energies[0] / (self._energies[1] + 1e-9))

    def learn(self, response: Energies, left: Energies, remainder: Energies) -> Energies:
        """Return the expected energy of the distortion for each frequency in this frame.

        Args:
            response: energy of the modelled response, for each partition and frequency.
            left: expected energy of the echo that the linear model leaves.
            remainder: energy of what it left.
        """
        cubed = (self._cubes * response).sum(axis=0) / 2
        expected = _bands(cubed)
        above = _bands(remainder) - _bands(left) > expected * 10 ** (self.level_db / 10)
        step_db = STEP_DB * np.where(above, QUANTILE, QUANTILE - 1)
        loud = expected > self._usual
        self._usual = _MEMORY * self._usual + (1 - _MEMORY) * expected
        self.level_db = np.clip(self.level_db + np.where(loud, step_db, 0.0), LEAST_DB, MOST_DB)
        found: Energies = 10 ** ((self.level_db[_BAND_OF] + MARGIN_DB) / 10) * cubed
        return found


def _bands(energies: Energies) -> NDArray[np.float64]:
    summed: NDArray[np.float64] = np.add.reduceat(energies[:-1].astype(np.float64), _EDGES)
    return summed


def _energy(spectrum: NDArray[np.complexfloating]) -> Energies:
    energy: Energies = (spectrum.real**2 + spectrum.imag**2).astype(np.float32)
    return energy
