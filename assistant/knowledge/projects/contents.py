"""The bytes of a user's file: their digest, and whether they have changed. All of it blocks."""

import hashlib
import os
import stat
from pathlib import Path
from typing import Final

_STEP: Final = 1 << 20
_HEAD: Final = 4096


def digest_of(path: Path) -> str:
    """SHA-256 of a file's bytes, in hexadecimal.

    Raises:
        OSError: it cannot be read.
    """
    digest = hashlib.sha256()
    # A pipe that took the file's place meanwhile would never end, a link would lead out of the folder.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise FileNotFoundError(path)
        while part := file.read(_STEP):
            digest.update(part)
    return digest.hexdigest()


def head_of(path: Path) -> bytes:
    """The beginning of a file, which tells its kind.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        return file.read(_HEAD)


def fingerprint(path: Path) -> tuple[int, int, int]:
    """What changes with the bytes of a file: size, time and number on the file system.

    Raises:
        OSError: there is no such file.
    """
    known = path.stat()
    return known.st_size, known.st_mtime_ns, known.st_ino
