"""What the recognition of letters in pictures and scanned pages needs on this machine (K-01)."""

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from assistant.core.settings import FilesSettings

LANGUAGES: Final = ("kor", "eng")
"""Tesseract's names of Sori's languages. With one of them alone the other's pages would be read as nonsense."""
_FOLDERS: Final = (
    *("/usr/share/tesseract-ocr", "/usr/share/tesseract", "/usr/share/tessdata", "/usr/local/share/tessdata"),
    "/opt/homebrew/share/tessdata",
)
"""Where Debian, Fedora, Arch, builds from source and Homebrew put the trained data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ocr:
    """What the recognition of letters in pictures needs.

    Attributes:
        data: folder with Tesseract's trained data.
        languages: names of its languages, such as ``kor`` and ``eng``.
    """

    data: str
    languages: tuple[str, ...] = LANGUAGES


def chosen_ocr(files: FilesSettings) -> Ocr | None:
    """The recognition that the settings want and this machine has; ``None`` for none."""
    return installed_ocr() if files.ocr else None


def installed_ocr() -> Ocr | None:
    """The recognition of this machine; ``None`` if Tesseract's data for Korean and English is not installed."""
    for folder in _folders():
        if all((folder / f"{each}.traineddata").is_file() for each in LANGUAGES):
            return Ocr(data=str(folder))
    return None


def _folders() -> Iterator[Path]:
    """The folders that may hold trained data; the one that the user named is first, as for Tesseract itself."""
    if named := os.environ.get("TESSDATA_PREFIX"):
        yield Path(named)
        yield Path(named) / "tessdata"
    if sys.platform == "win32":
        yield Path(os.environ.get("PROGRAMFILES", "C:/Program Files")) / "Tesseract-OCR" / "tessdata"
    for each in map(Path, _FOLDERS):
        yield each
        yield each / "tessdata"
        yield from sorted(each.glob("*/tessdata"), reverse=True)
