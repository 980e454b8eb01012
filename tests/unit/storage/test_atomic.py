import os
import stat
import sys
import time
from pathlib import Path

import pytest

from assistant.core.errors import StorageError
from assistant.storage.atomic import alone_with, remove_unfinished, write_bytes, write_text


def test_text_is_written_as_it_is_and_folders_are_made(tmp_path: Path) -> None:
    path = tmp_path / "new" / "메모.md"
    write_text(path, "- 첫째\n- 둘째\r\n")
    assert path.read_bytes() == "- 첫째\n- 둘째\r\n".encode()
    assert [each.name for each in path.parent.iterdir()] == ["메모.md"]


def test_a_failure_leaves_the_old_file_and_no_litter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "memory.md"
    write_text(path, "old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(StorageError) as caught:
        write_bytes(path, b"new")
    assert caught.value.path == str(path)
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["memory.md"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
def test_permissions_are_kept_and_new_files_are_private(tmp_path: Path) -> None:
    path = tmp_path / "memory.md"
    write_text(path, "a")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o644)
    write_text(path, "b")
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


def test_a_folder_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "memory.md").mkdir()
    with pytest.raises(StorageError) as caught:
        write_text(tmp_path / "memory.md", "a")
    assert caught.value.path == str(tmp_path / "memory.md")


def test_only_old_files_that_a_crash_left_half_written_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = tmp_path / "notes"
    below.mkdir()

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    # A process that is killed runs none of its own clearing up.
    monkeypatch.setattr(os, "fsync", die)
    monkeypatch.setattr(Path, "unlink", lambda *_, **__: None)
    for folder in (tmp_path, below):
        with pytest.raises(KeyboardInterrupt):
            write_text(folder / "a.md", "half")
    monkeypatch.undo()
    kept = [tmp_path / ".hidden", tmp_path / "a.unfinished"]
    for each in kept:
        each.touch()
    now = time.time()
    assert remove_unfinished(tmp_path, now, below=True) == 0
    assert remove_unfinished(tmp_path, now + 7200, below=False) == 1
    assert len(list(below.iterdir())) == 1
    assert remove_unfinished(tmp_path, now + 7200, below=True) == 1
    assert sorted(path for path in tmp_path.rglob("*") if path.is_file()) == sorted(kept)
    assert remove_unfinished(tmp_path / "missing", now, below=True) == 0


@pytest.mark.skipif(os.name != "posix", reason="Windows has no modes")
def test_only_the_user_can_open_a_lock(tmp_path: Path) -> None:
    with alone_with(tmp_path / "keys.json"):
        (lock,) = tmp_path.iterdir()
        assert lock.stat().st_mode & 0o077 == 0
