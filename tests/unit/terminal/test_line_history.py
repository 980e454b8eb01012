"""Lines that were typed before."""

import stat
import sys
from pathlib import Path

import pytest

from assistant.host.places import Places
from assistant.storage.typed_lines import TypedLines
from assistant.terminal.line_history import LineHistory
from tests.fakes.front.terminal import FilesOnly


def lines(path: Path) -> list[str]:
    return list(LineHistory(FilesOnly(path.parent)).load_history_strings())


def test_lines_are_kept_from_the_newest_with_their_own_line_ends(tmp_path: Path) -> None:
    path = Places(tmp_path).typed_lines
    history = LineHistory(FilesOnly(path.parent))
    for line in ("안녕하세요", "two\nlines"):
        history.store_string(line)
    assert lines(path) == ["two\nlines", "안녕하세요"]


def test_only_the_newest_five_hundred_stay(tmp_path: Path) -> None:
    path = Places(tmp_path).typed_lines
    path.write_text("".join(f'"{number}"\n' for number in range(500)), encoding="utf-8")
    history = LineHistory(FilesOnly(path.parent))
    list(history.load_history_strings())
    history.store_string("newest")
    kept = lines(path)
    assert (len(kept), kept[0], kept[-1]) == (500, "newest", "1")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
def test_nobody_else_can_read_them(tmp_path: Path) -> None:
    path = Places(tmp_path).typed_lines
    LineHistory(FilesOnly(path.parent)).store_string("secret")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_is_damaged_costs_its_own_row_only(tmp_path: Path) -> None:
    path = Places(tmp_path).typed_lines
    path.write_text('"one"\n"tw\n3\n"four"\n', encoding="utf-8")
    assert lines(path) == ["four", "one"]


def test_a_history_that_cannot_be_kept_does_not_stop_typing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = Places(tmp_path).typed_lines
    path.mkdir()
    history = LineHistory(FilesOnly(path.parent))
    assert list(history.load_history_strings()) == []
    history.store_string("still here")
    assert len(caplog.records) == 2


def test_a_line_that_was_forgotten_meanwhile_does_not_come_back(tmp_path: Path) -> None:
    path = Places(tmp_path).typed_lines
    history = LineHistory(FilesOnly(path.parent))
    for line in ("kept", "secret"):
        history.store_string(line)
    TypedLines(path).forget({"secret"})
    history.store_string("newest")
    assert lines(path) == ["newest", "kept"]
