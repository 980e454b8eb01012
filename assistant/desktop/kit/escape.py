"""The Escape key in a widget that handles it before the window does."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent


def is_escape(event: QEvent) -> bool:
    """Whether a key event is of the Escape key."""
    return isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape


def keeps_escape(event: QEvent) -> bool:
    """Accept the question whether Escape is the widget's own key, which Qt asks before a shortcut of the window.

    Returns:
        Whether ``event`` was that question.
    """
    if event.type() == QEvent.Type.ShortcutOverride and is_escape(event):
        event.accept()
        return True
    return False
