"""Keeps the bytes of the user's files by what they are, and the texts that were read of them (K-01).

``blobs/ab/abcd…`` holds the bytes whose SHA-256 is ``abcd…``, once however often they were added. The file
``texts/ab/abcd….json`` holds what a version of the reader made of them. A file appears whole: it is written beside,
synced and renamed. Only the user may read it.
All functions block; do not call them on the event loop's thread.
"""

import errno
import hashlib
import json
import os
import tempfile
import time
import zlib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

from assistant.core.knowledge.texts import Block, BlockKind, ExtractedText
from assistant.knowledge.reading.opening import opened
from assistant.knowledge.reading.reader import UnreadableFileError

_PIECE = 1024 * 1024
_YOUNG_S = 3600.0
"""Nothing younger is collected: whoever stores a file refers to it only afterwards."""
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


class FileStore:
    """Files by the SHA-256 of their bytes, in hexadecimal.

    Args:
        folder: where everything lies; made when the first file is stored.
    """

    def __init__(self, folder: Path) -> None:
        self._blobs, self._texts = folder / "blobs", folder / "texts"

    def add(self, content: bytes) -> str:
        """Store bytes, and return their digest.

        Raises:
            UnreadableFileError: ``disk_full`` or ``not_readable``.
        """
        digest = hashlib.sha256(content).hexdigest()
        if not self.path(digest).exists():
            with _written(self.path(digest)) as file:
                file.write(content)
        return digest

    def add_file(self, path: Path) -> tuple[str, int]:
        """Store a copy of a file as it is at one moment, and return its digest and size.

        Raises:
            UnreadableFileError: see ``opening.opened``; ``disk_full``.
        """
        hashed, size = hashlib.sha256(), 0
        self._blobs.mkdir(mode=0o700, parents=True, exist_ok=True)
        with opened(path) as source, _beside(self._blobs) as (target, name):
            while piece := source.read(_PIECE):
                hashed.update(piece)
                size += len(piece)
                target.write(piece)
            source.check()
            _sync(target)
            digest = hashed.hexdigest()
            _rename(name, self.path(digest))
        return digest, size

    def path(self, digest: str) -> Path:
        """Where the bytes of this digest lie, or would."""
        return self._blobs / digest[:2] / digest

    def text(self, digest: str, version: str) -> ExtractedText | None:
        """The text that this version of the reader has made of these bytes; ``None`` for none."""
        try:
            kept = json.loads(zlib.decompress(self._text_path(digest).read_bytes()))
        except (OSError, ValueError, zlib.error):
            return None
        return _text(kept) if kept.get("version") == version else None

    def keep_text(self, digest: str, version: str, text: ExtractedText) -> None:
        """Keep what this version of the reader has made of these bytes. It can be made again, so nothing is synced.

        Raises:
            UnreadableFileError: ``disk_full`` or ``not_readable``.
        """
        blocks = [[each.kind, each.start, each.end, each.page, each.headings] for each in text.blocks]
        kept = json.dumps({**asdict(text), "blocks": blocks, "version": version}, ensure_ascii=False)
        with _written(self._text_path(digest), sync=False) as file:
            file.write(zlib.compress(kept.encode("utf-8", "surrogatepass"), 1))

    def remove(self, digest: str) -> None:
        """Remove the bytes of this digest, and their text."""
        self.path(digest).unlink(missing_ok=True)
        self._text_path(digest).unlink(missing_ok=True)

    def collect(self, kept: Collection[str], now: Callable[[], float] = time.time) -> int:
        """Remove the bytes and texts that no digest in ``kept`` names, and return the number of bytes that are free.

        What was stored within the last hour stays.
        """
        freed = 0
        for path in [*self._blobs.glob("*/*"), *self._blobs.glob("*.part"), *self._texts.glob("*/*")]:
            if path.name.partition(".")[0] in kept:
                continue
            with suppress(OSError):
                found = path.stat()
                if now() - found.st_mtime > _YOUNG_S:
                    path.unlink()
                    freed += found.st_size
        return freed

    def _text_path(self, digest: str) -> Path:
        return self._texts / digest[:2] / f"{digest}.json"


def _text(kept: dict[str, Any]) -> ExtractedText:
    return ExtractedText(
        text=kept["text"],
        blocks=tuple(
            Block(kind=BlockKind(kind), start=start, end=end, page=page, headings=tuple(headings))
            for kind, start, end, page, headings in kept["blocks"]
        ),
        title=kept["title"],
        pages=kept["pages"],
        notes=tuple(kept["notes"]),
    )


@contextmanager
def _written(path: Path, *, sync: bool = True) -> Iterator[BinaryIO]:
    """A file that appears under its name when it is whole."""
    with _beside(path.parent) as (file, name):
        yield file
        if sync:
            _sync(file)
        else:
            file.flush()
        _rename(name, path)


@contextmanager
def _beside(folder: Path) -> Iterator[tuple[BinaryIO, Path]]:
    """A new private file, removed unless it was renamed."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(suffix=".part", dir=folder)
        try:
            with os.fdopen(descriptor, "wb") as file:
                yield file, Path(name)
        finally:
            Path(name).unlink(missing_ok=True)
    except OSError as error:
        reason = "disk_full" if error.errno in _FULL else "not_readable"
        raise UnreadableFileError(reason, error.strerror or "") from error


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _rename(name: Path, path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    name.replace(path)
    if os.name == "posix":
        # The name itself is durable only when its folder is.
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
