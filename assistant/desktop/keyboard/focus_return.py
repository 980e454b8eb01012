"""After a click the keyboard belongs to the message again."""

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QTextEdit, QWidget

_LOOK_MS = 30


class FocusReturn(QObject):
    """Gives the focus back to one field when a click has taken it elsewhere.

    A button keeps it until it is released and its menu is closed; a field that is written in and words that were
    selected keep it. A row that has the focus has no input method: the first Korean letter typed there would be lost.

    Args:
        window: where clicks are followed.
        field: what gets the focus.
    """

    def __init__(self, window: QWidget, field: QWidget) -> None:
        super().__init__(window)
        self._window, self._field = window, field
        self._look = QTimer(self)
        self._look.setInterval(_LOOK_MS)
        self._look.timeout.connect(self._return_if_over)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._moved)

    def _moved(self, _before: QWidget | None, now: QWidget | None) -> None:
        """Keys move the focus as well, and then it stays."""
        if now is not None and QGuiApplication.mouseButtons() and self._window.isAncestorOf(now):
            self._look.start()

    def _return_if_over(self) -> None:
        if QGuiApplication.mouseButtons() or QApplication.activePopupWidget() is not None:
            return
        self._look.stop()
        focused = QApplication.focusWidget()
        if focused is not None and self._window.isAncestorOf(focused) and not keeps_focus(focused):
            self._field.setFocus()


def keeps_focus(widget: QWidget) -> bool:
    """Whether something is written in ``widget``, or selected in it to be copied."""
    if isinstance(widget, QTextEdit | QPlainTextEdit):
        return not widget.isReadOnly() or widget.textCursor().hasSelection()
    return isinstance(widget, QLineEdit)
