"""A window that passes all typed text and dropped files to one message."""

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent, QKeyEvent
from PySide6.QtWidgets import QApplication
from typing_extensions import override

from assistant.desktop.chrome.tray_window import TrayWindow
from assistant.desktop.composer.attachment_bar import accept_copy, has_files
from assistant.desktop.composer.composer import Composer


class WritingWindow(TrayWindow):
    """Passes keys and files on to its composer.

    Attributes:
        composer: the input field for the message.
    """

    composer: Composer

    @override
    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files anywhere in the window."""
        if has_files(event.mimeData()):
            accept_copy(event)
            self.composer.show_dropping(dropping=True)

    @override
    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Show that no files are dragged over the window any more."""
        self.composer.show_dropping(dropping=False)

    @override
    def dropEvent(self, event: QDropEvent) -> None:
        """Attach the dropped files."""
        self.composer.show_dropping(dropping=False)
        accept_copy(event)
        self.take_dropped(event.mimeData())

    def take_dropped(self, data: QMimeData) -> None:
        """Take dropped files; they are attached."""
        self.composer.attach_files(data)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Pass typed text to the input field, whatever has the focus."""
        field = self.composer.input
        plain = not event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
        if plain and event.text().isprintable() and event.text() and not field.hasFocus():
            field.setFocus()
            QApplication.sendEvent(field, event)
        else:
            super().keyPressEvent(event)
