"""Finds files by names in either normal form of Unicode.

Macs and some archives write Korean names in decomposed letters (NFD), keyboards write whole syllables (NFC). Both look
the same, but most file systems compare their bytes.
"""

import os
import unicodedata
from collections.abc import Iterable
from pathlib import Path


def plain_name(name: str) -> str:
    """The name as a keyboard writes it (NFC)."""
    return unicodedata.normalize("NFC", name)


def matching(name: str, names: Iterable[str]) -> str | None:
    """The first of ``names`` that is ``name`` in any normal form; ``None`` if there is none."""
    wanted = plain_name(name)
    return next((each for each in names if plain_name(each) == wanted), None)


def child(folder: Path, name: str) -> Path:
    """The entry of a folder with this name in any normal form; the name as it is given if there is none."""
    direct = folder / name
    if name.isascii() or os.path.lexists(direct):
        return direct
    try:
        return folder / (matching(name, (each.name for each in folder.iterdir())) or name)
    except OSError:
        return direct


def existing(path: Path) -> Path:
    """The path to what is there under these names in any normal form; the path as it is given if nothing is."""
    if path.as_posix().isascii() or os.path.lexists(path):
        return path
    found = Path(path.anchor)
    for part in path.parts[1:] if path.anchor else path.parts:
        found = child(found, part)
    return found
