"""The voice presence: one shape whose form and motion tell what Sori does (V-20).

Each mood has a form of its own, so that it is told without its colour and without motion. A timer runs only while
something moves and is seen: never while Sori is idle, muted or out of order.
"""

import math

from PySide6.QtCore import QElapsedTimer, QPointF, QRectF, Qt, QTimer
from PySide6.QtGui import QColor, QHideEvent, QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from assistant.desktop.kit.level_bars import loudness
from assistant.desktop.kit.theme import Theme
from assistant.desktop.presence.mood import Mood, mood_color

_FRAME_MS = 33
_LEAST_CHANGE = 0.03
"""The least change of the level that is shown. The changes of a steady room are smaller, and nothing moves."""
_FOLLOWS = (0.4, 0.22, 0.22)
"""How much of the distance to its level each ring covers in a frame. A ring follows the one inside it, so that a sound
runs outwards."""
_SETTLED = 0.004
_MOVING = frozenset({Mood.THINKING, Mood.SPEAKING})
_RADIUS = 100.0
"""Radius of the drawing, which is scaled to the widget."""
_ARC_RADIUS, _ARC_DEGREES, _TURNS_A_SECOND = 60.0, 64, 0.22
_BARS = (0.55, 0.85, 1.0, 0.85, 0.55)
"""Heights of the bars of speaking, from left to right."""


class VoicePresence(QWidget):
    """Sori's presence. It fits where it is put: small in a header, large in a view of its own.

    Args:
        theme: colours, and whether things may move.
        edge_px: width and height.
    """

    def __init__(self, theme: Theme, edge_px: int) -> None:
        super().__init__()
        self._theme = theme
        self._mood = Mood.IDLE
        self._level = 0.0
        self._rings = [0.0, 0.0, 0.0]
        self._time_s = 0.0
        self._clock = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setInterval(_FRAME_MS)
        self._timer.timeout.connect(self._advance)
        self.setFixedSize(edge_px, edge_px)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        theme.changed.connect(self._follow_theme)

    @property
    def mood(self) -> Mood:
        """What is shown."""
        return self._mood

    @property
    def moving(self) -> bool:
        """Whether the animation is running."""
        return self._timer.isActive()

    @property
    def level(self) -> float:
        """The microphone's level that is shown, from 0 to 1."""
        return self._level

    def show_mood(self, mood: Mood) -> None:
        """Show what Sori does."""
        if mood is not self._mood:
            self._mood, self._level, self._rings = mood, 0.0, [0.0, 0.0, 0.0]
            self._run_if_needed()
            self.update()

    def show_level(self, level_db: float) -> None:
        """Show the microphone's level in dBFS while listening."""
        level = loudness(level_db)
        if self._mood is not Mood.LISTENING or abs(level - self._level) < _LEAST_CHANGE:
            return
        self._level = level
        if not self._theme.moves:
            self._rings = [level] * len(self._rings)
            self.update()
        self._run_if_needed()

    def _follow_theme(self) -> None:
        self._run_if_needed()
        self.update()

    def _run_if_needed(self) -> None:
        moves = self._mood in _MOVING or (self._mood is Mood.LISTENING and not self._settled)
        if moves and self._theme.moves and self.isVisible() and not self.window().isMinimized():
            if not self._timer.isActive():
                self._clock.start()
                self._timer.start()
        else:
            self._timer.stop()

    @property
    def _settled(self) -> bool:
        return all(abs(ring - self._level) < _SETTLED for ring in self._rings)

    def _advance(self) -> None:
        self._time_s = (self._time_s + self._clock.restart() / 1000) % 3600
        if self._mood is Mood.LISTENING:
            towards = self._level
            for at, share in enumerate(_FOLLOWS):
                self._rings[at] += (towards - self._rings[at]) * share
                towards = self._rings[at]
            if self._settled:
                self._rings = [self._level] * len(self._rings)
                self._timer.stop()
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

    # Drawing, in a circle of radius 100 around the origin

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the mood."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(self.width() / 2, self.height() / 2)
        painter.scale(self.width() / (2 * _RADIUS), self.height() / (2 * _RADIUS))
        color = QColor(mood_color(self._theme, self._mood))
        match self._mood:
            case Mood.IDLE:
                _ring(painter, color, 46, 7, opacity=0.45)
                _disc(painter, color, 20)
            case Mood.LISTENING:
                self._paint_listening(painter, color)
            case Mood.THINKING:
                self._paint_thinking(painter, color)
            case Mood.SPEAKING:
                self._paint_speaking(painter, color)
            case Mood.MUTED:
                _ring(painter, color, 52, 9)
                painter.drawLine(QPointF(-37, -37), QPointF(37, 37))
            case Mood.ERROR:
                _ring(painter, color, 56, 9)
                painter.drawLine(QPointF(0, -27), QPointF(0, 6))
                _disc(painter, color, 6.5, at=QPointF(0, 27))
        painter.end()

    def _paint_listening(self, painter: QPainter, color: QColor) -> None:
        """A disc with rings around it, which the sound drives outwards."""
        for at, level in enumerate(self._rings):
            _ring(painter, color, 47 + 15 * at + 13 * level, 5, opacity=(0.2 + 0.55 * level) * (1 - 0.24 * at))
        _disc(painter, color, 28 + 9 * self._rings[0])

    def _paint_thinking(self, painter: QPainter, color: QColor) -> None:
        """A small disc with three arcs that turn slowly around it."""
        _pen(painter, color, 8, 0.85)
        circle = QRectF(-_ARC_RADIUS, -_ARC_RADIUS, 2 * _ARC_RADIUS, 2 * _ARC_RADIUS)
        for at in range(3):
            start = (at * 120 - self._time_s * _TURNS_A_SECOND * 360) % 360
            painter.drawArc(circle, round(start * 16), _ARC_DEGREES * 16)
        _disc(painter, color, 20 + 3 * math.sin(self._time_s * 2.2))

    def _paint_speaking(self, painter: QPainter, color: QColor) -> None:
        """Bars that swell and sink, as a voice does."""
        _disc(painter, color, 92, opacity=0.13)
        for at, height in enumerate(_BARS):
            wave = 0.5 + 0.28 * math.sin(self._time_s * 5.1 + at * 1.3) + 0.22 * math.sin(self._time_s * 8.3 + at * 2.1)
            half = 9 + 40 * height * wave
            _bar(painter, color, (at - 2) * 27.0, half)


def _pen(painter: QPainter, color: QColor, width: float, opacity: float = 1.0) -> None:
    line = QColor(color)
    line.setAlphaF(opacity)
    pen = QPen(line, width)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _ring(painter: QPainter, color: QColor, radius: float, width: float, *, opacity: float = 1.0) -> None:
    _pen(painter, color, width, opacity)
    painter.drawEllipse(QPointF(0, 0), radius, radius)


def _fill(painter: QPainter, color: QColor, opacity: float) -> None:
    ground = QColor(color)
    ground.setAlphaF(opacity)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ground)


def _disc(painter: QPainter, color: QColor, radius: float, *, opacity: float = 1.0, at: QPointF | None = None) -> None:
    _fill(painter, color, opacity)
    painter.drawEllipse(at or QPointF(0, 0), radius, radius)


def _bar(painter: QPainter, color: QColor, x: float, half: float) -> None:
    _fill(painter, color, 1.0)
    painter.drawRoundedRect(QRectF(x - 7.5, -half, 15, 2 * half), 7.5, 7.5)
