"""Writes the wav files that benchmarks play, and finds the first sound in those that Sori has written."""

import wave
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.core.audio import SAMPLE_RATE

SOUND = 200
"""Smallest amplitude that counts as sound in the output; the voices' noise floor is below 20."""

SILENCE_S = 0.5
"""Length of a silence that is none between two words or sentences."""


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
    played, rate = _played(path)
    end = len(played) if within_s is None else round((after_s + within_s) * rate)
    loud = np.flatnonzero(np.abs(played[round(after_s * rate) : end]) > SOUND)
    return float(loud[0]) / rate if len(loud) else None


def silent_from_s(path: Path, after_s: float, within_s: float) -> float | None:
    """Seconds from ``after_s`` to the last sound before a silence of ``SILENCE_S``.

    Returns:
        ``None`` if no such silence begins within ``within_s``, or if nothing sounds in the second before ``after_s``.
    """
    played, rate = _played(path)
    begin = round(after_s * rate)
    loud = np.flatnonzero(np.abs(played) > SOUND)
    if not np.any((loud >= begin - rate) & (loud < begin)):
        return None
    loud = np.concatenate((loud[loud < begin][-1:], loud[loud >= begin], [len(played) + rate]))
    gaps = np.flatnonzero(np.diff(loud) > SILENCE_S * rate)
    last = max(0, int(loud[gaps[0]]) - begin)
    return last / rate if last <= within_s * rate else None


def _played(path: Path) -> tuple[NDArray[np.int32], int]:
    with wave.open(str(path), "rb") as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.int32)
        return samples, file.getframerate()
