"""After a pause the voice goes on at the beginning of the interrupted word."""

import numpy as np
import pytest

from assistant.audio.playback import DUCK_MS, Playback
from assistant.audio.resampling import Samples
from assistant.audio.segment import BACK_MS, BEFORE_MS
from assistant.core.audio import SAMPLE_RATE


def said(*parts_ms: int) -> Samples:
    """Words and the rests between them, in turn."""
    parts = [np.full(ms * SAMPLE_RATE // 1000, 0 if number % 2 else 8_000) for number, ms in enumerate(parts_ms)]
    return np.concatenate(parts).astype(np.int16)


def paused_after(sound: Samples, ms: int) -> Playback:
    """A playback that was paused ``ms`` after its beginning, and is silent."""
    playback = Playback()
    playback.enqueue(0, sound, SAMPLE_RATE, last=True)
    for _ in range((ms - DUCK_MS) // 10):
        playback.pull()
    playback.pause()
    for _ in range(20):
        playback.pull()
    return playback


def back_ms(playback: Playback) -> int:
    """How far ``restore`` goes back."""
    before = playback.heard_s(0)
    ready = playback.pending_s
    playback.restore()
    moved = before - playback.heard_s(0)
    assert playback.pending_s - ready == pytest.approx(moved)
    return round(moved * 1000)


@pytest.mark.parametrize("into_word_ms", [100, 300])
def test_the_interrupted_word_is_said_again(into_word_ms: int) -> None:
    playback = paused_after(said(500, 100, 600), 600 + into_word_ms)
    assert back_ms(playback) == pytest.approx(into_word_ms + BEFORE_MS, abs=20)


def test_the_word_sounds_again_to_the_end() -> None:
    playback = paused_after(said(500, 100, 600), 900)
    playback.restore()
    rest = np.concatenate([playback.pull().reference for _ in range(120)])
    assert np.count_nonzero(rest) == pytest.approx(600 * SAMPLE_RATE // 1000, rel=0.05)


def test_a_pause_in_a_rest_goes_on_there() -> None:
    assert back_ms(paused_after(said(500, 200, 600), 600)) == 0


def test_a_long_word_goes_on_in_its_middle() -> None:
    assert back_ms(paused_after(said(500, 100, 2 * BACK_MS), 600 + BACK_MS + 200)) == 0


def test_a_voice_that_was_only_lowered_says_nothing_twice() -> None:
    playback = paused_after(said(500, 100, 600), 900)
    playback.restore()
    playback.duck(14)
    assert back_ms(playback) == 0
