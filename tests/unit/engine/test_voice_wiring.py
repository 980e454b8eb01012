from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest

from assistant.core.errors import ModelFileError, SoriError
from assistant.core.settings import Language, Settings, VoiceSettings
from assistant.engine.recognition.choice import recognition_threads
from assistant.engine.voice_wiring import VoiceProgress, load_voice, recognizer_options, speech_threads
from assistant.host.texts import load_texts
from assistant.speech.tts.choice import SynthesizerSet
from assistant.weights.progress import FetchProgress


def missing(name: str) -> Path:
    raise ModelFileError("it is not there", model=name)


def test_progress_of_several_models_and_of_loading_never_goes_back() -> None:
    told: list[float] = []
    progress = VoiceProgress(["ears", "mouth"], lambda fraction, _: told.append(fraction))
    for model in ("ears", "mouth"):
        for done in (0, 5, 10):
            progress.fetching(FetchProgress(model=model, done=done, total=10))
    for fraction in (0.5, 1.0):
        progress.loading(fraction, "")
    assert told == sorted(told)
    assert told[1] == pytest.approx(0.225)
    assert told[5] == pytest.approx(0.9)
    assert told[-1] == 1.0


def test_loading_is_the_whole_way_when_nothing_is_fetched() -> None:
    told: list[tuple[float, str]] = []
    progress = VoiceProgress(["ears"], lambda *each: told.append(each))
    progress.loading(0.25, "progress.loading.wake")
    assert told == [(0.25, "progress.loading.wake")]


async def test_a_missing_recogniser_is_told_once_everything_else_is_settled() -> None:
    told: list[tuple[float, str]] = []
    with pytest.raises(SoriError, match="not there"):
        await load_voice(Settings(voice=VoiceSettings(tts="espeak")), missing, lambda *each: told.append(each))
    assert [fraction for fraction, _ in told] == pytest.approx([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert all(doing in load_texts(language) for language in get_args(Language) for _, doing in told[:-1])
    assert told[-1][1] == ""


async def test_a_voice_whose_speed_is_measured_is_told_as_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measuring takes most of a first start."""
    told: list[str] = []
    monkeypatch.setattr(SynthesizerSet, "unmeasured", True)
    with pytest.raises(SoriError, match="not there"):
        await load_voice(Settings(voice=VoiceSettings(tts="espeak")), missing, lambda _, doing: told.append(doing))
    assert told[0] == "progress.loading.recognizer"
    assert told[-2] == "progress.loading.measuring"


async def test_the_voices_of_both_languages_are_loaded_beforehand() -> None:
    asked: list[str] = []

    def path_of(name: str) -> Path:
        asked.append(name)
        return missing(name)

    with pytest.raises(SoriError, match="not there"):
        await load_voice(Settings(language="ko"), path_of)
    assert "piper-en-joe" in asked


@pytest.mark.models
async def test_what_cannot_be_loaded_is_told_and_the_rest_works(model_path: Callable[[str], Path]) -> None:
    told: list[float] = []

    def tell(fraction: float, _doing: str) -> None:
        told.append(fraction)

    def path_of(name: str) -> Path:
        return missing(name) if name == "openwakeword" else model_path(name)

    voice = await load_voice(Settings(voice=VoiceSettings(tts="espeak")), path_of, tell)
    assert voice.wake is None
    assert [error.values["model"] for error in voice.missing] == ["openwakeword"]
    assert voice.turn_end is not None
    assert told == pytest.approx([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    voice.synthesizers.close()
    voice.recognizer.close()


@pytest.mark.parametrize(("cores", "threads"), [(1, 1), (2, 1), (4, 2), (12, 6)])
def test_the_recogniser_leaves_half_of_the_cores_to_the_language_model(
    monkeypatch: pytest.MonkeyPatch, cores: int, threads: int
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    assert recognition_threads(Settings()) == threads
    assert speech_threads(Settings()) == cores


def test_a_number_of_threads_that_the_user_chose_is_taken_for_the_recogniser_too() -> None:
    assert recognition_threads(Settings(voice=VoiceSettings(threads=3))) == 3


def test_the_recogniser_is_loaded_with_the_size_device_and_type_of_the_settings() -> None:
    voice = VoiceSettings(stt_size="small", stt_device="cuda", stt_compute_type="float16", threads=3)
    options = recognizer_options(Settings(voice=voice))
    assert (options.size, options.device, options.compute_type, options.threads) == ("small", "cuda", "float16", 3)
