"""Animated indicators of Sori's state. They use no processor time while they are still or hidden."""

import math

from PySide6.QtCore import QPointF, QRectF, Qt, QTimer
from PySide6.QtGui import QColor, QHideEvent, QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from assistant.core.machine.states import InteractionState
from assistant.desktop.kit.theme import Theme

FLOOR_DB = -60.0
"""Level shown as silence, in dBFS: below a quiet room and far below speech."""
CEILING_DB = -12.0
"""Level shown as full, in dBFS; close speech on a laptop seldom exceeds it."""
_FRAME_MS = 50
_STATE_COLORS = {
    InteractionState.IDLE: "dim",
    InteractionState.LISTENING: "accent",
    InteractionState.PROCESSING: "thinking",
    InteractionState.SPEAKING: "speaking",
}


def state_color(theme: Theme, state: InteractionState) -> str:
    """Colour of a state, as ``#RRGGBB``."""
    return str(getattr(theme.colors, _STATE_COLORS[state]))


def loudness(level_db: float) -> float:
    """Scale a level in dBFS to the shown range, from 0 to 1."""
    return min(max((level_db - FLOOR_DB) / (CEILING_DB - FLOOR_DB), 0.0), 1.0)


class StateOrb(QWidget):
    """A small disc: still when idle, pulsing while listening, turning while thinking, waving while speaking."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._state = InteractionState.IDLE
        self._loudness = 0.0
        self._phase = 0.0
        self._timer = QTimer(self)
        self._timer.setInterval(_FRAME_MS)
        self._timer.timeout.connect(self._advance)
        self.setFixedSize(34, 34)
        theme.changed.connect(self.update)

    @property
    def moving(self) -> bool:
        """Whether the animation is running."""
        return self._timer.isActive()

    def show_state(self, state: InteractionState) -> None:
        """Show a state."""
        self._state = state
        self._loudness = 0.0
        self._run_if_needed()
        self.update()

    def show_level(self, level_db: float) -> None:
        """Pulse with the microphone's level in dBFS while listening."""
        if self._state is InteractionState.LISTENING:
            self._loudness = loudness(level_db)
            self.update()

    def _run_if_needed(self) -> None:
        moves = self._state in {InteractionState.PROCESSING, InteractionState.SPEAKING}
        if moves and self.isVisible() and not self.window().isMinimized():
            self._timer.start()
        else:
            self._timer.stop()

    def _advance(self) -> None:
        self._phase = (self._phase + _FRAME_MS / 1000) % 60
        self.update()

    @override
    def showEvent(self, event: QShowEvent) -> None:
        """Resume the animation."""
        super().showEvent(event)
        self._run_if_needed()

    @override
    def hideEvent(self, event: QHideEvent) -> None:
        """Stop the animation."""
        super().hideEvent(event)
        self._timer.stop()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the disc with its arc or bars."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        color = QColor(state_color(self._theme, self._state))
        centre = QPointF(self.width() / 2, self.height() / 2)
        halo = QColor(color)
        halo.setAlphaF(0.18)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(halo)
        radius = 11 + 5 * self._loudness
        painter.drawEllipse(centre, radius, radius)
        if self._state is InteractionState.PROCESSING:
            pen = QPen(color, 2.4)
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            start = round(-self._phase * 360 * 16) % (360 * 16)
            painter.drawArc(QRectF(centre.x() - 11, centre.y() - 11, 22, 22), start, 100 * 16)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        if self._state is InteractionState.SPEAKING:
            self._paint_bars(painter, centre)
        else:
            painter.drawEllipse(centre, 5.0, 5.0)
        painter.end()

    def _paint_bars(self, painter: QPainter, centre: QPointF) -> None:
        for index in range(3):
            half = 3 + 3.5 * abs(math.sin(self._phase * 5 + index * 1.1))
            painter.drawRoundedRect(QRectF(centre.x() - 6.5 + index * 5, centre.y() - half, 3, 2 * half), 1.5, 1.5)


class LevelBars(QWidget):
    """The microphone's level as a row of bars; hidden while Sori does not listen."""

    BARS = 7

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self._theme = theme
        self._lit = 0
        self._live = False
        self._roomy = True
        self._wanted = True
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
        self._show()

    def give_room(self, *, roomy: bool) -> None:
        """Set whether the window has room for the bars."""
        self._roomy = roomy
        self._show()

    def want(self, *, wanted: bool) -> None:
        """Set whether the user wants to see the level."""
        self._wanted = wanted
        self._show()

    def _show(self) -> None:
        self.setVisible(self._live and self._roomy and self._wanted)

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
