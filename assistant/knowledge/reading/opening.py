"""Opens a file to read it, whatever lies under its name."""

import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assistant.knowledge.reading.reader import UnreadableFileError

MOST_BYTES = 256 * 1024 * 1024
"""Size of the largest file that is read. A longer one is a film, an archive or a database."""
_TRIES = 3
_TRY_AGAIN_S = 0.3


class OpenedFile:
    """A regular file that is being read."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self._before = descriptor, os.fstat(descriptor)
        self._left = self._before.st_size
        if not stat.S_ISREG(self._before.st_mode):
            raise UnreadableFileError("not_a_file")
        if self._before.st_size > MOST_BYTES:
            raise UnreadableFileError("too_large", f"{self._before.st_size / 1024 / 1024:,.0f} MB")

    def read(self, size: int) -> bytes:
        """The next bytes, at most ``size``; none at the end.

        Raises:
            UnreadableFileError: ``changing``: it has grown. A log that never rests would have no end.
        """
        piece = os.read(self._descriptor, size)
        self._left -= len(piece)
        if self._left < 0:
            raise UnreadableFileError("changing")
        return piece

    def check(self) -> None:
        """Refuse what was read if the file has changed meanwhile.

        Raises:
            UnreadableFileError: ``changing``.
        """
        after = os.fstat(self._descriptor)
        if (self._before.st_size, self._before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
            raise UnreadableFileError("changing")


@contextmanager
def opened(path: Path) -> Iterator[OpenedFile]:
    """Open a file.

    Raises:
        UnreadableFileError: ``not_a_file``, ``gone``, ``no_rights``, ``not_readable`` or ``too_large``.
    """
    try:
        # Without O_NONBLOCK opening a FIFO would wait for its writer.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        try:
            yield OpenedFile(descriptor)
        finally:
            os.close(descriptor)
    except FileNotFoundError as error:
        raise UnreadableFileError("gone") from error
    except PermissionError as error:
        raise UnreadableFileError("no_rights") from error
    except OSError as error:
        raise UnreadableFileError("not_readable", error.strerror or "") from error


def content_of(path: Path) -> bytes:
    """All bytes of a regular file as they were at one moment.

    Blocks. Waits up to ``_TRIES`` times while somebody writes the file.

    Raises:
        UnreadableFileError: see ``opened``; ``empty`` or ``changing``.
    """
    for tried in range(1, _TRIES + 1):
        try:
            content = _content(path)
        except UnreadableFileError as error:
            if error.reason != "changing" or tried == _TRIES:
                raise
            time.sleep(_TRY_AGAIN_S)
        else:
            break
    if not content:
        raise UnreadableFileError("empty")
    return content


def _content(path: Path) -> bytes:
    pieces = []
    with opened(path) as file:
        while piece := file.read(1 << 20):
            pieces.append(piece)
        file.check()
    return b"".join(pieces)
