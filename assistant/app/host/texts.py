"""Loads the user's words from ``resources/translations/<language>/*.toml``, all areas into one catalogue."""

import tomllib
from pathlib import Path

from assistant.app.host.places import RESOURCES
from assistant.core.texts import Texts, flatten

TRANSLATIONS = RESOURCES / "translations"


def load_texts(language: str, folder: Path = TRANSLATIONS) -> Texts:
    """The texts of one language.

    Raises:
        ValueError: an area's file is not TOML, or two areas claim one key.
    """
    catalogue: dict[str, str] = {}
    for path in sorted((folder / language).glob("*.toml")):
        try:
            area = flatten(tomllib.loads(path.read_text(encoding="utf-8")))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, TypeError) as error:
            raise ValueError(f"{path}: {error}") from error
        if twice := catalogue.keys() & area.keys():
            raise ValueError(f"{path}: {', '.join(sorted(twice))} is another file's key as well")
        catalogue.update(area)
    return Texts(language, catalogue)
