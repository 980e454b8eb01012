"""Sounds as sequences of unit vectors; a made-up word is a walk through them."""

import numpy as np
import pytest

from assistant.speech.wake.likeness import (
    EnrolledSound,
    Steps,
    apart,
    enrolled_sound,
    nearest,
    normalised,
    packed,
    unpacked,
)


def word(seed: int, steps: int = 6) -> Steps:
    return normalised(np.random.default_rng(seed).standard_normal((steps, 96)).astype(np.float32))


def said(spoken: Steps, noise: float, seed: int = 9) -> Steps:
    """The word, each second step twice, with noise, between other sounds."""
    slower = np.repeat(spoken, [1 + index % 2 for index in range(len(spoken))], axis=0)
    random = np.random.default_rng(seed).standard_normal(slower.shape).astype(np.float32)
    return np.concatenate((word(77, 3), normalised(slower + noise * random), word(78, 4)))


def test_a_word_is_found_in_a_longer_sound_however_slowly_it_is_said() -> None:
    spoken = word(1)
    assert apart(spoken, said(spoken, 0.0)) == pytest.approx(0.0, abs=1e-5)
    assert apart(spoken, said(word(2), 0.0)) > 0.5


def test_an_enrolment_accepts_the_word_and_no_other() -> None:
    takes = [normalised(word(1) + 0.02 * word(seed)) for seed in (11, 12, 13)]
    sound = enrolled_sound("도치야", takes, [said(take, 0.0) for take in takes])
    assert sound is not None
    assert nearest(sound.takes, said(word(1), 0.02)) <= sound.limit
    assert nearest(sound.takes, said(word(2), 0.02)) > sound.limit


def test_the_limit_follows_the_takes_within_bounds() -> None:
    def limit(noise: float) -> float:
        takes = [normalised(word(1) + noise * word(seed)) for seed in (11, 12, 13)]
        sound = enrolled_sound("도치야", takes, [said(take, 0.0) for take in takes])
        assert sound is not None
        return sound.limit

    assert limit(0.02) < limit(0.28) <= 0.12


def test_takes_of_different_words_are_not_kept() -> None:
    takes = [word(seed) for seed in (1, 2, 3)]
    assert enrolled_sound("도치야", takes, [said(take, 0.0) for take in takes]) is None


def test_a_sound_is_the_same_after_it_was_kept() -> None:
    sound = EnrolledSound(phrase="도치야", takes=(word(1), word(2, 4)), limit=0.09)
    kept = unpacked(packed(sound))
    assert kept is not None
    assert (kept.phrase, kept.limit) == ("도치야", 0.09)
    assert [np.allclose(one, other, atol=1e-3) for one, other in zip(kept.takes, sound.takes, strict=True)] == [
        True
    ] * 2


@pytest.mark.parametrize("content", [b"", b"PK", b"not a sound", packed(EnrolledSound(phrase="", takes=(), limit=1.0))])
def test_a_damaged_file_is_no_sound(content: bytes) -> None:
    assert unpacked(content) is None


def test_a_file_with_a_wrong_byte_anywhere_raises_nothing() -> None:
    content = packed(EnrolledSound(phrase="도치야", takes=(word(1), word(2)), limit=0.1))
    for place in range(0, len(content), 5):
        unpacked(content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1 :])
