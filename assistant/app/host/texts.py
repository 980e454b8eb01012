"""Loads the user's texts from ``resources/translations/<language>/*.toml`` into one catalogue."""

import tomllib
from functools import cache
from pathlib import Path

from assistant.app.host.places import RESOURCES
from assistant.core.texts import Texts, flatten

TRANSLATIONS = RESOURCES / "translations"


def load_texts(language: str, folder: Path = TRANSLATIONS) -> Texts:
    """The texts of one language. Sori's own files are read once in a process, because reading takes 13 ms.

    Raises:
        ValueError: a file is not TOML, or two files have the same key.
    """
    return _own_texts(language) if folder == TRANSLATIONS else _read(language, folder)


@cache
def _own_texts(language: str) -> Texts:
    return _read(language, TRANSLATIONS)


def _read(language: str, folder: Path) -> Texts:
    catalogue: dict[str, str] = {}
    for path in sorted((folder / language).glob("*.toml")):
        try:
            area = flatten(tomllib.loads(path.read_text(encoding="utf-8")))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, TypeError) as error:
            raise ValueError(f"{path}: {error}") from error
        if twice := catalogue.keys() & area.keys():
            raise ValueError(f"{path}: another file has the same keys: {', '.join(sorted(twice))}")
        catalogue.update(area)
    return Texts(language, catalogue)
