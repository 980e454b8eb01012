from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assistant.core.errors import ModelFileError
from assistant.speech.wake.likeness import apart
from assistant.speech.wake.word_sound import WordSound
from tests.fakes.sound.human_speech import recording, silence


@pytest.mark.models
def test_the_same_word_is_nearer_than_other_speech(model_path: Callable[[str], Path]) -> None:
    describes = WordSound(model_path("openwakeword"))
    word = describes.word(np.concatenate((silence(0.5), recording("alexa/0.flac"), silence(0.5))))
    same = [describes.whole(recording(f"alexa/{number}.flac")) for number in (1, 2, 7)]
    other = [describes.whole(recording(name)) for name in ("ko_lights_blue.wav", "en_coffee_order.wav")]
    assert max(apart(word, each) for each in same) < min(apart(word, each) for each in other)


@pytest.mark.models
def test_a_word_at_the_beginning_of_a_short_sound_has_the_steps_of_the_word(model_path: Callable[[str], Path]) -> None:
    describes = WordSound(model_path("openwakeword"))
    said = recording("alexa/0.flac")
    loud = np.flatnonzero(np.abs(said.astype(np.int32)) > np.abs(said).max() // 10)
    short = np.concatenate((silence(0.1), said[loud[0] : loud[-1]], silence(0.2)))
    word = describes.word(short)
    assert len(word) > 2
    assert apart(word, describes.whole(short)) < 0.01


@pytest.mark.models
def test_a_very_short_sound_has_a_step(model_path: Callable[[str], Path]) -> None:
    describes = WordSound(model_path("openwakeword"))
    assert describes.word(silence(0.1)).shape == (1, 96)
    assert describes.whole(silence(0.1)).shape == (1, 96)


def test_a_missing_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="melspectrogram"):
        WordSound(tmp_path)
