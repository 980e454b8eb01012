"""A chart of stacked bars, one for each day."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget
from typing_extensions import override

from assistant.desktop.kit.theme import Theme

_HEIGHT_PX = 190
_FOOT_PX, _TOP_PX = 22, 20
_COLORS = ("accent", "speaking", "thinking", "warning", "dim")
"""The colours of the series, in order; all further ones have the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartBar:
    """One bar.

    Attributes:
        label: stands below it.
        parts: the amount of each series, from the bottom up.
        words: tells it to a person, for the pointer and for a screen reader.
    """

    label: str
    parts: tuple[float, ...]
    words: str


def series_color(theme: Theme, number: int) -> str:
    """The colour of a series."""
    return str(getattr(theme.colors, _COLORS[min(number, len(_COLORS) - 1)]))


class BarChart(QWidget):
    """Shows bars on one scale.

    Args:
        theme: colours.
        name: what it shows.
    """

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self._theme, self._name = theme, name
        self._bars: Sequence[ChartBar] = ()
        self._most = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        theme.changed.connect(self.update)

    def show_bars(self, bars: Sequence[ChartBar], most: str) -> None:
        """Show these bars.

        Args:
            bars: the bars, from left to right.
            most: the highest amount in words.
        """
        self._bars, self._most = bars, most
        self.setAccessibleName(self._name)
        self.setAccessibleDescription("\n".join(each.words for each in bars if sum(each.parts)))
        self.update()

    @property
    def bars(self) -> Sequence[ChartBar]:
        """The shown bars."""
        return self._bars

    def place(self, number: int) -> QRectF:
        """Where a bar is."""
        whole = max((sum(each.parts) for each in self._bars), default=0.0) or 1.0
        width = self.width() / max(len(self._bars), 1)
        room = self.height() - _FOOT_PX - _TOP_PX
        height = sum(self._bars[number].parts) / whole * room
        side = min(max(width * 0.18, 1.0), 10.0)
        return QRectF(number * width + side, _TOP_PX + room - height, width - 2 * side, height)

    @override
    def sizeHint(self) -> QSize:
        """As wide as there is room."""
        return QSize(320, _HEIGHT_PX)

    @override
    def event(self, event: QEvent) -> bool:
        """Tell the bar under the pointer."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            words = self._words_at(event.pos())
            QToolTip.showText(event.globalPos(), words, self)
            return True
        return super().event(event)

    def _words_at(self, point: QPoint) -> str:
        number = int(point.x() / max(self.width(), 1) * len(self._bars))
        return self._bars[number].words if 0 <= number < len(self._bars) else ""

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the scale, the bars and their labels."""
        colors = self._theme.colors
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        small = QFont(self.font())
        small.setPointSizeF(small.pointSizeF() * 0.86)
        painter.setFont(small)
        bottom = self.height() - _FOOT_PX
        painter.setPen(QPen(QColor(colors.border), 1))
        for line in (_TOP_PX, (_TOP_PX + bottom) // 2, bottom):
            painter.drawLine(0, line, self.width(), line)
        painter.setPen(QColor(colors.dim))
        painter.drawText(QRectF(0, 0, self.width(), _TOP_PX - 2), Qt.AlignmentFlag.AlignLeft, self._most)
        metrics, free_from = QFontMetrics(small), 0.0
        for number, bar in enumerate(self._bars):
            place = self.place(number)
            self._paint_parts(painter, bar, place)
            width = metrics.horizontalAdvance(bar.label)
            left = min(max(place.center().x() - width / 2, 0.0), self.width() - width)
            if bar.label and left >= free_from:
                painter.setPen(QColor(colors.dim))
                painter.drawText(QRectF(left, bottom + 3, width + 2, _FOOT_PX), Qt.AlignmentFlag.AlignLeft, bar.label)
                free_from = left + width + 14
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(colors.accent), 2))
            painter.drawRoundedRect(self.rect().adjusted(1, 1, -1, -1), 8, 8)
        painter.end()

    def _paint_parts(self, painter: QPainter, bar: ChartBar, place: QRectF) -> None:
        whole, top = sum(bar.parts), place.bottom()
        painter.setPen(Qt.PenStyle.NoPen)
        for number, part in enumerate(bar.parts):
            height = place.height() * part / whole if whole else 0.0
            top -= height
            painter.setBrush(QColor(series_color(self._theme, number)))
            painter.drawRect(QRectF(place.left(), top, place.width(), height))
