"""How much a spoken word resembles the same word as it was enrolled. Pure functions on sequences of unit vectors.

The limits are those of ``docs/decisions/spoken-names.md``.
"""

import io
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Steps = NDArray[np.float32]
"""A sound as unit vectors in order, steps × numbers."""
UNREADABLE: Final = (
    *(OSError, ValueError, KeyError, IndexError, EOFError, TypeError),
    *(RuntimeError, zipfile.BadZipFile, zlib.error),
)
"""What numpy raises for a file of arrays that is damaged, by where the damage is."""

_STRICTEST: Final = 0.07
_LOOSEST: Final = 0.12
"""Bounds of the limit. Other words of the same voice are rarely nearer than the larger one."""
_SPREAD: Final = 0.04
"""How much farther a call may be than the takes of the enrolment are from each other."""
_UNLIKE: Final = 0.15
"""Mean distance of takes that are too different to be compared with anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EnrolledSound:
    """A wake phrase as its user says it.

    Attributes:
        phrase: the wake phrase; another phrase makes the sound void.
        takes: the utterances.
        limit: the greatest distance of a call.
    """

    phrase: str
    takes: tuple[Steps, ...]
    limit: float


def normalised(steps: NDArray[np.float32]) -> Steps:
    """The same steps with the length 1."""
    lengths = np.linalg.norm(steps, axis=1, keepdims=True)
    unit: Steps = (steps / np.maximum(lengths, np.float32(1e-9))).astype(np.float32)
    return unit


def apart(word: Steps, heard: Steps) -> float:
    """The mean distance of a word's steps from the stretch of a sound that resembles them most; 0 to 2.

    Each step of the word may last shorter or longer in the sound (dynamic time warping).
    """
    costs = 1.0 - word @ heard.T
    reached = costs[0].copy()
    for row in costs[1:]:
        before = np.minimum(reached, np.concatenate(([np.inf], reached[:-1])))
        reached = np.empty_like(row)
        previous = np.inf
        for column, cost in enumerate(row):
            previous = cost + min(before[column], previous)
            reached[column] = previous
    return float(reached.min()) / len(word)


def nearest(takes: Sequence[Steps], heard: Steps) -> float:
    """How far the nearest of several words is from a sound."""
    return min(apart(take, heard) for take in takes)


def enrolled_sound(phrase: str, words: Sequence[Steps], wholes: Sequence[Steps]) -> EnrolledSound | None:
    """What is kept of an enrolment; ``None`` if the takes sound too different.

    Args:
        phrase: the wake phrase.
        words: the word of each take, at least two.
        wholes: the whole sound of each take.
    """
    distances = [float("inf")] * len(words)
    for one, other in permutations(range(len(words)), 2):
        distances[other] = min(distances[other], apart(words[one], wholes[other]))
    mean = sum(distances) / len(distances)
    if mean > _UNLIKE:
        return None
    limit = min(_LOOSEST, max(_STRICTEST, mean + _SPREAD))
    return EnrolledSound(phrase=phrase, takes=tuple(words), limit=limit)


def packed(sound: EnrolledSound) -> bytes:
    """The sound as the bytes of a file."""
    file = io.BytesIO()
    arrays: dict[str, Any] = {f"take{index}": take.astype(np.float16) for index, take in enumerate(sound.takes)}
    np.savez_compressed(file, phrase=np.array(sound.phrase), limit=np.array(sound.limit), **arrays)
    return file.getvalue()


def unpacked(content: bytes) -> EnrolledSound | None:
    """The sound that ``packed`` has made; ``None`` if the bytes are something else."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            takes = tuple(normalised(file[name].astype(np.float32)) for name in file.files if name.startswith("take"))
            phrase, limit = str(file["phrase"]), float(file["limit"])
    except UNREADABLE:
        return None
    usable = bool(takes) and all(take.ndim == 2 and take.size for take in takes) and 0 < limit <= _LOOSEST
    return EnrolledSound(phrase=phrase, takes=takes, limit=limit) if usable else None
