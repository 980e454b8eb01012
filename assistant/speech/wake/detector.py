"""The Protocol of a wake-word engine (V-05).

An engine's module declares ``ENGINE: WakeEngine``; heavy imports happen in its ``create``.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
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

    def feed(self, pcm: NDArray[np.int16], *, active: bool = True) -> WakeHit | None:
        """Take the next samples and tell whether they complete the wake word.

        Args:
            pcm: 16 kHz mono, any number.
            active: whether a voice is heard. While it is false the detector may only keep the samples and must make
                up for them when it becomes true, so that silence costs next to nothing and no word is lost.
        """
        ...

    def reset(self) -> None:
        """Forget everything heard."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class WakeOptions:
    """How readily the wake word is heard.

    Attributes:
        word: name of the word, one of the engine's.
        sensitivity: score from 0 to 1 that counts as heard; lower wakes more easily.
        frames: how many consecutive 80 ms frames must reach it.
        cooldown_s: nothing wakes again within this time of audio.
    """

    word: str = "hey_jarvis"
    sensitivity: float = 0.5
    frames: int = 1
    cooldown_s: float = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WakeEngine:
    """What a wake-word engine's module declares.

    Attributes:
        id: name of the engine.
        models: names in ``models/manifest.toml`` that it needs.
        words: the words it has, given the names of its models' files.
        create: loads the detector for one word.
    """

    id: str
    models: tuple[str, ...]
    words: Callable[[Iterable[str]], tuple[str, ...]]
    create: Callable[[Callable[[str], Path], WakeOptions], WakeDetector]
