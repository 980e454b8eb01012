"""The files of a service as they were at one moment, so that exactly what was allowed is what runs."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from assistant.flows.loading.faults import unusable

_MOST_FILES: Final = 200
_MOST_BYTES: Final = 5_000_000
"""Bytes of all files of a service."""


@dataclass(frozen=True)
class ServiceFiles:
    """The files of a service.

    Attributes:
        name: name of its folder.
        folder: its folder.
        files: the bytes of each file, by its path below the folder with ``/``.
    """

    name: str
    folder: Path
    files: Mapping[str, bytes]

    @cached_property
    def digests(self) -> Mapping[str, str]:
        """SHA-256 of each file by its path."""
        return {path: hashlib.sha256(self.files[path]).hexdigest() for path in sorted(self.files)}

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all files with their paths."""
        return digest_of(self.digests)


def digest_of(digests: Mapping[str, str]) -> str:
    """SHA-256 of the digests of files with their paths."""
    return hashlib.sha256("".join(f"{each}\0{digests[each]}\n" for each in sorted(digests)).encode()).hexdigest()


def snapshot_of(folder: Path) -> ServiceFiles:
    """Read all files of a service. Hidden files and compiled code are left out, because nothing of them ever runs.

    Raises:
        ServiceFaultError: a file cannot be read, is a link, or there is too much.
    """
    files: dict[str, bytes] = {}
    size = 0
    for path in _files(folder):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            raise unusable("link", name)
        if path.is_dir():
            continue
        try:
            size += path.stat().st_size
            if len(files) >= _MOST_FILES or size > _MOST_BYTES:
                raise unusable("too_large", name, files=str(_MOST_FILES), megabytes=str(_MOST_BYTES // 1_000_000))
            files[name] = path.read_bytes()
        except OSError as error:
            raise unusable("unreadable", name, reason=error.strerror or str(error)) from error
    return ServiceFiles(folder.name, folder, files)


def _files(folder: Path) -> Iterator[Path]:
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise unusable("unreadable", reason=error.strerror or str(error)) from error
    for each in entries:
        if each.name.startswith(".") or each.name == "__pycache__" or each.suffix == ".pyc":
            continue
        yield each
        if each.is_dir() and not each.is_symlink():
            yield from _files(each)
