"""Saves bytes as a file where the user wants it."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QStandardPaths
from PySide6.QtWidgets import QFileDialog, QWidget

from assistant.core.errors import SoriError
from assistant.core.texts import Texts
from assistant.desktop.kit.background import Background


def save_as(
    texts: Texts,
    name: str,
    read: Callable[[], bytes],
    parent: QWidget,
    tell: Callable[[str], None],
) -> None:
    """Ask where to save a file, and save it.

    Args:
        texts: the user's texts.
        name: its proposed name.
        read: gives its bytes, on another thread: they may have to come from an engine in another process.
        parent: waits for the answer.
        tell: takes the words for the user: where it was saved, or why not.
    """
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DownloadLocation)
    dialog = QFileDialog(parent, texts("desktop.action.save_file", name=name), str(Path(folder) / name))
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.selectFile(name)

    def chosen(path: str) -> None:
        Background(partial(_written, texts, read, Path(path)), tell, parent)

    dialog.fileSelected.connect(chosen)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def _written(texts: Texts, read: Callable[[], bytes], path: Path) -> str:
    try:
        path.write_bytes(read())
    except (OSError, SoriError) as error:
        reason = (error.strerror if isinstance(error, OSError) else "") or str(error)
        return texts("desktop.file.not_saved", name=path.name, reason=reason)
    return texts("desktop.file.saved", path=str(path))
