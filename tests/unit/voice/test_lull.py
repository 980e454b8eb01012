"""A lull begins where a voice has fallen to the sound of the room."""

import numpy as np
import pytest

from assistant.core.audio import FRAME_SAMPLES
from assistant.voice.lull import Lull


def sound(ms: int, db: float, *, seed: int = 1) -> bytes:
    """Noise of a level in decibels above one step of 16 bits."""
    noise = np.random.default_rng(seed).normal(0, 10 ** (db / 20), ms * FRAME_SAMPLES // 10)
    return np.clip(noise, -32768, 32767).astype(np.int16).tobytes()


def after(*pieces: tuple[int, float], room_db: float = 30.0) -> int:
    """Duration of the lull after pieces of sound of so many milliseconds and decibels, all within detected speech."""
    lull = Lull()
    lull.learn_room(sound(300, room_db, seed=2))
    for ms, db in pieces:
        pcm = sound(ms, db)
        for start in range(0, len(pcm), 2 * FRAME_SAMPLES):
            lull.feed(pcm[start : start + 2 * FRAME_SAMPLES], speech=True)
    return lull.duration_ms


def test_there_is_no_lull_while_the_voice_is_heard() -> None:
    assert after((500, 66)) == 0
    assert after((500, 66), (20, 30), (100, 66)) == 0


def test_a_lull_lasts_from_the_end_of_the_voice_on() -> None:
    assert after((500, 66), (100, 30)) == pytest.approx(80, abs=10)


def test_a_lull_ends_where_another_syllable_begins() -> None:
    assert after((500, 66), (100, 30), (60, 54)) == 0


def test_a_weak_last_syllable_is_no_lull() -> None:
    assert after((500, 66), (40, 40), (150, 51)) == 0


def test_what_is_far_below_the_voice_is_a_lull_although_the_room_is_quieter() -> None:
    assert after((500, 66), (100, 43), room_db=10) > 0


def test_in_a_loud_room_the_voice_has_ended_where_only_the_room_is_heard() -> None:
    assert after((500, 66), (150, 54), room_db=54) > 0
    assert after((500, 66), (150, 60), room_db=54) == 0


def test_where_the_room_is_nearly_as_loud_as_the_voice_nothing_is_said_about_its_end() -> None:
    assert after((500, 60), (150, 56), room_db=56) == 0


def test_one_loud_word_does_not_make_the_weaker_ones_after_it_inaudible_for_long() -> None:
    assert after((300, 80), (100, 59)) > 0
    assert after((300, 80), (1500, 59)) == 0


def test_digital_silence_is_a_lull() -> None:
    lull = Lull()
    for _ in range(20):
        lull.feed(sound(10, 60), speech=True)
    for _ in range(10):
        lull.feed(bytes(2 * FRAME_SAMPLES), speech=True)
    assert lull.duration_ms >= 70
