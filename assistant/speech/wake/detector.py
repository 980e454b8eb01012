"""The Protocol of a wake-word engine."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class WakeHit:
    """The wake word was heard.

    Attributes:
        name: the model or phrase.
        score: confidence from 0 to 1.
        end: sample index, counted as ``feed`` was called since the last ``reset``, at which it was recognised.
    """

    name: str
    score: float
    end: int


class WakeDetector(Protocol):
    """Listens for a wake word. Used from one thread only."""

    @property
    def name(self) -> str:
        """The word it listens for."""
        ...

    def feed(self, pcm: NDArray[np.int16]) -> WakeHit | None:
        """Take the next samples (16 kHz mono, any number) and tell whether they complete the wake word."""
        ...

    def reset(self) -> None:
        """Forget everything heard."""
        ...
