"""Bytes and texts are kept by what they are."""

import errno
import hashlib
import os
import stat
from pathlib import Path

import pytest

from assistant.core.knowledge.texts import Block, BlockKind, ExtractedText
from assistant.knowledge.reading import opening
from assistant.knowledge.reading.reader import UnreadableFileError
from assistant.knowledge.store import FileStore

TEXT = ExtractedText(
    text="# 제목\n\n글\n",
    blocks=(
        Block(kind=BlockKind.HEADING, start=0, end=4),
        Block(kind=BlockKind.TEXT, start=6, end=7, page=2, headings=("제목",)),
    ),
    title="제목",
    pages=2,
    notes=("scanned_pages",),
)


def test_the_same_bytes_are_kept_once_and_privately(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "knowledge")
    (tmp_path / "보고서.txt").write_text("매출")
    digest, size = store.add_file(tmp_path / "보고서.txt")
    assert (digest, size) == (hashlib.sha256("매출".encode()).hexdigest(), 6)
    assert store.add("매출".encode()) == digest
    kept = [path for path in (tmp_path / "knowledge").rglob("*") if path.is_file()]
    assert kept == [store.path(digest)]
    if os.name == "posix":
        assert stat.S_IMODE(kept[0].stat().st_mode) == 0o600


def test_a_text_is_kept_for_the_version_that_read_it(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    digest = store.add(b"x")
    assert store.text(digest, "1") is None
    store.keep_text(digest, "1", TEXT)
    assert store.text(digest, "1") == TEXT
    assert store.text(digest, "2") is None


def test_a_damaged_text_is_read_anew(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    digest = store.add(b"x")
    store.keep_text(digest, "1", TEXT)
    path = next((tmp_path / "texts").rglob("*.json"))
    path.write_bytes(path.read_bytes()[:-5])
    assert store.text(digest, "1") is None


def test_a_full_disk_is_told_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = FileStore(tmp_path / "knowledge")
    (tmp_path / "a.txt").write_text("a")

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    for store_it in (lambda: store.add_file(tmp_path / "a.txt"), lambda: store.add(b"a")):
        with pytest.raises(UnreadableFileError, match="disk_full"):
            store_it()
    assert [path for path in (tmp_path / "knowledge").rglob("*") if path.is_file()] == []


def test_a_file_that_changes_while_it_is_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    path.write_text("a" * 100)
    read = os.read
    written: list[int] = []

    def read_while_it_is_written(descriptor: int, size: int) -> bytes:
        written.append(len(written))
        path.write_text("b" * (100 + len(written)))
        return read(descriptor, size)

    monkeypatch.setattr(os, "read", read_while_it_is_written)
    monkeypatch.setattr(opening, "_TRY_AGAIN_S", 0.0)
    with pytest.raises(UnreadableFileError, match="changing"):
        opening.content_of(path)


def test_only_what_nobody_refers_to_is_collected(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    kept, lost = store.add(b"kept"), store.add(b"lost")
    for digest in (kept, lost):
        store.keep_text(digest, "1", TEXT)
    assert store.collect({kept}) == 0
    assert store.path(lost).exists()
    later = store.path(lost).stat().st_mtime + 7200
    assert store.collect({kept}, now=lambda: later) > 0
    assert not store.path(lost).exists()
    assert store.text(lost, "1") is None
    assert store.path(kept).read_bytes() == b"kept"
    assert store.text(kept, "1") == TEXT
