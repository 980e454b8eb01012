"""OpenAI's Whisper without PyTorch: ``whisper`` and ``torch`` stand in at the import only."""

import sys
from collections.abc import Callable
from contextlib import nullcontext
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from assistant.core.errors import EngineError, ModelFileError
from assistant.host.texts import load_texts
from assistant.speech.stt.openai_whisper import ENGINE, FOLDER, OpenaiWhisper
from assistant.speech.stt.recognizer import RecognizerOptions
from assistant.weights.store import ModelStore

SECOND = np.full(16_000, 8192, np.int16)


class Sound:
    """What stands for a tensor."""

    def __init__(self, samples: Any) -> None:
        self.samples = samples

    def unsqueeze(self, _dimension: int) -> "Sound":
        return self


class Whisper(ModuleType):
    """The functions of the package ``whisper`` that the engine calls."""

    def __init__(self) -> None:
        super().__init__("whisper")
        self.__spec__ = ModuleSpec("whisper", None)
        self.probabilities = {"ko": 0.2, "en": 0.7, "ja": 0.9}
        self.is_multilingual = True
        self.dims, self.device = SimpleNamespace(n_mels=80), "cpu"
        self.loaded: list[tuple[str, str]] = []
        self.asked: list[dict[str, Any]] = []
        self.heard = Sound(())
        self.trouble: Exception | None = None

    def load_model(self, name: str, device: str) -> "Whisper":
        if self.trouble is not None:
            raise self.trouble
        self.loaded.append((Path(name).name, device))
        return self

    def pad_or_trim(self, sound: Any) -> Any:
        return np.pad(sound, (0, 480_000 - len(sound)))

    def log_mel_spectrogram(self, sound: Any, *, n_mels: int, device: str) -> Sound:
        assert (n_mels, device) == (80, "cpu")
        return Sound(sound)

    def embed_audio(self, sound: Sound) -> Sound:
        self.heard = sound
        return sound

    def detect_language(self, sound: Sound) -> tuple[list[int], list[dict[str, float]]]:
        assert sound is self.heard
        return [0], [self.probabilities]

    def DecodingOptions(self, **options: Any) -> dict[str, Any]:  # noqa: N802 - the library's name
        return options

    def decode(self, model: "Whisper", sound: Sound, options: dict[str, Any]) -> list[SimpleNamespace]:
        assert (model, sound) == (self, self.heard)
        if self.trouble is not None:
            raise self.trouble
        self.asked.append(options)
        return [SimpleNamespace(text=" 불을 켜 줘", avg_logprob=-0.3, no_speech_prob=0.1, compression_ratio=1.2)]


@pytest.fixture
def whisper(monkeypatch: pytest.MonkeyPatch) -> Whisper:
    module, torch = Whisper(), ModuleType("torch")
    torch.cuda = SimpleNamespace(is_available=lambda: False)  # type: ignore[attr-defined]
    torch.set_num_threads = lambda _count: None  # type: ignore[attr-defined]
    torch.no_grad = nullcontext  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "whisper", module)
    monkeypatch.setitem(sys.modules, "torch", torch)
    return module


@pytest.fixture
def path_of(tmp_path: Path) -> Callable[[str], Path]:
    """The paths of a real store of models."""

    def path(name: str) -> Path:
        return ModelStore(tmp_path, record=lambda _address: None).path(name)

    return path


def put(models: Path, *names: str) -> None:
    (models / FOLDER).mkdir()
    for name in names:
        (models / FOLDER / name).write_bytes(b"weights")


def loaded(whisper: Whisper) -> OpenaiWhisper:
    return OpenaiWhisper(Path("mine.pt"), 1)


def test_the_users_checkpoint_is_loaded(whisper: Whisper, path_of: Callable[[str], Path], tmp_path: Path) -> None:
    put(tmp_path, "mine.pt")
    ENGINE.create(path_of, RecognizerOptions())
    assert whisper.loaded == [("mine.pt", "cpu")]


