"""Menus and other popups with the corners of the rest of the window."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QGuiApplication, QPainterPath, QRegion, QResizeEvent
from PySide6.QtWidgets import QMenu, QWidget
from typing_extensions import override

CORNER_PX = 12
"""Radius of the corners; the stylesheet has it too."""
_OPAQUE = frozenset({"xcb", "offscreen"})
"""Platforms on which a window may have no transparent parts: X11 without a compositor shows them black."""


def begin_popup(popup: QWidget) -> None:
    """Let a popup have transparent corners where the platform can show them. The shadow is the desktop's own."""
    if QGuiApplication.platformName() not in _OPAQUE:
        popup.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)


def cut_corners(popup: QWidget) -> None:
    """Cut the corners of a popup off where they cannot be transparent. Call it after each change of the size."""
    if not popup.testAttribute(Qt.WidgetAttribute.WA_TranslucentBackground):
        shape = QPainterPath()
        shape.addRoundedRect(QRectF(popup.rect()), CORNER_PX, CORNER_PX)
        popup.setMask(QRegion(shape.toFillPolygon().toPolygon()))


class Menu(QMenu):
    """A menu. Everything in the window that is a menu is one of these."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        begin_popup(self)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the corners."""
        super().resizeEvent(event)
        cut_corners(self)
