"""Sori in the menu of a Linux desktop, for this user: the entry, the icon in every size, and the metadata."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from assistant.core.errors import StorageError
from assistant.host.places import RESOURCES

_PACKAGED = RESOURCES / "desktop"
_PROGRAM = "sori-window"
"""What the packaged entry starts; a package of a distribution installs it as it is."""


def exec_line(words: Sequence[str]) -> str:
    """The value of ``Exec`` (Desktop Entry Specification, "The Exec key"), which is itself a string with escapes."""
    return " ".join(map(_exec_word, words))


def _exec_word(word: str) -> str:
    quoted = "".join(f"\\{letter}" if letter in '"`$\\' else letter for letter in word)
    return f'"{quoted}"'.replace("\\", "\\\\").replace("%", "%%")


def menu_files(command: Sequence[str], environment: Mapping[str, str] = os.environ) -> dict[Path, bytes]:
    """The files that show Sori in the menu of this user, by path.

    Args:
        command: starts Sori.
        environment: the process's variables; its ``SORI_HOME`` becomes the entry's too.
    """
    home = environment.get("SORI_HOME", "")
    start = exec_line([*(("env", f"SORI_HOME={Path(home).expanduser().absolute()}") if home else ()), *command])
    packaged = (_PACKAGED / "sori.desktop").read_text(encoding="utf-8")
    entry = re.sub(rf"^Exec={_PROGRAM}", lambda _: f"Exec={start}", packaged, flags=re.MULTILINE)
    data = Path(environment.get("XDG_DATA_HOME") or Path(environment.get("HOME") or Path.home(), ".local", "share"))
    icons = data / "icons" / "hicolor"
    files = {
        data / "applications" / "sori.desktop": entry.encode(),
        icons / "scalable" / "apps" / "sori.svg": (RESOURCES / "icons" / "sori.svg").read_bytes(),
    }
    for picture in sorted(_PACKAGED.glob("sori-*.png")):
        edge = picture.stem.removeprefix("sori-")
        files[icons / f"{edge}x{edge}" / "apps" / "sori.png"] = picture.read_bytes()
    for metadata in _PACKAGED.glob("*.metainfo.xml"):
        files[data / "metainfo" / metadata.name] = metadata.read_bytes()
    return files


def add_to_menu(files: Mapping[Path, bytes]) -> None:
    """Write the files.

    Raises:
        StorageError: one cannot be written.
    """
    for path, content in files.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        except OSError as error:
            raise StorageError(str(path), error.strerror or str(error), cause=error) from error


def remove_from_menu(files: Mapping[Path, bytes]) -> int:
    """Remove the files; returns how many there were.

    Raises:
        StorageError: one cannot be removed.
    """
    there = [path for path in files if path.is_file()]
    for path in there:
        try:
            path.unlink()
        except OSError as error:
            raise StorageError(str(path), error.strerror or str(error), cause=error) from error
    return len(there)
