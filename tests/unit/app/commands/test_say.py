import json
from pathlib import Path

import numpy as np
import pytest

from assistant.app.command_line import main
from assistant.app.commands.voices import voice_names
from assistant.audio.cards.recordings import read_recording
from assistant.core.audio import SAMPLE_RATE
from assistant.core.settings import Settings, VoiceSettings
from assistant.host.needed_models import needed_voice_models
from assistant.speech.tts.reading import PAUSE_S
from tests.fakes.front.small_engine import SmallEngine


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "config.toml").write_text('language = "en"\n[voice]\ntts = "espeak"\n', encoding="utf-8")
    monkeypatch.setenv("SORI_HOME", str(folder))
    monkeypatch.delenv("SORI_MODELS", raising=False)
    return folder


def seconds_of(path: Path) -> float:
    pcm = read_recording(path)
    assert np.abs(pcm).max() > 1_000
    return len(pcm) / SAMPLE_RATE


def test_a_text_is_written_into_a_file_each_sentence_in_its_language(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "said.wav"
    assert main(["say", "Good morning. 오늘은 날씨가 맑아요.", "--output", str(file)]) == 0
    assert str(file) in capsys.readouterr().out
    assert 2 < seconds_of(file) < 8


def test_the_engine_that_runs_reads_the_text_sentence_by_sentence(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "said.wav"
    with SmallEngine(home) as engine:
        assert main(["say", "Good morning. 오늘은 날씨가 맑아요. See you later!", "--output", str(file)]) == 0
        assert engine.domain.spoken == ["Good morning.", "오늘은 날씨가 맑아요.", "See you later!"]
    assert seconds_of(file) == pytest.approx(3 + 2 * PAUSE_S, abs=0.05)


def test_nothing_to_read_is_said_so_and_no_file_appears(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "said.wav"
    assert main(["say", "...", "--output", str(file)]) == 0
    assert "nothing to read" in capsys.readouterr().out
    assert not file.exists()


def test_a_voice_that_is_not_there_is_told_with_those_that_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["say", "--voice", "nobody", "hello"]) == 1
    told = capsys.readouterr().err
    assert "nobody" in told
    assert all(name in told for name in voice_names())


def test_a_voice_of_another_language_is_not_replaced_in_silence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "said.wav"
    assert main(["say", "--voice", "espeak-en", "--language", "ko", "--output", str(file), "안녕"]) == 1
    assert "espeak-en" in capsys.readouterr().err
    assert not file.exists()


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "none" / "said.wav"
    assert main(["say", "hello", "--output", str(file)]) == 1
    assert str(file) in capsys.readouterr().err


def test_voices_are_listed_with_language_engine_and_licence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["voices", "--json"]) == 0
    rows = {each["name"]: each for each in json.loads(capsys.readouterr().out)}
    assert rows.keys() == set(voice_names())
    assert rows["af_heart"] == {
        "name": "af_heart",
        "language": "en",
        "engine": "kokoro",
        "licence": "Apache-2.0",
        "here": False,
        "chosen": False,
    }
    assert rows["espeak-ko"]["here"]


def test_the_table_of_voices_marks_those_that_the_settings_name(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "config.toml").write_text('language = "en"\n[voice]\nvoice = "joe, espeak-ko"\n', encoding="utf-8")
    assert main(["voices"]) == 0
    marked = [line.split()[0] for line in capsys.readouterr().out.splitlines()[:-1] if " * " in f"{line} "]
    assert marked == ["joe", "espeak-ko"]


@pytest.mark.parametrize(
    ("tts", "models"),
    [
        ("auto", ["kokoro-82m", "piper-en-joe"]),
        ("kokoro", ["kokoro-82m"]),
        ("piper", ["piper-en-joe"]),
        ("espeak", []),
        ("supertonic", ["supertonic-3"]),
        ("openai", []),
    ],
)
def test_only_the_models_of_voices_that_may_speak_are_needed(tts: str, models: list[str]) -> None:
    assert needed_voice_models(Settings(voice=VoiceSettings(tts=tts))) == models
