"""Opens an export: a JSON file, or the zip archive in which another program delivers it."""

import io
import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, TextIO

_NAME = re.compile(r"(?:.*/)?(?:conversations(?:-\d+)?|[^/]+\.conversation)\.json")
"""Large exports are several files with numbers. LM Studio has a file for each conversation."""


Fraction = Callable[[], float | None]


class DamagedArchiveError(Exception):
    """The archive is cut or damaged."""


class NotAnExportError(Exception):
    """The file is neither JSON nor an archive with conversations."""


@contextmanager
def opened_export(path: Path) -> Iterator[Iterator[tuple[str, TextIO, Fraction]]]:
    """The JSON texts of an export, each with its name, and what tells the part of the export that was read.

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
                    yield _members(archive, path.name)
            except (zipfile.BadZipFile, EOFError) as error:
                raise DamagedArchiveError(str(error)) from error
            except (NotImplementedError, RuntimeError) as error:
                # ``RuntimeError`` is an encrypted member, ``NotImplementedError`` an unknown compression.
                raise NotAnExportError(str(error)) from error
        else:
            file.seek(0)
            size = path.stat().st_size
            yield iter([(path.name, _text(file), lambda: _part(file.tell(), size))])


def _members(archive: zipfile.ZipFile, name: str) -> Iterator[tuple[str, TextIO, Fraction]]:
    members = sorted(each for each in archive.namelist() if _NAME.fullmatch(each))
    if not members:
        raise NotAnExportError("the archive has no conversations.json")
    sizes = [archive.getinfo(each).file_size for each in members]
    for number, member in enumerate(members):
        before = sum(sizes[:number])
        with archive.open(member) as file:
            yield f"{name}/{member}", _text(file), partial(_read_part, file, before, sum(sizes))


def _read_part(file: IO[bytes], before: int, size: int) -> float | None:
    return _part(before + file.tell(), size)


def _part(read: int, size: int) -> float | None:
    return min(read / size, 1.0) if size else None


def _text(file: IO[bytes]) -> TextIO:
    return io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
