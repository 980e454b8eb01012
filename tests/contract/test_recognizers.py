"""What every speech recogniser does; runs over the registry, so a new engine is tested from its first day."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from assistant.core.errors import EngineError, SoriError
from assistant.speech.stt.judgement import judge
from assistant.speech.stt.recognizer import Recognizer, RecognizerOptions
from assistant.speech.stt.registry import recognizers
from tests.fakes.sound.human_speech import SAID, THREADS, character_error_rate, recording, silence

ENGINES = sorted(recognizers().engines)
FETCHED = [each for each in ENGINES if recognizers().get(each).models]
"""Engines whose weights can be fetched. Those of the other ones are files that a user has."""


@pytest.fixture(scope="module", params=FETCHED)
def recognizer(request: pytest.FixtureRequest, model_path: Callable[[str], Path]) -> Iterator[Recognizer]:
    loaded = recognizers().get(request.param).create(model_path, RecognizerOptions(threads=THREADS))
    yield loaded
    loaded.close()


def test_every_module_gives_an_engine() -> None:
    assert not recognizers().unavailable
    assert "faster_whisper" in ENGINES


@pytest.mark.models
@pytest.mark.parametrize("name", SAID)
def test_human_speech_is_understood(recognizer: Recognizer, name: str) -> None:
    language, said = SAID[name]
    transcript = recognizer.transcribe(recording(name), language=language)
    assert character_error_rate(transcript.text, said) < 0.25
    assert transcript.language == language
    assert transcript.samples == len(recording(name))
    assert transcript.engine in ENGINES
    assert judge(transcript, speech_ms=2_500).accept


@pytest.mark.models
def test_a_korean_command_is_understood_well_enough_to_act_on(recognizer: Recognizer) -> None:
    heard = recognizer.transcribe(recording("ko_lights_blue.wav"), language=None)
    assert character_error_rate(heard.text, SAID["ko_lights_blue.wav"][1]) < 0.2


@pytest.mark.models
@pytest.mark.parametrize("name", SAID)
def test_the_language_is_told_by_the_sound(recognizer: Recognizer, name: str) -> None:
    assert recognizer.transcribe(recording(name), language=None).language == SAID[name][0]


@pytest.mark.models
def test_a_draft_is_understood_as_well(recognizer: Recognizer) -> None:
    language, said = SAID["ko_lights_blue.wav"]
    transcript = recognizer.transcribe(recording("ko_lights_blue.wav"), language=language, draft=True)
    assert character_error_rate(transcript.text, said) < 0.25


@pytest.mark.models
def test_a_confirmed_prefix_is_kept_and_continued(recognizer: Recognizer) -> None:
    prefix = "Mr. Quilter is the apostle of the middle"
    transcript = recognizer.transcribe(recording("en_read_sentence.wav"), language="en", prefix=prefix)
    assert transcript.text.startswith(prefix)
    assert character_error_rate(transcript.text, SAID["en_read_sentence.wav"][1]) < 0.1


@pytest.mark.models
def test_a_prefix_that_says_everything_gets_nothing_added(recognizer: Recognizer) -> None:
    whole = recognizer.transcribe(recording("ko_lights_blue.wav"), language="ko").text
    again = recognizer.transcribe(recording("ko_lights_blue.wav"), language="ko", prefix=whole)
    assert again.text == whole


@pytest.mark.models
def test_what_is_heard_in_a_silent_room_does_not_pass_for_speech(recognizer: Recognizer) -> None:
    transcript = recognizer.transcribe(recording("near_silence.wav"), language=None)
    assert not judge(transcript, speech_ms=1_000).accept


@pytest.mark.models
@pytest.mark.parametrize("language", ["ko", "en", None])
def test_digital_silence_and_hiss_do_not_pass_for_speech(recognizer: Recognizer, language: str | None) -> None:
    hiss = np.random.default_rng(3).normal(0, 60, 32_000).astype(np.int16)
    for sound in (silence(2), hiss):
        transcript = recognizer.transcribe(sound, language=language)
        assert not judge(transcript, speech_ms=300).accept


@pytest.mark.models
def test_no_sound_at_all_gives_no_text(recognizer: Recognizer) -> None:
    transcript = recognizer.transcribe(silence(0), language=None)
    assert (transcript.text, transcript.samples) == ("", 0)


@pytest.mark.models
def test_a_recording_of_28_seconds_is_possible(recognizer: Recognizer) -> None:
    sound = np.concatenate((silence(18), recording("ko_hotel_question.wav"), silence(1.4)))
    assert "가능한가요" in recognizer.transcribe(sound, language="ko").text


@pytest.mark.parametrize("engine", ENGINES)
def test_without_its_model_an_engine_says_so(engine: str, tmp_path: Path) -> None:
    with pytest.raises(SoriError):
        recognizers().get(engine).create(lambda _: tmp_path, RecognizerOptions(threads=1))


def test_a_name_that_is_no_engine_is_answered_with_those_there_are() -> None:
    with pytest.raises(EngineError, match="faster_whisper"):
        recognizers().get("telepathy")


@pytest.mark.models
@pytest.mark.parametrize("engine", FETCHED)
def test_a_closed_engine_refuses(engine: str, model_path: Callable[[str], Path]) -> None:
    closed = recognizers().get(engine).create(model_path, RecognizerOptions(threads=1))
    closed.close()
    with pytest.raises(EngineError):
        closed.transcribe(silence(1), language="ko")


@pytest.mark.models
def test_a_name_that_was_said_fits_better_than_other_names(recognizer: Recognizer) -> None:
    if not recognizer.can_weigh:
        pytest.skip("this engine weighs nothing")
    phrases = {"Alexa": ("Alexa", "알렉사"), "도치야": ("도치야",), "Friday": ("Friday", "프라이데이")}
    weighed = recognizer.weigh(recording("alexa/1.flac"), phrases, language="en", least=-7.5)
    assert weighed.fits["Alexa"] > -7.5 > max(weighed.fits["도치야"], weighed.fits["Friday"])
    assert list(weighed.continued) == ["Alexa"]
    assert weighed.continued["Alexa"].startswith("Alexa")
    draft = recognizer.transcribe(recording("alexa/1.flac"), language="en", draft=True)
    assert weighed.transcript == draft


@pytest.mark.models
def test_without_phrases_or_sound_only_a_draft_is_made(recognizer: Recognizer) -> None:
    if not recognizer.can_weigh:
        pytest.skip("this engine weighs nothing")
    for pcm, phrases in ((recording("alexa/1.flac"), {}), (np.zeros(0, np.int16), {"Alexa": ("Alexa",)})):
        weighed = recognizer.weigh(pcm, phrases, language="en", least=0.0)
        assert not weighed.fits
        assert weighed.transcript == recognizer.transcribe(pcm, language="en", draft=True)
