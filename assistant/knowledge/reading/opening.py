"""Opens a file to read it, whatever lies under its name."""

import os
import stat
import time
from pathlib import Path

from assistant.knowledge.reading.reader import UnreadableFileError

MOST_BYTES = 256 * 1024 * 1024
"""Size of the largest file that is read. A longer one is a film, an archive or a database."""
_TRIES = 3
_TRY_AGAIN_S = 0.3


def content_of(path: Path) -> bytes:
    """All bytes of a regular file as they were at one moment.

    Blocks. Waits up to ``_TRIES`` times while somebody writes the file.

    Raises:
        UnreadableFileError: ``not_a_file``, ``gone``, ``no_rights``, ``not_readable``, ``too_large``, ``empty`` or
            ``changing``.
    """
    for _ in range(_TRIES):
        try:
            found = _content_if_still(path)
        except FileNotFoundError as error:
            raise UnreadableFileError("gone") from error
        except PermissionError as error:
            raise UnreadableFileError("no_rights") from error
        except IsADirectoryError as error:
            raise UnreadableFileError("not_a_file") from error
        except OSError as error:
            raise UnreadableFileError("not_readable", error.strerror or "") from error
        if found is not None:
            return found
        time.sleep(_TRY_AGAIN_S)
    raise UnreadableFileError("changing")


def _content_if_still(path: Path) -> bytes | None:
    # Without O_NONBLOCK opening a FIFO would wait for its writer.
    opened = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(opened, "rb") as file:
        before = os.fstat(opened)
        if not stat.S_ISREG(before.st_mode):
            raise UnreadableFileError("not_a_file")
        if before.st_size > MOST_BYTES:
            raise UnreadableFileError("too_large", _megabytes(before.st_size))
        content = file.read(MOST_BYTES + 1)
        after = os.fstat(opened)
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        return None
    if len(content) > MOST_BYTES:
        raise UnreadableFileError("too_large", _megabytes(len(content)))
    if not content:
        raise UnreadableFileError("empty")
    return content


def _megabytes(size: int) -> str:
    return f"{size / 1024 / 1024:,.0f} MB"
