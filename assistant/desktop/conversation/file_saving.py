"""Saves a file of a message where the user wants it."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QStandardPaths
from PySide6.QtWidgets import QFileDialog, QWidget

from assistant.core.display.file_names import shown_name
from assistant.core.errors import SoriError
from assistant.core.messages import Attachment
from assistant.core.texts import Texts
from assistant.desktop.kit.background import Background


def save_file(texts: Texts, file: Attachment, parent: QWidget, tell: Callable[[str], None]) -> None:
    """Ask where to save a file, and save it. Its bytes may have to come from an engine in another process.

    Args:
        texts: the user's texts.
        file: the file.
        parent: waits for the answer.
        tell: takes the words for the user: where the file was saved, or why not.
    """
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DownloadLocation)
    title = texts("desktop.action.save_file", name=file.name)
    dialog = QFileDialog(parent, title, str(Path(folder) / shown_name(file.name)))
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.selectFile(shown_name(file.name))

    def chosen(path: str) -> None:
        Background(partial(_written, texts, file, Path(path)), tell, parent)

    dialog.fileSelected.connect(chosen)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def _written(texts: Texts, file: Attachment, path: Path) -> str:
    try:
        path.write_bytes(file.read())
    except (OSError, SoriError) as error:
        return texts("desktop.file.not_saved", name=file.name, reason=str(error))
    return texts("desktop.file.saved", path=str(path))
