"""What every synthesiser does; runs over the registry, so a new engine is tested from its first day."""

from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.audio.resampling import resample
from assistant.core.audio import SAMPLE_RATE
from assistant.core.errors import EngineError, SoriError
from assistant.core.settings import Provider, Settings, VoiceSettings
from assistant.engine.models.speech_models import speech_server
from assistant.host.places import Places
from assistant.speech.stt.recognizer import Recognizer, RecognizerOptions
from assistant.speech.stt.registry import recognizers
from assistant.speech.tts.registry import synthesizers
from assistant.speech.tts.synthesizer import Synthesizer, SynthesizerEngine, Voice
from tests.fakes.model_server.server import serve_in_thread
from tests.fakes.model_server.wire_speech import SPEECH, SpeechWire
from tests.fakes.sound.human_speech import THREADS, character_error_rate
from tests.fakes.voices.supertonic import write_supertonic

ENGINES = sorted(synthesizers().engines)
SENTENCES = {
    "ko": "안녕하세요. 오늘 서울 날씨는 대체로 맑습니다.",
    "en": "Good morning. The weather in Seoul is mostly sunny today.",
}
SHORT = {"ko": "네.", "en": "It is half past three."}
"""For tests that ask about the pieces, not about the words: a neural voice needs about a second for each second."""


WRITTEN: dict[str, Callable[[Path], Path]] = {"supertonic-3": write_supertonic}
"""Models that no package carries: small ones of the same form take their place, whose sound has no words."""


@pytest.fixture(scope="module")
def folder_of(model_path: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a model: a real one, or one that was written for the test."""

    @cache
    def folder(model: str) -> Path:
        write = WRITTEN.get(model)
        return model_path(model) if write is None else write(tmp_path_factory.mktemp(model))

    return folder


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> SynthesizerEngine:
    return synthesizers().get(request.param)


@pytest.fixture(scope="module")
def load(
    engine: SynthesizerEngine, folder_of: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[], Synthesizer]]:
    """Loads the engine; one that speaks with a server is connected to one on loopback."""
    if engine.connect is None:
        yield lambda: engine.create(folder_of, THREADS)
        return
    with serve_in_thread((SPEECH,), wire=SpeechWire()) as server:
        provider = Provider(name="mine", kind="openai", base_url=server.base_url)
        settings = Settings(providers=(provider,), voice=VoiceSettings(tts=engine.id))
        with speech_server(Places(tmp_path_factory.mktemp("home")), settings) as ask:
            yield partial(engine.connect, ask)


@pytest.fixture(scope="module")
def synthesizer(load: Callable[[], Synthesizer]) -> Iterator[Synthesizer]:
    loaded = load()
    yield loaded
    loaded.close()


@pytest.fixture(scope="module")
def sentences(engine: SynthesizerEngine, synthesizer: Synthesizer) -> dict[str, NDArray[np.int16]]:
    """One sentence in each language that the engine speaks, said once for all tests that listen to it."""
    spoken = sorted(engine.languages & SENTENCES.keys())
    return {language: speech(synthesizer, SENTENCES[language], Voice(language=language)) for language in spoken}


@pytest.fixture(scope="module")
def recognizer(model_path: Callable[[str], Path]) -> Iterator[Recognizer]:
    loaded = recognizers().get("faster_whisper").create(model_path, RecognizerOptions(threads=THREADS))
    yield loaded
    loaded.close()


def speech(synthesizer: Synthesizer, text: str, voice: Voice) -> NDArray[np.int16]:
    return np.concatenate([np.zeros(0, np.int16), *synthesizer.synthesize(text, voice)])


def test_every_module_gives_an_engine() -> None:
    assert not synthesizers().unavailable
    assert {"espeak", "piper"} <= set(ENGINES)


@pytest.mark.parametrize("language", SENTENCES)
def test_some_engine_speaks_each_language_without_any_model(language: str) -> None:
    here = (each for each in synthesizers().engines.values() if not each.remote)
    assert any(language in each.languages and not each.models for each in here)


@pytest.mark.models
def test_each_language_is_spoken_aloud_and_at_a_human_pace(
    engine: SynthesizerEngine, synthesizer: Synthesizer, sentences: dict[str, NDArray[np.int16]]
) -> None:
    assert sentences.keys() == engine.languages & SENTENCES.keys()
    for pcm in sentences.values():
        assert pcm.dtype == np.int16
        assert pcm.ndim == 1
        assert 2 < len(pcm) / synthesizer.sample_rate < 12
        assert np.sqrt(np.mean(pcm.astype(float) ** 2)) > 500


@pytest.mark.models
def test_twice_the_speed_takes_about_half_the_time(
    synthesizer: Synthesizer, sentences: dict[str, NDArray[np.int16]]
) -> None:
    language = min(sentences)
    fast = speech(synthesizer, SENTENCES[language], Voice(language=language, speed=2.0))
    assert 0.35 < len(fast) / len(sentences[language]) < 0.7


@pytest.mark.models
def test_the_first_piece_comes_before_the_last(engine: SynthesizerEngine, synthesizer: Synthesizer) -> None:
    language = min(engine.languages & SENTENCES.keys())
    text = " ".join([SHORT[language]] * 3)
    pieces = list(synthesizer.synthesize(text, Voice(language=language)))
    assert len(pieces) > 2
    assert len(pieces[0]) < sum(map(len, pieces)) / 2


@pytest.mark.models
def test_whoever_leaves_early_can_ask_again(engine: SynthesizerEngine, synthesizer: Synthesizer) -> None:
    language = min(engine.languages & SENTENCES.keys())
    abandoned: Any = synthesizer.synthesize(" ".join([SHORT[language]] * 5), Voice(language=language))
    with closing(abandoned):
        next(abandoned)
    again = speech(synthesizer, SHORT[language], Voice(language=language))
    assert 0.2 < len(again) / synthesizer.sample_rate < 3


@pytest.mark.models
@pytest.mark.parametrize("text", ["", " ", "…", "[[", "\0", "<speak>", "‏", "😊", "\ud800"])
def test_odd_texts_do_no_harm(engine: SynthesizerEngine, synthesizer: Synthesizer, text: str) -> None:
    language = min(engine.languages & SENTENCES.keys())
    assert len(speech(synthesizer, text, Voice(language=language))) / synthesizer.sample_rate < 5


@pytest.mark.models
def test_a_language_it_does_not_speak_is_refused(synthesizer: Synthesizer) -> None:
    with pytest.raises(EngineError):
        list(synthesizer.synthesize("saluton", Voice(language="xx")))


@pytest.mark.models
def test_a_neural_voice_can_be_understood(
    engine: SynthesizerEngine,
    synthesizer: Synthesizer,
    sentences: dict[str, NDArray[np.int16]],
    recognizer: Recognizer,
) -> None:
    has_words = engine.neural and not engine.remote and not WRITTEN.keys() & set(engine.models)
    for language, pcm in sentences.items() if has_words else ():
        heard = recognizer.transcribe(resample(pcm, synthesizer.sample_rate, SAMPLE_RATE), language=language)
        assert character_error_rate(heard.text, SENTENCES[language]) < 0.2


def test_without_its_model_an_engine_says_so(engine: SynthesizerEngine, tmp_path: Path) -> None:
    if engine.models:
        with pytest.raises(SoriError):
            engine.create(lambda _: tmp_path, 1)


@pytest.mark.models
def test_a_closed_engine_refuses(load: Callable[[], Synthesizer]) -> None:
    closed = load()
    closed.close()
    with pytest.raises(EngineError):
        list(closed.synthesize("hello", Voice(language="en")))
