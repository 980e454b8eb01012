"""The one audio format inside Sori, and the arithmetic of audio time.

Everything that listens works on 16 kHz mono signed 16-bit PCM in frames of 10 ms. Voice logic counts time in these
samples, never by the clock, so that a recording played fast, a live microphone and a test behave alike.
"""

from dataclasses import dataclass

SAMPLE_RATE = 16_000
"""Samples a second of everything that is heard."""
FRAME_MS = 10
"""Length of one frame in milliseconds; WebRTC's audio processing fixes it."""
FRAME_SAMPLES = SAMPLE_RATE * FRAME_MS // 1000
"""Samples in one frame (160)."""
FRAME_BYTES = FRAME_SAMPLES * 2
"""Bytes in one frame of 16-bit samples (320)."""
PLAYBACK_RATE = 48_000
"""Samples a second of everything that is played; the native rate of most sound cards."""


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
        """Sample index just past this frame."""
        return self.index + len(self.pcm) // 2


def to_seconds(samples: int) -> float:
    """Length in seconds of ``samples`` samples at ``SAMPLE_RATE``."""
    return samples / SAMPLE_RATE


def to_samples(seconds: float) -> int:
    """Whole samples at ``SAMPLE_RATE`` in ``seconds``, rounded to the nearest."""
    return round(seconds * SAMPLE_RATE)
