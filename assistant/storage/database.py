"""The database file: opening it, setting a damaged one aside, and one thread that does all work on it.

SQLite through the standard library. The journal is a write-ahead log. A durable write is on the disk
(``synchronous=FULL``) when its coroutine returns, so that the user may be told that the data are saved.
"""

import asyncio
import contextlib
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
"""How long, and how often, to try again while another process (a command beside the app) holds the write lock."""

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
        set_aside: the path to which a damaged file was moved at opening, or ``None``.
        backup: the copy that was made before a migration, or ``None``.
        alone: whether no other process had the file open. Only then may rows that a crash left be repaired.
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
        """Whether the connection commits durably at present. Only the database's thread uses this after opening."""

    @classmethod
    async def open(cls, path: Path, clock: Clock, migrations: tuple[Migration, ...] = MIGRATIONS) -> "Database":
        """Open the file; make or migrate it if necessary.

        A damaged file is renamed (``….damaged-<time>``) and a new one is made. A file of an earlier version is copied
        (``….backup-v<n>-<time>``) before it is migrated. Copies older than a month are removed.

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
        """Run ``work`` on the database's thread. ``work`` must not write.

        Raises:
            StorageError: the file cannot be read.
        """
        return await self._run(work)

    def read_waiting(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Like ``read``, but blocks. Do not call it on the thread of an event loop or on the database's own thread.

        Raises:
            StorageError: the file cannot be read, or is closed.
        """
        try:
            future = self._executor.submit(self._guarded, work)
        except RuntimeError as error:  # The executor was shut down by ``close``.
            raise StorageError(str(self.path), "the database is closed", cause=error) from error
        return future.result()

    async def write(self, work: Callable[[sqlite3.Connection], Result], *, durable: bool = True) -> Result:
        """Run ``work`` in one transaction.

        A transaction that has begun is completed even when the caller is cancelled.

        Args:
            work: makes the changes; an exception from it rolls them back.
            durable: whether the changes must be on the disk before this returns. If not, a power cut may lose them;
                a crash of Sori does not.

        Raises:
            StorageError: the file cannot be written; nothing has changed.
        """
        return await self._run(lambda connection: self._in_transaction(connection, work, durable=durable))

    def write_waiting(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Like ``write`` without ``durable``, but blocks; see ``read_waiting``.

        Raises:
            StorageError: the file cannot be written, or is closed; nothing has changed.
        """
        return self.read_waiting(lambda connection: self._in_transaction(connection, work, durable=False))

    async def forget_deleted(self) -> None:
        """Remove deleted content from the journal. In the file ``secure_delete`` has already overwritten it.

        Raises:
            StorageError: the file cannot be written.
        """

        def truncate(connection: sqlite3.Connection) -> None:
            # While another process reads, the journal may not be cut; the next call cuts it.
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

        await self._run(truncate)

    async def close(self) -> None:
        """Finish the queued work and close the file."""

        def shut(connection: sqlite3.Connection) -> None:
            connection.close()
            if self._presence is not None:
                self._presence.close()

        await self._run(shut)
        self._executor.shutdown(wait=False)

    async def _run(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._executor, self._guarded, work)

    def _in_transaction(
        self, connection: sqlite3.Connection, work: Callable[[sqlite3.Connection], Result], *, durable: bool
    ) -> Result:
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

    def _guarded(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        try:
            return work(self._connection)
        except sqlite3.Error as error:
            raise _translated(self.path, error) from error


class DatabaseReader:
    """A second connection to an open database, which only reads, on a thread of its own.

    What it reads never waits for a write: the write-ahead log lets both go on at once.

    Args:
        path: the file of a ``Database`` that is open.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._executor = ThreadPoolExecutor(1, "storage, reading")
        self._connection: sqlite3.Connection | None = None

    async def read(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run ``work`` on the reader's thread.

        Raises:
            StorageError: the file cannot be read.
        """
        return await asyncio.get_running_loop().run_in_executor(self._executor, self._guarded, work)

    async def close(self) -> None:
        """Finish the queued work and close the connection."""

        def shut() -> None:
            if self._connection is not None:
                self._connection.close()

        await asyncio.get_running_loop().run_in_executor(self._executor, shut)
        self._executor.shutdown(wait=False)

    def _guarded(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        try:
            if self._connection is None:
                self._connection = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
                self._connection.execute("PRAGMA query_only = ON")
            return work(self._connection)
        except sqlite3.Error as error:
            raise _translated(self._path, error) from error


class _Opened:
    """The result of opening; the attributes are those of ``Database``.

    ``presence`` is the lock from ``_claim``.
    """

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
        if version < migrations[-1].number:
            if version > 0:
                opened.backup = back_up(connection, path, version, now)
            migrate(connection, now, migrations)
    except BaseException:
        connection.close()
        if opened.backup is not None:
            # The file is unchanged. A copy from every failed attempt would fill the disk.
            with suppress(OSError):
                opened.backup.unlink()
        raise
    return opened


def _claim(path: Path) -> sqlite3.Connection | None:
    """Take a lock file and hold it until the process ends; ``None`` when another process holds it.

    SQLite's own file locks are used: they work on every platform, and a crash releases them.
    """
    file = _beside(path, "lock")
    with contextlib.suppress(OSError):
        file.touch(0o600)
    _keep_private(file)  # Whoever can read it can hold the lock.
    lock = sqlite3.connect(file, isolation_level=None, timeout=0, check_same_thread=False)
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        lock.close()
        if _primary(error) == sqlite3.SQLITE_BUSY:
            return None
        raise
    return lock


def _keep_private(path: Path) -> None:
    """Let only the owner read the file. SQLite gives the files beside it the same mode."""
    # A file system without modes, or another owner, must not keep Sori from opening the file.
    with contextlib.suppress(OSError):
        path.chmod(0o600)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=64)
    try:
        _keep_private(path)
        connection.execute(f"PRAGMA busy_timeout = {_BUSY_TIMEOUT_MS}")
        _use_write_ahead_log(connection)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        # SQLite then overwrites deleted content with zeros.
        connection.execute("PRAGMA secure_delete = ON")
        _check(connection)
        # A read-only file opens without an error. This finds it before the first message would be lost.
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
    except BaseException:
        connection.close()
        raise
    return connection


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Switch the file to a write-ahead log, unless it has one.

    SQLite ignores the busy timeout for this statement: when two processes open a new file at once, it refuses one of
    them. So the statement is repeated here.

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
