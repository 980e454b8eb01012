from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assistant.core.errors import ModelFileError
from assistant.speech.endpoint.smart_turn import FILE, SmartTurn, create
from tests.fakes.sound.human_speech import recording, silence


@pytest.fixture(scope="module")
def smart_turn(model_path: Callable[[str], Path]) -> SmartTurn:
    return create(model_path, 2)


# Computed with the model authors' own features (float64) on the voice with 400 ms before and 400 ms after it.
EXPECTED = {
    ("en_coffee_order.wav", 19_680, 75_520): 0.956,
    ("en_read_sentence.wav", 2_240, 94_400): 0.974,
    ("ko_hotel_question.wav", 8_000, 134_880): 0.988,
    ("ko_lights_blue.wav", 3_840, 56_000): 0.022,
    ("ko_read_sentence.wav", 4_320, 61_120): 0.990,
}


@pytest.mark.models
@pytest.mark.parametrize(("name", "start", "end"), EXPECTED)
def test_probabilities_equal_those_of_the_models_authors(
    smart_turn: SmartTurn, name: str, start: int, end: int
) -> None:
    sound = np.concatenate((recording(name), silence(1)))[start:end]
    assert smart_turn.probability(sound) == pytest.approx(EXPECTED[name, start, end], abs=0.03)


@pytest.mark.models
def test_a_sentence_that_breaks_off_sounds_unfinished(smart_turn: SmartTurn) -> None:
    assert smart_turn.probability(recording("en_read_sentence.wav")[2_240:56_257]) < 0.3


@pytest.mark.models
def test_only_the_last_8_seconds_count(smart_turn: SmartTurn) -> None:
    sound = recording("ko_read_sentence.wav")
    tail = np.concatenate((silence(8), sound))[-128_000:]
    assert smart_turn.probability(np.concatenate((recording("ko_wake_words.wav"), tail))) == pytest.approx(
        smart_turn.probability(tail), abs=1e-6
    )


@pytest.mark.models
@pytest.mark.parametrize("sound", [silence(0), silence(1), silence(20), np.full(16_000, 32_767, dtype=np.int16)])
def test_any_sound_gives_a_probability(
    smart_turn: SmartTurn, sound: np.ndarray[tuple[int], np.dtype[np.int16]]
) -> None:
    assert 0 <= smart_turn.probability(sound) <= 1


def test_a_missing_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=FILE):
        SmartTurn(tmp_path)
