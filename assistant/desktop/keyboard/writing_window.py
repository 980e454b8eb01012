"""A window in which everything leads to one message: what is typed anywhere, and what is dropped anywhere."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent, QKeyEvent
from PySide6.QtWidgets import QApplication
from typing_extensions import override

from assistant.desktop.chrome.tray_window import TrayWindow
from assistant.desktop.composer.attachment_bar import has_files
from assistant.desktop.composer.composer import Composer


class WritingWindow(TrayWindow):
    """Hands keys and files on to its composer.

    Attributes:
        composer: where the message is written.
    """

    composer: Composer

    @override
    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Files can be dropped anywhere in the window."""
        if has_files(event.mimeData()):
            event.acceptProposedAction()
            self.composer.show_dropping(dropping=True)

    @override
    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """They were taken elsewhere."""
        self.composer.show_dropping(dropping=False)

    @override
    def dropEvent(self, event: QDropEvent) -> None:
        """Attach what was dropped."""
        self.composer.show_dropping(dropping=False)
        event.acceptProposedAction()
        self.composer.attach_files(event.mimeData())

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """What is typed anywhere goes into the input."""
        field = self.composer.input
        plain = not event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
        if plain and event.text().isprintable() and event.text() and not field.hasFocus():
            field.setFocus()
            QApplication.sendEvent(field, event)
        else:
            super().keyPressEvent(event)
