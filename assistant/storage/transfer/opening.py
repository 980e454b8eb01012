"""Opens an export: a JSON file, or the zip archive in which another program delivers it."""

import io
import re
import zipfile
import zlib
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, TextIO

_NAME = re.compile(r"(?:.*/)?(?:conversations(?:-\d+)?|[^/]+\.conversation)\.json")
"""Large exports are several files with numbers. LM Studio has a file for each conversation."""


Fraction = Callable[[], float | None]
Files = Callable[[str], tuple[str, bytes] | None]
"""Finds a file of an export by the id with which its name begins; tells its name and content, ``None`` for none."""
_AFTER_ID = frozenset("-._")
_LARGEST_BYTES = 20_000_000
"""A larger file is no picture of a conversation."""


class DamagedArchiveError(Exception):
    """The archive is cut or damaged."""


class NotAnExportError(Exception):
    """The file is neither JSON nor an archive with conversations."""


@contextmanager
def opened_export(path: Path) -> Iterator[tuple[Iterator[tuple[str, TextIO, Fraction]], Files]]:
    """The JSON texts of an export, each with its name and what tells the part of the export that was read; its files.

    Raises:
        DamagedArchiveError: an archive is cut or damaged.
        NotAnExportError: an archive has no conversations, or cannot be read.
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        if file.read(4).startswith(b"PK"):
            file.seek(0)
            try:
                with zipfile.ZipFile(file) as archive:
                    yield _members(archive, path.name), partial(_file, archive, _by_name(archive))
            except (zipfile.BadZipFile, EOFError) as error:
                raise DamagedArchiveError(str(error)) from error
            except (NotImplementedError, RuntimeError) as error:
                # ``RuntimeError`` is an encrypted member, ``NotImplementedError`` an unknown compression.
                raise NotAnExportError(str(error)) from error
        else:
            file.seek(0)
            size = path.stat().st_size
            yield iter([(path.name, _text(file), lambda: _part(file.tell(), size))]), lambda _: None


def _members(archive: zipfile.ZipFile, name: str) -> Iterator[tuple[str, TextIO, Fraction]]:
    members = sorted(each for each in archive.namelist() if _NAME.fullmatch(each))
    if not members:
        raise NotAnExportError("the archive has no conversations.json")
    sizes = [archive.getinfo(each).file_size for each in members]
    for number, member in enumerate(members):
        before = sum(sizes[:number])
        with archive.open(member) as file:
            yield f"{name}/{member}", _text(file), partial(_read_part, file, before, sum(sizes))


def _by_name(archive: zipfile.ZipFile) -> list[tuple[str, str]]:
    """The names of the files without and with their folders, sorted."""
    return sorted((each.rpartition("/")[2], each) for each in archive.namelist())


def _file(archive: zipfile.ZipFile, names: list[tuple[str, str]], identity: str) -> tuple[str, bytes] | None:
    at = bisect_left(names, (identity, ""))
    name, member = names[at] if identity and at < len(names) else ("", "")
    if not name.startswith(identity) or name[len(identity) : len(identity) + 1] not in _AFTER_ID:
        return None
    if archive.getinfo(member).file_size > _LARGEST_BYTES:
        return None
    try:
        return name, archive.read(member)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, zlib.error, OSError):
        return None  # The text of the message is whole all the same.


def _read_part(file: IO[bytes], before: int, size: int) -> float | None:
    return _part(before + file.tell(), size)


def _part(read: int, size: int) -> float | None:
    return min(read / size, 1.0) if size else None


def _text(file: IO[bytes]) -> TextIO:
    return io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
