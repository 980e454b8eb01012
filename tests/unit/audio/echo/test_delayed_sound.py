"""A sound is given again later, also between two samples."""

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.audio.echo.delayed_sound import DelayedSound
from assistant.core.audio import FRAME_MS, FRAME_SAMPLES, SAMPLE_RATE

HZ = 1_000.0
FRAMES = 50


def sine(delay_ms: float) -> NDArray[np.float32]:
    """The last 10 ms of a sine that began ``FRAMES`` frames ago, delayed."""
    at = np.arange((FRAMES - 1) * FRAME_SAMPLES, FRAMES * FRAME_SAMPLES)
    return (1_000 * np.sin(2 * np.pi * HZ * (at / SAMPLE_RATE - delay_ms / 1000))).astype(np.float32)


def taken(delay_ms: int, more_ms: float) -> NDArray[np.float32]:
    kept = DelayedSound(delay_ms)
    at = np.arange(FRAMES * FRAME_SAMPLES).reshape(FRAMES, FRAME_SAMPLES)
    for frame in 1_000 * np.sin(2 * np.pi * HZ * at / SAMPLE_RATE):
        kept.feed(frame.astype(np.float32))
    return kept.take(more_ms)


@pytest.mark.parametrize(
    ("delay_ms", "more_ms"), [(0, 0.0), (40, 0.0), (40, 0.03), (40, -0.16), (40, 3.14), (10, 12.7)]
)
def test_it_comes_later(delay_ms: int, more_ms: float) -> None:
    assert np.abs(taken(delay_ms, more_ms) - sine(delay_ms + more_ms)).max() < 10


def test_what_has_not_come_yet_is_not_given() -> None:
    assert np.array_equal(taken(0, -5.0), taken(0, 0.0))


def test_silence_came_before_the_sound() -> None:
    assert not taken(FRAMES * FRAME_MS + 100, 0.5).any()
