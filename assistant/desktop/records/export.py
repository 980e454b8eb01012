"""Saves what a page shows as a file that the user chooses."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QStandardPaths
from PySide6.QtWidgets import QFileDialog, QPushButton, QWidget

from assistant.core.texts import Texts
from assistant.desktop.kit.background import Background
from assistant.desktop.records.records_part import RecordsPart


def export_button(part: RecordsPart, records: Callable[[], Sequence[Any]], name: str) -> QPushButton:
    """Add a button that saves records as JSON.

    Args:
        part: gets the button, and tells where the file is.
        records: gives the records when the button is pressed.
        name: the name of the file that is proposed.
    """

    def export() -> None:
        told = json.dumps([asdict(each) for each in records()], ensure_ascii=False, indent=1)
        save_bytes(part.texts, told.encode(), name, part, part.told.tell)

    button = QPushButton(part.texts("desktop.records.export"))
    button.setAutoDefault(False)
    button.clicked.connect(export)
    part.bar.addWidget(button)
    return button


def save_bytes(texts: Texts, content: bytes, name: str, parent: QWidget, tell: Callable[[str], None]) -> None:
    """Ask where to save a file, and save it.

    Args:
        texts: the user's texts.
        content: its bytes.
        name: its proposed name.
        parent: waits for the answer.
        tell: takes the words for the user: where it was saved, or why not.
    """
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DownloadLocation)
    dialog = QFileDialog(parent, texts("desktop.action.save_file", name=name), str(Path(folder) / name))
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.selectFile(name)

    def chosen(path: str) -> None:
        Background(partial(_written, texts, content, Path(path)), tell, parent)

    dialog.fileSelected.connect(chosen)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def _written(texts: Texts, content: bytes, path: Path) -> str:
    try:
        path.write_bytes(content)
    except OSError as error:
        return texts("desktop.file.not_saved", name=path.name, reason=error.strerror or str(error))
    return texts("desktop.file.saved", path=str(path))
