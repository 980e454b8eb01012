"""Returns the focus to the message after a click."""

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QTextEdit, QWidget

_LOOK_MS = 30


class FocusReturn(QObject):
    """Returns the focus to one field after a click has moved it.

    A button keeps the focus until it is released and its menu is closed. An editable field and a text with a selection
    keep it. A focused row has no input method, so the first Korean letter typed there would be lost.

    Args:
        window: the window whose clicks are followed.
        field: the widget that gets the focus.
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
        """Watch the focus after a click. A focus moved by keys stays."""
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
    """Whether ``widget`` is editable or has a selection to copy."""
    if isinstance(widget, QTextEdit | QPlainTextEdit):
        return not widget.isReadOnly() or widget.textCursor().hasSelection()
    return isinstance(widget, QLineEdit)
