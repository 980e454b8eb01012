"""Changing the sample rate of a stream, piece by piece, without a seam between the pieces.

soxr works on 32-bit floats here, not on its 16-bit path: that one adds dither, so digital silence would come out as
noise of one step and no two runs would agree.
"""

import numpy as np
import soxr
from numpy.typing import NDArray

from assistant.core.audio import PLAYBACK_RATE, SAMPLE_RATE

Samples = NDArray[np.int16]
"""Mono signed 16-bit samples."""

RATIO = PLAYBACK_RATE // SAMPLE_RATE
"""Played samples to one sample of the echo reference (3)."""

_EMPTY: Samples = np.zeros(0, np.int16)
_FULL_SCALE = 32_767


class Resampler:
    """One stream from one sample rate to another.

    Sample 0 of the output is the instant of sample 0 of the input, but soxr holds back 20 to 50 ms of sound until it
    has seen what follows; the last piece brings out the rest.

    Args:
        source_rate: samples a second that come in.
        target_rate: samples a second that go out.
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
        """Take the next piece and give what is ready, perhaps nothing; nothing may follow the ``last`` piece."""
        if self._stream is None:
            return pcm
        if not last and not len(pcm):
            return _EMPTY
        return _rounded(self._stream.resample_chunk(pcm.astype(np.float32), last=last))


class TwinResampler:
    """One stream to the rate of playback and to the rate of hearing, in step: always ``RATIO`` to one.

    Args:
        source_rate: samples a second that come in.
    """

    def __init__(self, source_rate: int) -> None:
        self._to_played = Resampler(source_rate, PLAYBACK_RATE)
        self._to_reference = Resampler(source_rate, SAMPLE_RATE)
        self._played = _EMPTY
        self._reference = _EMPTY

    def push(self, pcm: Samples, *, last: bool = False) -> tuple[Samples, Samples]:
        """Take the next piece; give as many played and reference samples as both rates have ready."""
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
    """A whole recording at another sample rate."""
    return Resampler(source_rate, target_rate).push(pcm, last=True)


def _rounded(samples: NDArray[np.float32]) -> Samples:
    """Floats as whole samples; what a filter's overshoot takes beyond full scale is cut."""
    return np.clip(np.rint(samples), -_FULL_SCALE - 1, _FULL_SCALE).astype(np.int16)


def _padded(samples: Samples, length: int) -> Samples:
    return np.concatenate((samples, np.zeros(length - len(samples), np.int16)))
