"""Files that are dropped onto the window: exports of conversations are imported if the user wants it (T-08)."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QMimeData, QObject, Qt, QUrl
from PySide6.QtWidgets import QMessageBox, QWidget

from assistant.core.display.file_names import shown_name
from assistant.core.service.requests.conversations import RecogniseExport
from assistant.core.texts import Texts
from assistant.desktop.asking import WindowRequests

_ENDINGS = frozenset({".json", ".zip", ".md"})
"""Endings of the names of exports."""


class DroppedFiles(QObject):
    """Asks whether a dropped export is imported or attached. All other files are attached.

    Args:
        window: parent of the question.
        ask: sends requests.
        texts: the user's texts.
        attach: attaches files to the message that is written.
        take: imports the conversations of a file.
    """

    def __init__(
        self,
        window: QWidget,
        ask: WindowRequests,
        texts: Texts,
        attach: Callable[[QMimeData], None],
        take: Callable[[Path], None],
    ) -> None:
        super().__init__(window)
        self._window, self._ask, self._texts = window, ask, texts
        self._attach, self._take = attach, take

    def drop(self, data: QMimeData) -> None:
        """Take what was dropped."""
        (url, *others) = data.urls() or [QUrl()]
        path = Path(url.toLocalFile())
        if others or not url.isLocalFile() or path.suffix.casefold() not in _ENDINGS:
            self._attach(data)
            return

        def decide(is_export: bool) -> None:
            if is_export:
                self._choose(path)
            else:
                self._attach(_files(path))

        self._ask(RecogniseExport(path=str(path)), decide, lambda _: self._attach(_files(path)))

    def _choose(self, path: Path) -> None:
        question = QMessageBox(self._window)
        question.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        question.setTextFormat(Qt.TextFormat.PlainText)
        question.setText(self._texts("desktop.conversations.dropped", name=shown_name(path.name)))
        take = question.addButton(
            self._texts("desktop.conversations.dropped_import"), QMessageBox.ButtonRole.AcceptRole
        )
        attach = question.addButton(
            self._texts("desktop.conversations.dropped_attach"), QMessageBox.ButtonRole.ActionRole
        )
        question.addButton(self._texts("desktop.action.give_up_edit"), QMessageBox.ButtonRole.RejectRole)
        take.clicked.connect(lambda: self._take(path))
        attach.clicked.connect(lambda: self._attach(_files(path)))
        question.open()


def _files(path: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    return data
