from pathlib import Path

import pytest

from assistant.app.command_line import main
from assistant.app.commands.sound.recognition_speed import kept_lines, recommendation_lines
from assistant.core.settings import Settings
from assistant.engine.recognition import measuring
from assistant.engine.recognition.choice import keep_measurements, kept_measurements, recognition_threads
from assistant.host.places import Places
from assistant.host.texts import load_texts
from assistant.speech.stt.recommendation import MeasuredRecognizer

INT8 = MeasuredRecognizer(size="base", device="cpu", compute_type="int8", real_time_factor=0.06)
FLOAT = MeasuredRecognizer(size="base", device="cpu", compute_type="float32", real_time_factor=0.12)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SORI_HOME", str(tmp_path))
    monkeypatch.delenv("SORI_MODELS", raising=False)
    return tmp_path


def put_base(home: Path) -> None:
    (home / "models" / "whisper-base").mkdir(parents=True)
    (home / "models" / "whisper-base" / "model.bin").touch()


@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_recommendation_has_its_numbers_and_settings(home: Path, language: str) -> None:
    put_base(home)
    shown = recommendation_lines([INT8, FLOAT], home / "models", load_texts(language))
    assert "base *" in shown[1]
    assert "0.06" in shown[1]
    assert "0.3" in shown[1]  # seconds for 5 s of speech
    assert "0.12" in shown[2]
    assert 'stt_size = "base", stt_device = "cpu", stt_compute_type = "int8"' in shown[3]
    assert "sori models pull whisper-small" in shown[4]


def test_the_list_of_models_shows_what_was_measured(home: Path) -> None:
    texts, settings = load_texts("en"), Settings()
    places = Places(home)
    assert list(kept_lines(places, settings, home / "models", texts)) == [texts("models.not_measured")]
    keep_measurements(home, recognition_threads(settings), [INT8])
    assert any("0.06" in each for each in kept_lines(places, settings, home / "models", texts))


def test_the_command_measures_and_keeps_the_numbers(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    put_base(home)
    monkeypatch.setattr(measuring, "measure", lambda *_: iter([INT8, FLOAT]))
    assert main(["models", "recommend"]) == 0
    assert "int8" in capsys.readouterr().out
    assert kept_measurements(home, recognition_threads(Settings())) == (INT8, FLOAT)


def test_without_a_model_the_command_says_how_to_fetch_one(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "recommend"]) != 0
    assert "sori models pull whisper-base" in capsys.readouterr().err
