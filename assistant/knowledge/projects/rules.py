"""Which files of a folder are left alone: by Sori's own rules, and by those of ``.gitignore`` and ``.soriignore``.

The patterns and their order are those of Git (gitignore(5)): a later pattern and a deeper file count more, and nothing
below an ignored folder can be included again. ``.soriignore`` counts more than the ``.gitignore`` beside it, so it can
also include what Sori or Git leaves out.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from pathspec import GitIgnoreSpec

IGNORE_FILES: Final = (".gitignore", ".soriignore")

_OWN: Final[Mapping[str, tuple[str, ...]]] = {
    "hidden": (".*",),
    "generated": ("node_modules/", "__pycache__/", "venv/", "site-packages/", "bower_components/", "*.egg-info/"),
    "program": (
        *("*.exe", "*.dll", "*.so", "*.so.[0-9]*", "*.dylib", "*.o", "*.a", "*.pyc", "*.class", "*.jar", "*.wasm"),
        *("*.iso", "*.img", "*.bin", "*.deb", "*.rpm", "*.AppImage", "*.apk", "*.db", "*.sqlite", "*.sqlite3"),
        *("*.gguf", "*.onnx", "*.safetensors", "*.pt", "*.npy", "*.npz", "*.parquet"),
        *("*.mp3", "*.wav", "*.flac", "*.ogg", "*.mp4", "*.mkv", "*.mov", "*.avi", "*.webm"),
        *("*.ttf", "*.otf", "*.woff", "*.woff2"),
    ),
    "temporary": ("~$*", "*~", "*.tmp", "*.swp", "*.part", "*.crdownload", "Thumbs.db", "desktop.ini", "#*#"),
}
"""Patterns by their key of ``[file_reason]``; a later key counts more. Other files are judged by their content."""
_LARGEST_RULES: Final = 200_000
"""Bytes that are read of a file with patterns."""


@dataclass(frozen=True, slots=True)
class _Level:
    """The patterns that hold from a folder on; ``reason`` is why they leave a file alone."""

    folder: str
    spec: GitIgnoreSpec
    reason: str

    def verdict(self, place: str) -> bool | None:
        """Whether it leaves a file alone or includes it; ``None`` if no pattern matches."""
        return self.spec.check_file(place.removeprefix(self.folder)).include


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules that hold in a folder. ``within`` gives those of a folder below."""

    levels: tuple[_Level, ...]

    @classmethod
    def own(cls) -> Self:
        """Sori's own rules."""
        return cls(tuple(_Level("", GitIgnoreSpec.from_lines(lines), reason) for reason, lines in _OWN.items()))

    def within(self, root: Path, folder: str, names: Iterable[str]) -> "Rules":
        """The rules in a folder, with those that its own files add.

        Args:
            root: the folder of the project.
            folder: the folder's place below ``root``; empty for ``root``, else with ``/`` at its end.
            names: the names in the folder.
        """
        present = frozenset(names)
        added = [
            _Level(folder, spec, "ignored")
            for name in IGNORE_FILES
            if name in present and (spec := _read(root / folder / name)) is not None
        ]
        return Rules((*self.levels, *added)) if added else self

    def reason(self, place: str) -> str:
        """Why a file is left alone, as a key of ``[file_reason]``; empty if it is read.

        Args:
            place: its place below the project's folder, with ``/`` at the end of a folder's.
        """
        for level in reversed(self.levels):
            if (verdict := level.verdict(place)) is not None:
                return level.reason if verdict else ""
        return ""


def _read(path: Path) -> GitIgnoreSpec | None:
    with suppress(OSError, ValueError), path.open(encoding="utf-8", errors="replace") as file:
        return GitIgnoreSpec.from_lines(file.read(_LARGEST_RULES).splitlines())
    return None
