"""What every wake-word engine does; runs over the registry, so a new engine is tested from its first day."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.audio.cards.recordings import read_recording
from assistant.core.errors import EngineError
from assistant.speech.wake.detector import WakeDetector, WakeEngine, WakeHit, WakeOptions
from assistant.speech.wake.registry import wake_engines
from tests.fakes.sound.human_speech import ALEXA, SAID, recording, silence

ENGINES = sorted(wake_engines().engines)
Pcm = NDArray[np.int16]

pytestmark = pytest.mark.models


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> WakeEngine:
    return wake_engines().get(request.param)


@pytest.fixture(scope="module")
def make(engine: WakeEngine, model_path: Callable[[str], Path]) -> Callable[[WakeOptions], WakeDetector]:
    return lambda options: engine.create(model_path, options)


Make = Callable[[WakeOptions], WakeDetector]


def listen(detector: WakeDetector, *sounds: Pcm, piece: int = 160) -> list[WakeHit]:
    sound = np.concatenate(sounds)
    pieces = [sound[at : at + piece] for at in range(0, len(sound), piece)]
    return [hit for each in pieces if (hit := detector.feed(each)) is not None]


def test_every_module_gives_an_engine() -> None:
    assert not wake_engines().unavailable
    assert "openwakeword" in ENGINES


def test_the_words_can_be_listed(engine: WakeEngine, model_path: Callable[[str], Path]) -> None:
    files = [path.name for model in engine.models for path in model_path(model).iterdir()]
    assert {"hey_jarvis", "alexa"} <= set(engine.words(files))


def test_a_word_that_does_not_exist_is_refused_with_those_that_do(make: Make) -> None:
    with pytest.raises(EngineError, match="hey_jarvis"):
        make(WakeOptions(word="open_sesame"))


def test_the_word_is_heard_once_and_soon(make: Make) -> None:
    detector = make(WakeOptions(word="alexa"))
    for path in ALEXA[:6]:
        detector.reset()
        word = read_recording(path)
        hits = listen(detector, silence(1), word, silence(1))
        assert len(hits) == 1
        assert hits[0].name == detector.name == "alexa"
        assert 0.5 <= hits[0].score <= 1
        assert 16_000 < hits[0].end <= 16_000 + len(word) + 8_000


@pytest.mark.parametrize("word", ["alexa", "hey_jarvis"])
def test_other_speech_does_not_wake(make: Make, word: str) -> None:
    detector = make(WakeOptions(word=word))
    others = [*SAID, "ko_hotel_question.wav", "ko_wake_words.wav", "near_silence.wav"]
    assert listen(detector, *(recording(each) for each in others)) == []


def test_nothing_wakes_again_within_the_cooldown(make: Make) -> None:
    word = read_recording(ALEXA[0])[:32_000]
    twice = (silence(1), word, word, silence(1))
    assert len(listen(make(WakeOptions(word="alexa", cooldown_s=10)), *twice)) == 1
    assert len(listen(make(WakeOptions(word="alexa", cooldown_s=1)), *twice)) == 2


def test_more_frames_are_harder_to_reach(make: Make) -> None:
    word = (silence(1), read_recording(ALEXA[0]), silence(1))
    assert listen(make(WakeOptions(word="alexa", frames=2)), *word)
    assert not listen(make(WakeOptions(word="alexa", frames=20)), *word)


def test_a_lower_sensitivity_value_wakes_no_later(make: Make) -> None:
    word = (silence(1), read_recording(ALEXA[1]), silence(1))
    eager = listen(make(WakeOptions(word="alexa", sensitivity=0.1)), *word)
    strict = listen(make(WakeOptions(word="alexa", sensitivity=0.9)), *word)
    assert eager[0].end <= strict[0].end


@pytest.mark.parametrize("piece", [1, 7, 160, 512, 1280, 5000])
def test_hits_do_not_depend_on_how_the_sound_arrives(make: Make, piece: int) -> None:
    sound = (silence(0.5), read_recording(ALEXA[2]))
    whole = listen(make(WakeOptions(word="alexa")), *sound, piece=1280)
    found = listen(make(WakeOptions(word="alexa")), *sound, piece=piece)
    assert [hit.end for hit in found] == [hit.end for hit in whole]


def test_a_word_begun_before_the_voice_was_noticed_is_not_lost(make: Make) -> None:
    detector = make(WakeOptions(word="alexa"))
    detector.feed(silence(10), active=False)
    word = read_recording(ALEXA[0])
    loudest = int(np.argmax(np.abs(word.astype(int))))
    assert detector.feed(word[:loudest], active=False) is None
    hits = [hit for at in range(loudest, len(word), 160) if (hit := detector.feed(word[at : at + 160])) is not None]
    assert len(hits) == 1


def test_a_reset_forgets_the_sound_and_counts_from_zero(make: Make) -> None:
    detector = make(WakeOptions(word="alexa"))
    word = (silence(1), read_recording(ALEXA[0]), silence(1))
    first = listen(detector, *word)
    detector.reset()
    assert listen(detector, *word) == first
