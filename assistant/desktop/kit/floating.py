"""A panel that floats over all programs and never takes the keyboard from them."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QCursor, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QFrame, QWidget
from typing_extensions import override

from assistant.desktop.kit.menu import cut_corners

_MARGIN = 56
"""Distance from the lower edge of the screen, in device-independent pixels: above most task bars."""

_FRAME_PX = 40
"""Height of the frame that a desktop puts around a window, and a little more."""


class FloatingPanel(QFrame):
    """Stands at the foot of the screen on which the pointer is.

    Args:
        passes_clicks: whether clicks go to what lies beneath it.
    """

    def __init__(self, *, passes_clicks: bool = False) -> None:
        flags = (
            Qt.WindowType.Tool
            | Qt.WindowType.FramelessWindowHint
            | Qt.WindowType.WindowStaysOnTopHint
            | Qt.WindowType.WindowDoesNotAcceptFocus
            | Qt.WindowType.X11BypassWindowManagerHint  # a window manager may give the keyboard to a new window
        )
        super().__init__(None, flags | Qt.WindowType.WindowTransparentForInput if passes_clicks else flags)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setAttribute(Qt.WidgetAttribute.WA_MacAlwaysShowToolWindow)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setObjectName("floating")

    def float(self) -> None:
        """Show it in its place, in its present size."""
        self.adjustSize()
        screen = QGuiApplication.screenAt(QCursor.pos()) or QGuiApplication.primaryScreen()
        room = screen.availableGeometry()
        foot = QPoint(room.center().x() - self.width() // 2, room.bottom() - _MARGIN - self.height())
        self.move(foot)
        self.show()
        self.raise_()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the corners round, also on desktops that compose no transparency."""
        super().resizeEvent(event)
        cut_corners(self)


def resize_within_screen(window: QWidget, width: int, height: int) -> None:
    """Give a window a size; on a smaller screen that of the screen, without the frame."""
    room = window.screen().availableGeometry()
    window.resize(min(width, room.width()), min(height, room.height() - _FRAME_PX))