@pytest.mark.parametrize("files", [(), ("one.pt", "two.pt")])
def test_without_exactly_one_checkpoint_the_user_is_told_where_it_goes(
    files: tuple[str, ...], path_of: Callable[[str], Path], tmp_path: Path
) -> None:
    put(tmp_path, *files)
    with pytest.raises(ModelFileError) as caught:
        ENGINE.create(path_of, RecognizerOptions())
    assert caught.value.message_key == "error.whisper_checkpoint_missing"
    for language in ("ko", "en"):
        assert str(tmp_path / FOLDER) in load_texts(language)(caught.value.message_key, **caught.value.values)


def test_without_the_package_the_user_is_told_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "whisper", None)
    with pytest.raises(EngineError) as caught:
        OpenaiWhisper(Path("mine.pt"), 1)
    for language in ("ko", "en"):
        told = load_texts(language)(caught.value.message_key, **caught.value.values)
        assert f"{sys.executable} -m pip install openai-whisper==" in told


def test_a_damaged_checkpoint_is_named(whisper: Whisper) -> None:
    whisper.trouble = ValueError("not a checkpoint")
    with pytest.raises(ModelFileError) as caught:
        loaded(whisper)
    told = load_texts("en")(caught.value.message_key, **caught.value.values)
    assert "mine.pt" in told
    assert "not a checkpoint" in told


def test_a_sound_is_padded_to_the_window_and_transcribed_with_its_evidence(whisper: Whisper) -> None:
    heard = loaded(whisper).transcribe(SECOND, language="ko")
    assert len(whisper.heard.samples) == 480_000
    assert whisper.heard.samples[0] == 0.25
    assert (heard.text, heard.language, heard.samples, heard.engine) == ("불을 켜 줘", "ko", 16_000, "openai_whisper")
    evidence = (heard.average_log_probability, heard.no_speech_probability, heard.compression_ratio)
    assert evidence == (-0.3, 0.1, 1.2)
    assert (whisper.asked[0]["beam_size"], whisper.asked[0]["temperature"]) == (5, 0.0)


def test_a_draft_is_greedy_and_keeps_the_confirmed_words(whisper: Whisper) -> None:
    heard = loaded(whisper).transcribe(SECOND, language="ko", prefix="거실 ", draft=True)
    assert heard.text == "거실 불을 켜 줘"
    assert (whisper.asked[0]["beam_size"], whisper.asked[0]["prefix"]) == (None, "거실")


def test_the_language_is_korean_or_english_and_the_likely_one_decides_short_speech(whisper: Whisper) -> None:
    engine = loaded(whisper)
    assert engine.transcribe(SECOND, language=None).language == "en"
    assert engine.transcribe(SECOND, language=None, likely="ko").language == "ko"
    assert engine.transcribe(np.tile(SECOND, 4), language=None, likely="ko").language == "en"


def test_what_it_cannot_do_is_an_error_of_the_engine(whisper: Whisper) -> None:
    engine = loaded(whisper)
    assert engine.transcribe(SECOND[:0], language=None).text == ""
    with pytest.raises(EngineError, match="at most 30 s"):
        engine.transcribe(np.tile(SECOND, 31), language="ko")
    with pytest.raises(EngineError, match="'fr'"):
        engine.transcribe(SECOND, language="fr")
    whisper.trouble = RuntimeError("out of memory")
    with pytest.raises(EngineError, match="out of memory"):
        engine.transcribe(SECOND, language="ko")
    engine.close()
    with pytest.raises(EngineError, match="closed"):
        engine.transcribe(SECOND, language="ko")


def test_a_graphics_card_that_pytorch_cannot_use_is_an_error(whisper: Whisper) -> None:
    with pytest.raises(EngineError) as caught:
        OpenaiWhisper(Path("mine.pt"), 1, "cuda")
    assert caught.value.message_key == "error.recognizer_device"
