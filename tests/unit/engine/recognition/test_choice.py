from pathlib import Path

import pytest

from assistant.core.settings import Settings, VoiceSettings
from assistant.engine.recognition import choice
from assistant.engine.recognition.choice import (
    keep_measurements,
    kept_measurements,
    recognition_threads,
    with_measured_recognizer,
)
from assistant.engine.recognition.measuring import measure
from assistant.speech.stt.recommendation import SIZES, MeasuredRecognizer
from tests.fakes.sound.human_speech import silence

BASE = MeasuredRecognizer(size="base", device="cpu", compute_type="float32", real_time_factor=0.04)
SMALL = MeasuredRecognizer(size="small", device="cpu", compute_type="int8", real_time_factor=0.09)
THREADS = recognition_threads(Settings())


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with the base model."""
    monkeypatch.delenv("SORI_MODELS", raising=False)
    put(tmp_path, "base")
    return tmp_path


def put(home: Path, size: str) -> None:
    folder = home / "models" / SIZES[size]
    folder.mkdir(parents=True)
    (folder / "model.bin").touch()


def chosen(home: Path, voice: VoiceSettings | None = None) -> tuple[str, str, str]:
    result = with_measured_recognizer(Settings(voice=voice or VoiceSettings()), home).voice
    return result.stt_size, result.stt_device, result.stt_compute_type


def test_without_a_measurement_auto_stays(home: Path) -> None:
    assert chosen(home) == ("auto", "auto", "auto")


def test_auto_takes_what_was_measured_once_the_model_is_here(home: Path) -> None:
    keep_measurements(home, THREADS, [BASE, SMALL])
    assert chosen(home) == ("base", "cpu", "float32")
    put(home, "small")
    assert chosen(home) == ("small", "cpu", "int8")


def test_what_the_user_has_chosen_stays(home: Path) -> None:
    put(home, "small")
    keep_measurements(home, THREADS, [BASE, SMALL])
    assert chosen(home, VoiceSettings(stt_size="base")) == ("base", "cpu", "float32")
    assert chosen(home, VoiceSettings(stt_compute_type="int8")) == ("small", "cpu", "int8")
    assert chosen(home, VoiceSettings(stt_device="cuda")) == ("auto", "cuda", "auto")


def test_another_machine_or_number_of_threads_is_not_measured(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_measurements(home, 1, [BASE])
    assert kept_measurements(home, 1) == (BASE,)
    assert kept_measurements(home, 2) == ()
    monkeypatch.setattr(choice, "processor_name", lambda: "another one")
    assert kept_measurements(home, 1) == ()


@pytest.mark.parametrize("content", ["", "[]", "{", '{"machine": 3}'])
def test_a_damaged_file_is_as_good_as_none(home: Path, content: str) -> None:
    (home / "recognizer-pace.json").write_text(content, encoding="utf-8")
    assert kept_measurements(home, 1) == ()


class Slow:
    """A recogniser that needs the given seconds of a clock for each transcription."""

    def __init__(self, clock: list[float], seconds: list[float]) -> None:
        self._clock, self._seconds = clock, seconds
        self.closed = False

    def transcribe(self, *_: object, **__: object) -> None:
        self._clock[0] += self._seconds.pop(0)

    def close(self) -> None:
        self.closed = True


def test_each_usable_variant_is_measured_without_its_first_transcription(home: Path) -> None:
    clock, loaded = [0.0], list[tuple[str, int, str, str, Slow]]()

    def load(directory: Path, threads: int, *, device: str, compute_type: str) -> Slow:
        slow = Slow(clock, [9.0, 0.6, 0.5])
        loaded.append((directory.name, threads, device, compute_type, slow))
        return slow

    def usable(device: str) -> frozenset[str]:
        return frozenset({"int8", "int16"}) if device == "cpu" else frozenset()

    found = list(measure(home / "models", silence(5), 2, load=load, usable=usable, now=lambda: clock[0]))  # type: ignore[arg-type]
    assert found == [MeasuredRecognizer(size="base", device="cpu", compute_type="int8", real_time_factor=0.1)]
    assert [each[:4] for each in loaded] == [("whisper-base", 2, "cpu", "int8")]
    assert loaded[0][4].closed
