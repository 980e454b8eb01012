"""Stores drafts in a small file. After a crash it is the old or the new file; only its owner can read it."""

import json
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import QIODevice, QSaveFile


@dataclass(slots=True)
class Drafts:
    """Drafts by conversation; the empty id stands for the conversation without messages.

    Attributes:
        open: the conversation that was open last.
        texts: drafts by the conversation's id; no empty texts.
    """

    open: str = ""
    texts: dict[str, str] = field(default_factory=dict)


class DraftFile:
    """Reads and replaces one file.

    Args:
        path: path of the file; its folder must exist.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._written = b""

    def read(self) -> Drafts:
        """Read the drafts; empty if there is no file. An invalid file is renamed, not deleted."""
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
        """Replace the file if its content changes; return the reason of a failure, else an empty text."""
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
