"""Loads the user's texts from ``resources/translations/<language>/*.toml``."""

import re
import threading
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from assistant.core.texts import Texts, flatten
from assistant.host.places import RESOURCES

TRANSLATIONS = RESOURCES / "translations"

_TABLE = re.compile(r"^\[([\w.-]+)\]", re.MULTILINE)


def load_texts(language: str, folder: Path = TRANSLATIONS) -> Texts:
    """The texts of one language. Sori's own files are opened once in a process.

    A file is parsed when one of its texts is looked up, because most commands need few files and parsing all of them
    takes 13 ms. So a lookup can raise ``ValueError``: the file is not TOML, or another file has the same keys.
    """
    return _own_texts(language) if folder == TRANSLATIONS else Texts(language, _Catalogue(folder / language))


@cache
def _own_texts(language: str) -> Texts:
    return Texts(language, _Catalogue(TRANSLATIONS / language))


class _Catalogue(Mapping[str, str]):
    """The texts of a folder's TOML files, by dotted key.

    Args:
        folder: the folder of one language.
    """

    def __init__(self, folder: Path) -> None:
        self._reading = threading.Lock()
        """Texts are looked up on many threads, and a file is parsed once."""
        self._texts: dict[str, str] = {}
        self._unread: dict[Path, frozenset[str]] = {}
        """The files that have not been parsed, with the names of their tables."""
        for path in sorted(folder.glob("*.toml")):
            written = path.read_text(encoding="utf-8", errors="replace")
            self._unread[path] = frozenset(_TABLE.findall(written))

    def __getitem__(self, key: str) -> str:
        if key not in self._texts:
            self._read_tables(key)
        if key not in self._texts:
            self._read_all()  # The key has dots, or no table.
        return self._texts[key]

    def __iter__(self) -> Iterator[str]:
        self._read_all()
        return iter(self._texts)

    def __len__(self) -> int:
        self._read_all()
        return len(self._texts)

    def _read_tables(self, key: str) -> None:
        """Parse the files with the innermost table that can contain a key."""
        table = key.rpartition(".")[0]
        while table and key not in self._texts:
            for path in [path for path, tables in self._unread.copy().items() if table in tables]:
                self._read(path)
            table = table.rpartition(".")[0]

    def _read_all(self) -> None:
        for path in list(self._unread):
            self._read(path)

    def _read(self, path: Path) -> None:
        with self._reading:
            if path in self._unread:
                self._parse(path)

    def _parse(self, path: Path) -> None:
        try:
            area = flatten(tomllib.loads(path.read_text(encoding="utf-8")))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, TypeError) as error:
            raise ValueError(f"{path}: {error}") from error
        if twice := self._texts.keys() & area.keys():
            raise ValueError(f"{path}: another file has the same keys: {', '.join(sorted(twice))}")
        self._texts.update(area)
        del self._unread[path]
