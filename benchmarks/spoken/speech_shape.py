"""Measurements of a voice without recognition: gaps, final pitch, clicks, clipping, loudness."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Pcm = NDArray[np.int16]

_FRAME_S: Final = 0.01
_QUIET_DB: Final = -35.0
"""Level relative to the sentence's loud parts, in dB, below which sound is inaudible."""
GAP_S: Final = 0.12
"""Longer silences within a phrase are audible as gaps; closures of tense stops last up to 0.1 s."""
_PITCH_HZ: Final = (70.0, 400.0)
_PITCH_WINDOW_S: Final = 0.04
_VOICED: Final = 0.5
"""Smallest normalised autocorrelation of a voiced window."""
_END_S: Final = 0.35
"""Seconds at the end that count for the final pitch: about two syllables."""
_FULL: Final = 32_700


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Measurements of one utterance.

    Attributes:
        gaps: number of silences longer than ``GAP_S``.
        fall: semitones from the median pitch of the sentence down to the pitch of its end; negative if it rises.
        loudness_db: root mean square of its loud parts, relative to full scale.
        clipped: number of samples at full scale.
        edge: largest amplitude of the first and last sample of any piece; a large one is audible as a click.
    """

    gaps: int
    fall: float
    loudness_db: float
    clipped: int
    edge: int


def shape_of(pieces: list[Pcm], rate: int) -> Shape:
    """Measure the pieces of one utterance, in playing order."""
    sound = np.concatenate(pieces).astype(np.float64)
    levels = _levels_db(sound, rate)
    loud = levels > np.percentile(levels, 95) + _QUIET_DB
    edges = [int(max(abs(int(piece[0])), abs(int(piece[-1])))) for piece in pieces if len(piece)]
    return Shape(
        gaps=_gaps(loud),
        fall=_fall(sound, rate),
        loudness_db=float(10 * np.log10(np.mean(10 ** (levels[loud] / 10)))) if loud.any() else float("nan"),
        clipped=int(np.sum(np.abs(sound) >= _FULL)),
        edge=max(edges, default=0),
    )


def _levels_db(sound: NDArray[np.float64], rate: int) -> NDArray[np.float64]:
    frame = round(_FRAME_S * rate)
    frames = sound[: len(sound) // frame * frame].reshape(-1, frame) / 32_768
    levels: NDArray[np.float64] = 10 * np.log10(np.mean(frames**2, axis=1) + 1e-10)
    return levels


def _gaps(loud: NDArray[np.bool_]) -> int:
    heard = np.flatnonzero(loud)
    return int(np.sum(np.diff(heard) * _FRAME_S > GAP_S)) if len(heard) else 0


def _fall(sound: NDArray[np.float64], rate: int) -> float:
    window = round(_PITCH_WINDOW_S * rate)
    step = window // 4
    starts = range(0, len(sound) - window, step)
    pitches = np.array([_pitch(sound[start : start + window], rate) for start in starts])
    voiced = np.flatnonzero(pitches > 0)
    if len(voiced) < 4:
        return float("nan")
    last = voiced[voiced * step >= voiced[-1] * step - _END_S * rate]
    return float(12 * np.log2(np.median(pitches[voiced]) / np.median(pitches[last[len(last) // 2 :]])))


def _pitch(window: NDArray[np.float64], rate: int) -> float:
    """Pitch in hertz by autocorrelation; 0 for an unvoiced window."""
    centred = window - window.mean()
    energy = float(np.dot(centred, centred))
    if energy / len(window) < 100.0**2:
        return 0.0
    shortest, longest = round(rate / _PITCH_HZ[1]), min(round(rate / _PITCH_HZ[0]), len(window) - 1)
    likeness = np.correlate(centred, centred, "full")[len(window) - 1 :][shortest:longest] / energy
    best = int(np.argmax(likeness))
    return rate / (best + shortest) if likeness[best] > _VOICED else 0.0
