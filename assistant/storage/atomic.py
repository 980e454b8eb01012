"""Reads what people write by hand, and replaces files atomically.

After a crash a file has either its old content or its new content.
"""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from assistant.core.errors import StorageError
from assistant.core.formats.text_encoding import unicode_text

UNFINISHED = ".unfinished"
"""End of the hidden name of a file or folder that is being written."""
_LOCK_TIMEOUT_S = 20.0
"""Seconds to wait for another process that changes a file. A change takes milliseconds; twenty may wait in a row."""
_LONGEST_WRITE_S = 3600.0
"""Age in seconds from which nobody is writing an unfinished file any more."""


def remove_unfinished(folder: Path, now: float, *, below: bool) -> int:
    """Remove the files and folders that a crash left half written in a folder. They were never acknowledged.

    Args:
        folder: the folder; it may be missing.
        now: Unix time in seconds. What is recent stays, because another process may be writing it.
        below: whether to look into all folders below it too.

    Returns:
        How many files and folders were removed.
    """
    removed = 0
    pattern = f".*{UNFINISHED}"
    for path in [*(folder.rglob(pattern) if below else folder.glob(pattern))]:
        with suppress(OSError):
            found = path.lstat()
            if now - found.st_mtime > _LONGEST_WRITE_S:
                if stat.S_ISDIR(found.st_mode):
                    shutil.rmtree(path)
                else:
                    path.unlink()
                removed += 1
    return removed


def read_text(path: Path) -> str:
    """The text of a file that people edit: UTF-8 or UTF-16 with or without a byte order mark; line ends become LF.

    Raises:
        OSError: the file cannot be read.
        UnicodeDecodeError: it is in another encoding.
    """
    return unicode_text(path.read_bytes()).replace("\r\n", "\n").replace("\r", "\n")


@contextmanager
def alone_with(path: Path) -> Iterator[None]:
    """Keep other processes and threads that use this function from changing a file between its reading and writing.

    The lock is a hidden file beside it, because the file itself is replaced. Missing folders are made.

    Raises:
        StorageError: the lock cannot be taken.
    """
    import filelock  # takes 13 ms, which commands that change nothing need not wait for

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = filelock.FileLock(path.with_name(f".{path.name}.lock"), timeout=_LOCK_TIMEOUT_S, mode=0o600)
        lock.acquire()
    except OSError as error:  # also of another process that holds it too long
        raise StorageError(str(path), error.strerror or str(error), cause=error) from error
    try:
        yield
    finally:
        lock.release()


def set_aside(path: Path) -> Path:
    """Move a damaged file to ``NAME.damaged``, ``NAME.damaged2`` and so on, and return its new place.

    Raises:
        StorageError: it cannot be moved; it stays as it is.
    """
    name = f"{path.name}.damaged"
    aside = next(
        each for number in count(1) if not (each := path.with_name(f"{name}{number if number > 1 else ''}")).exists()
    )
    try:
        path.rename(aside)
    except OSError as error:
        raise StorageError(str(path), error.strerror or str(error), cause=error) from error
    return aside


def write_bytes(path: Path, content: bytes) -> None:
    """Replace the content of ``path``. When this returns, the content is on the disk; on failure the old file is kept.

    An existing file keeps its permissions. A new file is readable by its owner only. Missing folders are made.

    Raises:
        StorageError: the file cannot be written; the error names the path.
    """
    try:
        _replace(path, content)
    except OSError as error:
        raise StorageError(str(path), error.strerror or str(error), cause=error) from error


def write_text(path: Path, content: str) -> None:
    """Like ``write_bytes``, for text: encoded as UTF-8, line ends unchanged."""
    write_bytes(path, content.encode())


def _replace(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # The temporary file is in the same folder, because a rename cannot cross file systems.
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=UNFINISHED, dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            temporary.chmod(path.stat().st_mode & 0o7777)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make renames in a folder durable. Windows does not allow this and does not need it."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
