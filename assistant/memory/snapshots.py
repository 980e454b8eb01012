"""Copies of memory files from before they were shortened: ``user.md.snapshot`` beside ``user.md`` (C-20, M-04).

Earlier copies are ``user.md.1.snapshot``, ``user.md.2.snapshot`` and so on; a higher number is older.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from assistant.core.errors import StorageError
from assistant.memory.facts import Fact, facts_in, without_facts
from assistant.storage.atomic import read_text, write_text

MOST_SNAPSHOTS = 20
"""Copies to keep of each file; the oldest ones are deleted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySnapshot:
    """A copy of a memory file.

    Attributes:
        path: the copy.
        saved_at: Unix time in seconds at which it was saved.
        content: its content.
    """

    path: Path
    saved_at: float
    content: str

    @property
    def facts(self) -> tuple[Fact, ...]:
        """Its facts, oldest first."""
        return facts_in(self.content)


def snapshot_path(file: Path, number: int) -> Path:
    """The place of a copy; number 0 is the newest one."""
    return file.with_name(f"{file.name}.{number}.snapshot" if number else f"{file.name}.snapshot")


def snapshots_of(file: Path) -> tuple[MemorySnapshot, ...]:
    """The copies of a file, newest first.

    Raises:
        StorageError: a copy cannot be read.
    """
    return tuple(_read(path) for path in _paths(file))


def keep(file: Path, content: str) -> None:
    """Save a copy of a file's content. Earlier copies get the next higher number.

    Raises:
        StorageError: the copy cannot be written; the earlier copies are kept.
    """
    paths = _paths(file)
    if paths and _read(paths[0]).content == content:
        return  # Left by a crash before the file was changed.
    try:
        for number, path in reversed([*enumerate(paths, 1)]):
            if number >= MOST_SNAPSHOTS:
                path.unlink()
            elif path != snapshot_path(file, number):
                path.replace(snapshot_path(file, number))
    except OSError as error:
        raise StorageError(str(file), error.strerror or str(error), cause=error) from error
    write_text(snapshot_path(file, 0), content)


def forget(file: Path, chosen: Callable[[tuple[Fact, ...]], tuple[Fact, ...]]) -> None:
    """Remove facts from every copy of a file.

    Args:
        file: the file.
        chosen: chooses among the facts of a copy.

    Raises:
        StorageError: a copy cannot be read or written.
    """
    for copy in snapshots_of(file):
        if gone := chosen(copy.facts):
            write_text(copy.path, without_facts(copy.content, gone))
            os.utime(copy.path, (copy.saved_at, copy.saved_at))


def _paths(file: Path) -> list[Path]:
    # A crash while the copies were renumbered leaves out a number.
    numbered = (snapshot_path(file, number) for number in range(MOST_SNAPSHOTS + 1))
    return [path for path in numbered if path.exists()]


def _read(path: Path) -> MemorySnapshot:
    try:
        return MemorySnapshot(path=path, saved_at=path.stat().st_mtime, content=read_text(path))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror or str(error) if isinstance(error, OSError) else "not UTF-8"
        raise StorageError(str(path), reason, cause=error) from error
