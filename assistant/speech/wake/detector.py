"""The Protocol of a wake-word engine (V-05).

An engine's module declares ``ENGINE: WakeEngine``. Heavy imports happen in its ``create``.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class WakeHit:
    """A detected wake word.

    Attributes:
        name: the model or phrase.
        score: confidence from 0 to 1.
        end: sample index of the detection, counted over the samples fed since the last ``reset``.
        sure: whether the score reached the threshold. Any other hit counts only if something else confirms it.
    """

    name: str
    score: float
    end: int
    sure: bool = True


class WakeDetector(Protocol):
    """Detects a wake word. One thread uses an instance."""

    @property
    def name(self) -> str:
        """The wake word."""
        ...

    def feed(self, pcm: NDArray[np.int16], *, active: bool = True) -> WakeHit | None:
        """Take the next samples; return a hit when they complete the wake word.

        Args:
            pcm: 16 kHz mono, any number of samples.
            active: whether a voice is present. While false, the detector may only buffer the samples. When it becomes
                true, the detector must process the buffered samples, so that silence costs almost nothing and no word
                is lost.
        """
        ...

    def reset(self) -> None:
        """Forget all samples."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class WakeOptions:
    """How easily the wake word is detected.

    Attributes:
        word: name of one of the engine's words.
        sensitivity: detection threshold for the score, 0 to 1. A lower value wakes more easily.
        frames: number of consecutive 80 ms frames that must reach the threshold.
        cooldown_s: audio time after a sure hit during which no other hit is reported, in seconds.
        least: score from which hits that are not sure are reported too, if it is below ``sensitivity``.
    """

    word: str = "hey_jarvis"
    sensitivity: float = 0.5
    frames: int = 1
    cooldown_s: float = 2.0
    least: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WakeEngine:
    """The declaration in a wake-word engine's module.

    Attributes:
        id: name of the engine.
        models: names in ``weights/manifest.toml`` of the models that it needs.
        words: returns the available wake words, given the names of the model files.
        create: loads the detector for one word.
    """

    id: str
    models: tuple[str, ...]
    words: Callable[[Iterable[str]], tuple[str, ...]]
    create: Callable[[Callable[[str], Path], WakeOptions], WakeDetector]
