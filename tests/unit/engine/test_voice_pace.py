from datetime import timedelta
from pathlib import Path

import pytest

from assistant.engine import voice_pace
from assistant.engine.voice_pace import PaceFile
from assistant.speech.tts.pace import Pace
from assistant.weights.manifest import load_manifest
from tests.fakes.clock import FakeClock

FAST = Pace(real_time_factor=0.25, first_s=0.4)
SLOW = Pace(real_time_factor=2.5, first_s=4.0)


def file(home: Path, *, threads: int = 1, after: timedelta = timedelta(0)) -> PaceFile:
    return PaceFile(home, load_manifest(), threads, FakeClock(FakeClock().now() + after))


def test_what_was_measured_is_known_to_the_next_process(tmp_path: Path) -> None:
    assert file(tmp_path).known("kokoro") is None
    file(tmp_path).keep("kokoro", FAST)
    assert file(tmp_path, after=timedelta(days=300)).known("kokoro") == FAST


def test_slowness_is_forgotten_after_a_week(tmp_path: Path) -> None:
    file(tmp_path).keep("kokoro", SLOW)
    assert file(tmp_path, after=timedelta(days=6)).known("kokoro") == SLOW
    assert file(tmp_path, after=timedelta(days=8)).known("kokoro") is None


def test_another_number_of_threads_is_measured_anew(tmp_path: Path) -> None:
    file(tmp_path).keep("kokoro", FAST)
    assert file(tmp_path, threads=4).known("kokoro") is None


def test_another_processor_is_measured_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file(tmp_path).keep("kokoro", FAST)
    monkeypatch.setattr(voice_pace, "processor_name", lambda: "another one")
    assert file(tmp_path).known("kokoro") is None


@pytest.mark.parametrize("content", ["", "[]", "{", '{"kokoro": 3}'])
def test_a_damaged_file_is_as_good_as_none(tmp_path: Path, content: str) -> None:
    (tmp_path / "voice-pace.json").write_text(content, encoding="utf-8")
    assert file(tmp_path).known("kokoro") is None
    file(tmp_path).keep("kokoro", FAST)
    assert file(tmp_path).known("kokoro") == FAST


def test_a_folder_that_cannot_be_written_changes_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file", encoding="utf-8")
    file(tmp_path / "home").keep("kokoro", FAST)
    assert file(tmp_path / "home").known("kokoro") is None
