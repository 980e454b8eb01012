"""The database file: opening, repairing, and one thread that does all the work on it.

SQLite through the standard library. The journal is a write-ahead log; a durable write has reached the disk
(``synchronous=FULL``) when its coroutine returns, so that the user may be told that it is saved.
"""

import asyncio
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from assistant.core.clock import Clock
from assistant.core.errors import StorageError
from assistant.storage.migrations.backups import back_up, remove_old
from assistant.storage.migrations.migrate import migrate, refuse_newer
from assistant.storage.migrations.steps import MIGRATIONS, Migration

_BUSY_TIMEOUT_MS = 5_000
_BUSY_POLL_S = 0.02
"""Another process (a command beside the running app) may hold the write lock for a moment."""

_SIDE_FILES = ("-wal", "-shm")
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_MESSAGE_KEYS = {
    sqlite3.SQLITE_FULL: "storage_full",
    sqlite3.SQLITE_READONLY: "storage_read_only",
    sqlite3.SQLITE_CANTOPEN: "storage_cannot_open",
    sqlite3.SQLITE_PERM: "storage_cannot_open",
    sqlite3.SQLITE_BUSY: "storage_busy",
    sqlite3.SQLITE_LOCKED: "storage_busy",
}

Result = TypeVar("Result")


class Database:
    """An open database. Open it with ``Database.open``; close it with ``close``.

    Attributes:
        path: the file.
        set_aside: where a damaged file was moved to when this one was opened, or ``None``.
        backup: the copy that was made before a migration, or ``None``.
        alone: whether no other process had the file open; only then may what a crash left behind be tidied.
    """

    def __init__(self, path: Path, executor: ThreadPoolExecutor, opened: "_Opened") -> None:
        self.path = path
        self.set_aside = opened.set_aside
        self.backup = opened.backup
        self.alone = opened.presence is not None
        self._presence = opened.presence
        self._connection = opened.connection
        self._executor = executor
        self._durable = True
        """How the connection commits at present; only the database's thread looks at it after opening."""

    @classmethod
    async def open(cls, path: Path, clock: Clock, migrations: tuple[Migration, ...] = MIGRATIONS) -> "Database":
        """Open the file, making or migrating it as needed.

        A damaged file is renamed (``…damaged-<time>``) and a new one opened; an older one is copied
        (``…backup-v<n>-<time>``) before it is migrated. Copies that are a month old are removed.

        Raises:
            StorageError: the file cannot be opened, read or written, or a newer Sori wrote it.
        """
        executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="storage")
        try:
            opened = await asyncio.get_running_loop().run_in_executor(executor, _open, path, clock.now(), migrations)
        except BaseException:
            executor.shutdown(wait=False)
            raise
        return cls(path, executor, opened)

    async def read(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run ``work`` on the database's thread; it must not write.

        Raises:
            StorageError: the file cannot be read.
        """
        return await self._run(work)

    def read_waiting(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """As ``read``, for threads that may wait: not an event loop's, and not the database's own.

        Raises:
            StorageError: the file cannot be read, or is closed.
        """
        try:
            future = self._executor.submit(self._guarded, work)
        except RuntimeError as error:  # There is no thread any more that could do it.
            raise StorageError(str(self.path), "is closed", cause=error) from error
        return future.result()

    async def write(self, work: Callable[[sqlite3.Connection], Result], *, durable: bool = True) -> Result:
        """Run ``work`` in one transaction; whole or not at all.

        Once begun it goes through even when the caller is cancelled.

        Args:
            work: what to do; an exception undoes it.
            durable: whether the disk must have it before this returns. Without, a power cut may lose it, a crash of
                Sori cannot.

        Raises:
            StorageError: the file cannot be written; nothing has changed.
        """

        def transaction(connection: sqlite3.Connection) -> Result:
            if durable is not self._durable:
                connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                self._durable = durable
            connection.execute("BEGIN IMMEDIATE")
            try:
                result = work(connection)
                connection.execute("COMMIT")
            except BaseException:
                # SQLite has already rolled back after some errors, a full disk among them.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            return result

        return await self._run(transaction)

    async def forget_deleted(self) -> None:
        """Let nothing of deleted rows stay in the file or its journal: deleted cells are overwritten as they go.

        Raises:
            StorageError: the file cannot be written.
        """

        def truncate(connection: sqlite3.Connection) -> None:
            # Another process that reads just now may hold the journal's end; the next time takes it along.
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

        await self._run(truncate)

    async def close(self) -> None:
        """Finish what is queued and close the file."""

        def shut(connection: sqlite3.Connection) -> None:
            connection.close()
            if self._presence is not None:
                self._presence.close()

        await self._run(shut)
        self._executor.shutdown(wait=False)

    async def _run(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._executor, self._guarded, work)

    def _guarded(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        try:
            return work(self._connection)
        except sqlite3.Error as error:
            raise _translated(self.path, error) from error


class _Opened:
    """What opening found and made."""

    def __init__(self, connection: sqlite3.Connection, presence: sqlite3.Connection | None) -> None:
        self.connection = connection
        self.presence = presence
        self.set_aside: Path | None = None
        self.backup: Path | None = None


def _open(path: Path, now: datetime, migrations: tuple[Migration, ...]) -> _Opened:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        presence = _claim(path)
        try:
            return _open_claimed(path, now, migrations, presence)
        except BaseException:
            if presence is not None:
                presence.close()
            raise
    except OSError as error:
        raise StorageError(
            str(path), error.strerror or str(error), message_key="storage_cannot_open", cause=error
        ) from error
    except sqlite3.Error as error:
        raise _translated(path, error) from error


def _open_claimed(
    path: Path, now: datetime, migrations: tuple[Migration, ...], presence: sqlite3.Connection | None
) -> _Opened:
    set_aside = None
    try:
        connection = _connect(path)
    except sqlite3.DatabaseError as error:
        if not _is_damage(error) or presence is None:
            raise
        set_aside = _move_aside(path, now)
        connection = _connect(path)
    opened = _Opened(connection, presence)
    opened.set_aside = set_aside
    try:
        version = refuse_newer(connection, str(path), migrations[-1].number)
        if presence is not None:
            remove_old(path, now)
        if 0 < version < migrations[-1].number:
            opened.backup = back_up(connection, path, version, now)
        migrate(connection, now, migrations)
    except BaseException:
        connection.close()
        if opened.backup is not None:
            # The file itself is as it was; a copy at each attempt would fill the disk.
            with suppress(OSError):
                opened.backup.unlink()
        raise
    return opened


def _claim(path: Path) -> sqlite3.Connection | None:
    """Hold a lock file for as long as this process lives; ``None`` when another process holds it.

    SQLite's own file locks work on every platform and end with the process, however it ends.
    """
    lock = sqlite3.connect(_beside(path, "lock"), isolation_level=None, timeout=0, check_same_thread=False)
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        lock.close()
        if _primary(error) == sqlite3.SQLITE_BUSY:
            return None
        raise
    return lock


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=64)
    try:
        connection.execute(f"PRAGMA busy_timeout = {_BUSY_TIMEOUT_MS}")
        _keep_a_log(connection)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        # What the user deletes is overwritten with zeros, not only unlinked.
        connection.execute("PRAGMA secure_delete = ON")
        _check(connection)
        # A file that can only be read opens without complaint; the first message would then be lost.
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
    except BaseException:
        connection.close()
        raise
    return connection


def _keep_a_log(connection: sqlite3.Connection) -> None:
    """Switch the file to its write-ahead log, unless it has one.

    SQLite does not wait for others here, whatever the timeout: of two that open a new file at once, one is refused.

    Raises:
        sqlite3.OperationalError: the file stayed locked for the whole timeout.
    """
    give_up = time.monotonic() + _BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if _primary(error) != sqlite3.SQLITE_BUSY or time.monotonic() >= give_up:
                raise
            time.sleep(_BUSY_POLL_S)
        else:
            return


def _check(connection: sqlite3.Connection) -> None:
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        error = sqlite3.DatabaseError(str(verdict))
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error


def _move_aside(path: Path, now: datetime) -> Path:
    target = _beside(path, f"damaged-{now:%Y%m%d-%H%M%S-%f}")
    path.replace(target)
    for suffix in _SIDE_FILES:
        side = path.with_name(path.name + suffix)
        with suppress(FileNotFoundError):
            side.replace(target.with_name(target.name + suffix))
    return target


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(f"{path.name}.{suffix}")


def _primary(error: sqlite3.Error) -> int:
    """SQLite's primary result code; extended codes carry it in their low byte."""
    code = getattr(error, "sqlite_errorcode", None)
    return (int(code) & 0xFF) if code is not None else sqlite3.SQLITE_ERROR


def _is_damage(error: sqlite3.Error) -> bool:
    return _primary(error) in _DAMAGED


def _translated(path: Path, error: sqlite3.Error) -> StorageError:
    key = "storage_damaged" if _is_damage(error) else _MESSAGE_KEYS.get(_primary(error), "")
    return StorageError(str(path), str(error), message_key=key, cause=error)
