"""Writes the wav files that benchmarks play, and finds the first sound in those that Sori has written."""

import wave
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.core.audio import SAMPLE_RATE

SOUND = 200
"""Smallest amplitude that counts as sound in the output; the voices' noise floor is below 20."""


def written(path: Path, *pieces: NDArray[np.int16]) -> Path:
    """Write a wav of consecutive pieces at 16 kHz and return its path."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE)
        file.writeframes(np.concatenate(pieces).astype("<i2").tobytes())
    return path


def first_sound_s(path: Path, after_s: float, within_s: float | None = None) -> float | None:
    """Seconds from ``after_s`` to the first later sound in a wav; ``None`` without one.

    Args:
        path: path of the wav.
        after_s: where to begin, in seconds.
        within_s: how far to search, in seconds; ``None`` to the end.
    """
    with wave.open(str(path), "rb") as file:
        rate = file.getframerate()
        played = np.frombuffer(file.readframes(file.getnframes()), "<i2")
    end = len(played) if within_s is None else round((after_s + within_s) * rate)
    loud = np.flatnonzero(np.abs(played[round(after_s * rate) : end].astype(np.int32)) > SOUND)
    return float(loud[0]) / rate if len(loud) else None
