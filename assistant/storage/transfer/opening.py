"""Opens an export: a JSON file, or the zip archive in which another program delivers it."""

import io
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TextIO

_NAME = re.compile(r"(?:.*/)?(?:conversations(?:-\d+)?|[^/]+\.conversation)\.json")
"""Large exports are several files with numbers. LM Studio has a file for each conversation."""


class NotAnExportError(Exception):
    """The file is neither JSON nor an archive with conversations."""


@contextmanager
def opened_export(path: Path) -> Iterator[Iterator[tuple[str, TextIO]]]:
    """The JSON texts of an export, each with its name.

    Raises:
        NotAnExportError: an archive has no conversations or is damaged.
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        if file.read(4).startswith(b"PK"):
            file.seek(0)
            try:
                with zipfile.ZipFile(file) as archive:
                    yield _members(archive, path.name)
            except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
                # ``RuntimeError`` is an encrypted member, ``NotImplementedError`` an unknown compression.
                raise NotAnExportError(str(error)) from error
        else:
            file.seek(0)
            yield iter([(path.name, _text(file))])


def _members(archive: zipfile.ZipFile, name: str) -> Iterator[tuple[str, TextIO]]:
    members = sorted(each for each in archive.namelist() if _NAME.fullmatch(each))
    if not members:
        raise NotAnExportError("the archive has no conversations.json")
    for member in members:
        with archive.open(member) as file:
            yield f"{name}/{member}", _text(file)


def _text(file: IO[bytes]) -> TextIO:
    return io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
