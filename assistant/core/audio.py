"""The audio format inside Sori, and the arithmetic of audio time.

All listening code uses 16 kHz mono signed 16-bit PCM in frames of 10 ms. Voice logic counts time in these samples and
never uses the clock, so a recording played fast, a live microphone and a test behave alike.
"""

from dataclasses import dataclass

SAMPLE_RATE = 16_000
"""Samples per second of all heard sound."""
FRAME_MS = 10
"""Length of one frame in milliseconds, required by WebRTC's audio processing."""
FRAME_SAMPLES = SAMPLE_RATE * FRAME_MS // 1000
"""Samples in one frame (160)."""
FRAME_BYTES = FRAME_SAMPLES * 2
"""Bytes in one frame of 16-bit samples (320)."""
PLAYBACK_RATE = 48_000
"""Samples per second of all played sound; the native rate of most sound cards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """Ten milliseconds of sound.

    Attributes:
        index: sample index of the frame's first sample since the card was opened.
        pcm: ``FRAME_BYTES`` bytes of little-endian signed 16-bit mono at ``SAMPLE_RATE``.
    """

    index: int
    pcm: bytes

    @property
    def end(self) -> int:
        """Sample index just after this frame."""
        return self.index + len(self.pcm) // 2


def to_seconds(samples: int) -> float:
    """Duration of ``samples`` samples at ``SAMPLE_RATE``, in seconds."""
    return samples / SAMPLE_RATE


def to_samples(seconds: float) -> int:
    """Number of samples at ``SAMPLE_RATE`` in ``seconds``, rounded to the nearest."""
    return round(seconds * SAMPLE_RATE)
