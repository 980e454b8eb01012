"""Sample rate conversion of a stream in pieces, without discontinuities between the pieces.

soxr runs on 32-bit floats. Its 16-bit path adds dither, which turns digital silence into noise of one step and makes
runs differ.
"""

import numpy as np
import soxr
from numpy.typing import NDArray

from assistant.core.audio import PLAYBACK_RATE, SAMPLE_RATE

Samples = NDArray[np.int16]
"""Mono signed 16-bit samples."""

RATIO = PLAYBACK_RATE // SAMPLE_RATE
"""Played samples per sample of the echo reference (3)."""

_EMPTY: Samples = np.zeros(0, np.int16)
_FULL_SCALE = 32_767


class Resampler:
    """Converts one stream from one sample rate to another.

    Sample 0 of the output is the instant of sample 0 of the input. soxr delays 20 to 50 ms of sound until it has seen
    the following input; the last piece returns the rest.

    Args:
        source_rate: input samples per second.
        target_rate: output samples per second.
    """

    def __init__(self, source_rate: int, target_rate: int) -> None:
        if source_rate <= 0 or target_rate <= 0:
            raise ValueError(f"sample rates are positive, not {source_rate} and {target_rate}")
        self._stream = (
            None
            if source_rate == target_rate
            else soxr.ResampleStream(source_rate, target_rate, 1, dtype="float32", quality="HQ")
        )

    def push(self, pcm: Samples, *, last: bool = False) -> Samples:
        """Take the next piece; return the ready output, possibly none. Nothing may follow the ``last`` piece."""
        if self._stream is None:
            return pcm
        if not last and not len(pcm):
            return _EMPTY
        return _rounded(self._stream.resample_chunk(pcm.astype(np.float32), last=last))


class TwinResampler:
    """Converts one stream to the playback rate and to ``SAMPLE_RATE`` in step, always ``RATIO`` to one.

    Args:
        source_rate: input samples per second.
    """

    def __init__(self, source_rate: int) -> None:
        self._to_played = Resampler(source_rate, PLAYBACK_RATE)
        self._to_reference = Resampler(source_rate, SAMPLE_RATE)
        self._played = _EMPTY
        self._reference = _EMPTY

    def push(self, pcm: Samples, *, last: bool = False) -> tuple[Samples, Samples]:
        """Take the next piece; return the played and reference samples that both rates have ready."""
        played = np.concatenate((self._played, self._to_played.push(pcm, last=last)))
        reference = np.concatenate((self._reference, self._to_reference.push(pcm, last=last)))
        if last:
            ticks = max(-(-len(played) // RATIO), len(reference))
            played = _padded(played, ticks * RATIO)
            reference = _padded(reference, ticks)
        else:
            ticks = min(len(played) // RATIO, len(reference))
        self._played, self._reference = played[ticks * RATIO :], reference[ticks:]
        return played[: ticks * RATIO], reference[:ticks]


def resample(pcm: Samples, source_rate: int, target_rate: int) -> Samples:
    """Convert a whole recording to another sample rate."""
    return Resampler(source_rate, target_rate).push(pcm, last=True)


def _rounded(samples: NDArray[np.float32]) -> Samples:
    """Round to 16-bit samples and clip the overshoot of the filter at full scale."""
    return np.clip(np.rint(samples), -_FULL_SCALE - 1, _FULL_SCALE).astype(np.int16)


def _padded(samples: Samples, length: int) -> Samples:
    return np.concatenate((samples, np.zeros(length - len(samples), np.int16)))
