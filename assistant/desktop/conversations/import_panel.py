"""Takes conversations of a file: how far it is, what was taken and what was not, and a button to stop."""

from pathlib import Path

from PySide6.QtCore import QStandardPaths, Signal
from PySide6.QtWidgets import QFileDialog, QFrame, QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout

from assistant.core.display.imports import import_report
from assistant.core.service.request import NO_REQUEST, Refusal
from assistant.core.service.requests.conversations import ImportConversations, ImportedConversations
from assistant.core.texts import Texts
from assistant.core.updates import ImportProgressed
from assistant.desktop.asking import WindowRequests
from assistant.desktop.kit.copyable import paragraph

_WHOLE = 1000


class ImportPanel(QFrame):
    """Shows one import after the other.

    Args:
        texts: the user's texts.
        ask: sends requests.
    """

    changed = Signal()
    """An import has ended."""

    def __init__(self, texts: Texts, ask: WindowRequests) -> None:
        super().__init__()
        self._texts, self._ask = texts, ask
        self._running, self._path = NO_REQUEST, ""
        self._added = 0
        self._waiting: list[str] = []
        self.setObjectName("card")
        self.words = paragraph("")
        self.result = paragraph("")
        self.result.setObjectName("hint")
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.stop = QPushButton(texts("desktop.conversations.import_stop"))
        self.stop.clicked.connect(self._stop)
        line = QHBoxLayout()
        line.addWidget(self.bar, 1)
        line.addWidget(self.stop)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 14, 10)
        column.setSpacing(6)
        column.addWidget(self.words)
        column.addLayout(line)
        column.addWidget(self.result)
        self.hide()

    @property
    def running(self) -> bool:
        """Whether an import is under way."""
        return self._running != NO_REQUEST

    def choose(self) -> None:
        """Let the user choose files."""
        kinds = self._texts("desktop.conversations.import_kinds")
        title = self._texts("desktop.conversations.import")
        # What was exported from elsewhere was downloaded.
        folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DownloadLocation)
        dialog = QFileDialog(self.window(), title, folder, f"{kinds} (*.zip *.json *.md)")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(lambda paths: self.take([Path(each) for each in paths]))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def take(self, files: list[Path]) -> None:
        """Take the conversations of these files, one file after the other."""
        self._waiting += [str(each.absolute()) for each in files]
        if not self.running:
            self._next()

    def _next(self) -> None:
        if not self._waiting:
            return
        self._path, self._added = self._waiting.pop(0), 0
        self.words.setText(self._texts("desktop.conversations.importing", name=Path(self._path).name))
        self.result.hide()
        self.bar.setRange(0, 0)
        self.bar.setAccessibleName(self.words.text())
        for each in (self, self.bar, self.stop):
            each.show()
        self._running = self._ask(ImportConversations(path=self._path), self._done, self._refused)

    def show_progress(self, progress: ImportProgressed) -> None:
        """Show how far the import is."""
        if not self.running or progress.path != self._path:
            return
        self._added = progress.added
        if progress.fraction is not None:
            self.bar.setRange(0, _WHOLE)
            self.bar.setValue(round(progress.fraction * _WHOLE))
        self.result.setText(
            self._texts("desktop.conversations.import_so_far", added=progress.added, passed=progress.passed)
        )
        self.result.show()

    def _stop(self) -> None:
        self._waiting.clear()
        request, self._running = self._running, NO_REQUEST
        self._ask.cancel(request)
        self._end(self._texts("desktop.conversations.import_stopped", added=self._added))

    def _done(self, done: ImportedConversations) -> None:
        if self.running:
            told = "\n".join([*import_report(done, self._texts), *filter(None, [done.failure])])
            self._end(told, failed=bool(done.failure) and not done.added)

    def _refused(self, refusal: Refusal) -> None:
        if self.running:
            self._end(refusal.message, failed=True)

    def _end(self, words: str, *, failed: bool = False) -> None:
        self._running = NO_REQUEST
        key = "import_failed" if failed else "imported_from"
        self.words.setText(self._texts(f"desktop.conversations.{key}", name=Path(self._path).name))
        self.result.setText(words)
        self.result.show()
        self.bar.hide()
        self.stop.hide()
        self.changed.emit()
        self._next()
