"""Places the side bar: beside the conversation in a wide window, over it in a narrow one."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget
from typing_extensions import override

WIDTH_PX = 268
ROOM_BESIDE_PX = 720
"""Minimum window width for both side by side."""
_LEFT_FREE_PX = 44
"""Width of the conversation that stays visible beside a covering side bar, for clicking."""


class Shade(QWidget):
    """Covers widgets that cannot be used now. A click closes the side bar in front of it."""

    clicked = Signal()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw a dark, transparent layer."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(0, 0, 0, 90))
        painter.end()

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Report a click, which closes the side bar."""
        self.clicked.emit()


class Drawer(QWidget):
    """Holds a side bar and the centre of the window.

    Args:
        side: the side bar, at the left.
        centre: takes the remaining width, or the whole width in a narrow window.
    """

    folded = Signal(bool)
    """The side bar was folded (true) or unfolded (false)."""

    def __init__(self, side: QWidget, centre: QWidget) -> None:
        super().__init__()
        self._side, self._centre = side, centre
        self._open = False
        self.wanted_beside = False
        """Whether the user wants the side bar when there is room for it; this is stored."""
        self._shade = Shade(self)
        self._shade.clicked.connect(self.fold)
        centre.setParent(self)
        side.setParent(self)
        side.hide()
        self._shade.hide()

    @property
    def is_open(self) -> bool:
        """Whether the side bar is unfolded."""
        return self._open

    @property
    def over(self) -> bool:
        """Whether the side bar must cover the conversation."""
        return self.width() < ROOM_BESIDE_PX

    def unfold(self) -> None:
        """Show the side bar."""
        self._choose(is_open=True)

    def fold(self) -> None:
        """Fold the side bar."""
        self._choose(is_open=False)

    def _choose(self, *, is_open: bool) -> None:
        if not self.over:
            self.wanted_beside = is_open
        self._turn(is_open=is_open)

    def _turn(self, *, is_open: bool) -> None:
        changed = is_open is not self._open
        self._open = is_open
        self._place()
        if changed:
            self.folded.emit(not is_open)

    def _place(self) -> None:
        over = self._open and self.over
        width = min(WIDTH_PX, self.width() - _LEFT_FREE_PX) if over else WIDTH_PX
        beside = WIDTH_PX if self._open and not over else 0
        self._centre.setGeometry(beside, 0, self.width() - beside, self.height())
        self._shade.setGeometry(self._centre.geometry())
        self._shade.setVisible(over)
        self._side.setGeometry(0, 0, width, self.height())
        self._side.setVisible(self._open)
        self._shade.raise_()
        self._side.raise_()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """With enough room follow the user's choice, otherwise fold the side bar."""
        super().resizeEvent(event)
        before = event.oldSize().width()
        if before <= 0 or (before < ROOM_BESIDE_PX) is not self.over:
            self._turn(is_open=self.wanted_beside and not self.over)
        else:
            self._place()
