"""Files that are old or new after a crash, and never half of each."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from assistant.core.errors import StorageError


def write_bytes(path: Path, content: bytes) -> None:
    """Replace ``path`` with ``content``; on return it is on the disk, on failure the old file still stands.

    The file keeps its permissions; a new one is readable by its owner only. Makes missing folders.

    Raises:
        StorageError: it cannot be written; names the path.
    """
    try:
        _replace(path, content)
    except OSError as error:
        raise StorageError(str(path), error.strerror or str(error), cause=error) from error


def write_text(path: Path, content: str) -> None:
    """Like ``write_bytes``, with text in UTF-8 and line ends as given."""
    write_bytes(path, content.encode())


def _replace(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # In the same folder, for a rename cannot cross file systems.
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
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
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable; Windows neither allows nor needs it."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
