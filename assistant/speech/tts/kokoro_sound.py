"""Post-processing of one inference's sound: trimmed ends, pauses and loudness, so that sentences join evenly."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

Waveform = NDArray[np.float32]

LOUDNESS_DB: Final = -18.5
"""Loudness of the loud parts relative to full scale, between piper (-17.4 to -18.9) and espeak-ng (-19.2)."""
_GAIN_LIMITS: Final = (0.1, 4.0)
_PEAK: Final = 0.97
_FRAME_S: Final = 0.01
_QUIET_DB: Final = -35.0
"""A frame that is this far below the loud parts is silence."""
_EDGE_S: Final = 0.03
"""Silence left at both ends; the model gives up to 0.4 s."""
_FADE_S: Final = 0.005
_LONGEST_S: Final = 0.09
"""Longest silence within a phrase: the closure of a tense stop. A longer silence is heard as a gap between words."""


def finished(sound: Waveform, rate: int, *, pauses: int) -> NDArray[np.int16]:
    """Return the sound ready for playback; empty when the inference produced no audible sound.

    Args:
        sound: samples of one inference, from -1 to 1.
        rate: samples per second.
        pauses: number of pauses in the text. This many of the longest silences are kept; the others are shortened.
    """
    frame = round(_FRAME_S * rate)
    count = len(sound) // frame
    if not count:
        return np.zeros(0, np.int16)
    power = np.mean(sound[: count * frame].reshape(-1, frame).astype(np.float64) ** 2, axis=1) + 1e-10
    level = 10 * np.log10(power)
    loud = level > max(float(np.percentile(level, 95)) + _QUIET_DB, -60.0)
    heard = np.flatnonzero(loud)
    if not len(heard):
        return np.zeros(0, np.int16)
    gain = 10 ** (LOUDNESS_DB / 20) / np.sqrt(np.mean(power[loud]))
    gain = min(max(gain, _GAIN_LIMITS[0]), _GAIN_LIMITS[1], _PEAK / float(np.abs(sound).max()))
    parts = [_faded(part, rate) for part in _parts(sound, heard, frame, pauses)]
    silence = np.zeros(round(_LONGEST_S * rate) - 2 * round(_EDGE_S * rate), np.float32)
    joined = [piece for part in parts for piece in (silence, part)][1:]
    pcm: NDArray[np.int16] = (np.concatenate(joined) * gain * 32_767).astype(np.int16)
    return pcm


def _parts(sound: Waveform, heard: NDArray[np.int64], frame: int, pauses: int) -> list[Waveform]:
    """Cut the sound in the middle of overlong silences, leaving a short silence around each part."""
    edge = round(_EDGE_S / _FRAME_S)
    lengths = np.diff(heard) - 1
    gaps = [index for index in np.argsort(-lengths) if lengths[index] * _FRAME_S > _LONGEST_S]
    starts, ends = [heard[0]], []
    for index in sorted(gaps[pauses:]):
        ends.append(heard[index])
        starts.append(heard[index + 1])
    ends.append(heard[-1])
    return [
        sound[max(start - edge, 0) * frame : (end + 1 + edge) * frame] for start, end in zip(starts, ends, strict=True)
    ]


def _faded(part: Waveform, rate: int) -> Waveform:
    """Fade the part in and out, which prevents clicks."""
    length = min(round(_FADE_S * rate), len(part) // 2)
    shaped = part.copy()
    if length:
        curve = np.linspace(0, 1, length, dtype=np.float32)
        shaped[:length] *= curve
        shaped[-length:] *= curve[::-1]
    return shaped
