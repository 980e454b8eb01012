"""Backups of the database, made before it is migrated.

Conversations that the user deletes later are deleted from the backups too. Backups are removed after a month.
"""

import logging
import os
import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

from assistant.core.errors import StorageError

KEPT_FOR = timedelta(days=30)
"""Long enough to notice that something is missing after an update."""
_TIME = "%Y%m%d-%H%M%S-%f"
_BEGINNING = ".backup-v"
_NAME = re.compile(r"\.backup-v(\d+)-(\d{8}-\d{6}-\d{6})")
_PARTIAL = ".partial"
_CUT_OFF = re.compile(r"\.backup-v\d+-[\d-]+\.partial")
_INDEX = "SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('search_blocks', 'search_slices')"
_PEOPLE = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'people'"
_SIDE_FILES = ("-wal", "-shm", "-journal")

log = logging.getLogger(__name__)


def back_up(connection: sqlite3.Connection, path: Path, version: int, now: datetime) -> Path:
    """Copy the open database of ``path`` to ``….backup-v<version>-<time>``. Removes earlier backups of that version.

    Raises:
        sqlite3.Error: the database cannot be copied. No partial copy is left.
        OSError: the copy cannot be renamed or an earlier backup not removed.
    """
    target = path.with_name(f"{path.name}.backup-v{version}-{now.strftime(_TIME)}")
    # The copy gets its final name when it is complete, so a copy that a crash cut off is not taken for a backup.
    partial = target.with_name(target.name + _PARTIAL)
    try:
        with closing(sqlite3.connect(partial)) as copy:
            connection.backup(copy)
            # Without a write-ahead log the backup is a single file.
            copy.execute("PRAGMA journal_mode = DELETE").fetchall()
        partial.replace(target)
    except BaseException:
        _remove(partial)
        raise
    for earlier, (number, _) in _backups(path).items():
        if number == version and earlier != target:
            _remove(earlier)
    return target


def forget(
    path: Path, conversations: Sequence[str] = (), messages: Sequence[str] = (), *, people: Sequence[str] = ()
) -> None:
    """Delete conversations and messages with their files, and people, from every backup of the database.

    Waits for the disk.

    A backup that cannot be changed is removed.

    Raises:
        StorageError: a backup can neither be changed nor removed.
    """
    for backup in _backups(path):
        try:
            _forget(backup, conversations, messages, people)
        except sqlite3.Error as error:
            log.warning("the backup %s cannot be changed and is removed: %s", backup, error)
            try:
                _remove(backup)
            except OSError as refused:
                raise StorageError(str(backup), refused.strerror or str(refused), cause=refused) from refused


def remove_old(path: Path, now: datetime) -> None:
    """Remove backups older than a month, and partial copies that a crash has left.

    Call it only when no other process has the database open. A file that cannot be removed stays until the next call.
    """
    names = _names_beside(path)
    if not names:
        return
    earliest = now.replace(tzinfo=None) - KEPT_FOR
    old = [each for each, (_, made_at) in _backups(path, names).items() if made_at < earliest]
    cut_off = [path.with_name(each) for each in names if _CUT_OFF.fullmatch(each.removeprefix(path.name))]
    for each in (*old, *cut_off):
        try:
            _remove(each)
        except OSError as error:
            log.warning("the backup %s cannot be removed: %s", each, error)


def _forget(backup: Path, conversations: Sequence[str], messages: Sequence[str], people: Sequence[str]) -> None:
    with closing(sqlite3.connect(backup, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("BEGIN IMMEDIATE")
        # Every version of the schema has these tables, and their foreign keys delete the messages and files.
        connection.executemany("DELETE FROM conversations WHERE id = ?", ((each,) for each in conversations))
        connection.executemany("DELETE FROM messages WHERE id = ?", ((each,) for each in messages))
        if connection.execute(_PEOPLE).fetchone():
            connection.executemany("DELETE FROM people WHERE id = ?", ((each,) for each in people))
        # The index is made anew from the messages.
        for table in connection.execute(_INDEX).fetchall():
            connection.execute(" ".join(("DELETE FROM", *table)))
        connection.execute("COMMIT")


def _backups(path: Path, names: Sequence[str] | None = None) -> dict[Path, tuple[int, datetime]]:
    """Whole backups of a database, each with its version and the local time at which it was made.

    Args:
        path: the database.
        names: ``_names_beside`` it, where they are known already.
    """
    found = {}
    for each in _names_beside(path) if names is None else names:
        if name := _NAME.fullmatch(each.removeprefix(path.name)):
            # The clock's own zone made the name, and is what it is compared in.
            made_at = datetime.strptime(f"{name[2]}+0000", f"{_TIME}%z").replace(tzinfo=None)
            found[path.with_name(each)] = int(name[1]), made_at
    return found


def _names_beside(path: Path) -> list[str]:
    """Names of the files beside a database that begin as its backups do."""
    beginning = path.name + _BEGINNING
    with os.scandir(path.parent) as entries:
        return [each.name for each in entries if each.name.startswith(beginning)]


def _remove(file: Path) -> None:
    for suffix in ("", *_SIDE_FILES):
        file.with_name(file.name + suffix).unlink(missing_ok=True)
