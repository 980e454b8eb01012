"""The drafts on the disk: a small file that is old or new after a crash, readable by its owner only."""

import json
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import QIODevice, QSaveFile


@dataclass(slots=True)
class Drafts:
    """What was typed, by conversation; the empty id is the conversation in which nothing was said yet.

    Attributes:
        open: the conversation that was open last.
        texts: no empty ones.
    """

    open: str = ""
    texts: dict[str, str] = field(default_factory=dict)


class DraftFile:
    """Reads and replaces one file.

    Args:
        path: where it is; its folder must exist to be written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._written = b""

    def read(self) -> Drafts:
        """What is there; nothing where there is no file. A file that cannot be understood is set aside, not lost."""
        try:
            content = self._path.read_bytes()
        except OSError:
            return Drafts()
        try:
            found = json.loads(content)
            texts = {str(key): str(text) for key, text in found["texts"].items()}
            return Drafts(open=str(found["open"]), texts=texts)
        except (ValueError, KeyError, TypeError, AttributeError):
            with suppress(OSError):
                self._path.replace(self._path.with_suffix(".damaged"))
            return Drafts()

    def write(self, drafts: Drafts) -> str:
        """Replace the file, unless it says the same already; returns why that failed, empty when it did not."""
        content = json.dumps({"open": drafts.open, "texts": drafts.texts}, ensure_ascii=False).encode(errors="replace")
        if content == self._written:
            return ""
        file = QSaveFile(str(self._path))
        if not file.open(QIODevice.OpenModeFlag.WriteOnly):
            return file.errorString()
        file.setPermissions(QSaveFile.Permission.ReadOwner | QSaveFile.Permission.WriteOwner)
        file.write(content)
        if not file.commit():
            return file.errorString()
        self._written = content
        return ""
