"""The microphone's level as a row of bars."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from assistant.desktop.kit.theme import Theme

FLOOR_DB = -60.0
"""Level shown as silence, in dBFS: below a quiet room and far below speech."""
CEILING_DB = -12.0
"""Level shown as full, in dBFS; close speech on a laptop seldom exceeds it."""


def loudness(level_db: float) -> float:
    """Scale a level in dBFS to the shown range, from 0 to 1."""
    return min(max((level_db - FLOOR_DB) / (CEILING_DB - FLOOR_DB), 0.0), 1.0)


class LevelBars(QWidget):
    """The microphone's level as a row of bars; hidden while Sori does not listen."""

    BARS = 7

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self._theme = theme
        self._lit = 0
        self._live = False
        self.setFixedSize(self.BARS * 6, 20)
        self.setAccessibleName(name)
        self.hide()
        theme.changed.connect(self.update)

    @property
    def lit(self) -> int:
        """Number of lit bars."""
        return self._lit

    def set_live(self, *, live: bool) -> None:
        """Set whether Sori is listening."""
        self._live = live
        self._light(0)
        self.setVisible(live)

    def show_level(self, level_db: float) -> None:
        """Show a level in dBFS."""
        if self._live:
            self._light(round(loudness(level_db) * self.BARS))

    def _light(self, lit: int) -> None:
        if lit != self._lit:
            self._lit = lit
            self.update()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the bars."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for index in range(self.BARS):
            height = 5 + 2 * index
            painter.setBrush(QColor(self._theme.colors.accent if index < self._lit else self._theme.colors.border))
            painter.drawRoundedRect(QRectF(index * 6, (self.height() - height) / 2, 3.4, height), 1.7, 1.7)
        painter.end()
