"""The steps of a turn as bars, one below the other, each beside the median of the same step (V-22)."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget
from typing_extensions import override

from assistant.core.records.traces import TraceStep
from assistant.core.texts import Texts
from assistant.desktop.kit.theme import Theme

_ROW_PX = 24
_BAR_PX = 10
_LEAST_PX = 2
_LABEL_MOST_PX = 220
_FIGURE_PX = 62


class Waterfall(QWidget):
    """Each step has a bar from the step before to this one, on the scale of the whole turn; a mark shows the median.

    Args:
        texts: the user's texts.
        theme: colours.
    """

    def __init__(self, texts: Texts, theme: Theme) -> None:
        super().__init__()
        self._texts, self._theme = texts, theme
        self._steps: Sequence[TraceStep] = ()
        self._medians: Mapping[str, float] = {}
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_steps(self, steps: Sequence[TraceStep], medians: Mapping[str, float]) -> None:
        """Show the steps of a turn.

        Args:
            steps: the steps.
            medians: the usual seconds of each step.
        """
        self._steps, self._medians = steps, medians
        self.setAccessibleName(", ".join(self.words))
        self.updateGeometry()
        self.update()

    @property
    def words(self) -> list[str]:
        """Each step as it is told in words."""
        return [f"{self._label(each)} {self._seconds(each.took_s)}{self._against(each)}" for each in self._steps]

    @property
    def _whole_s(self) -> float:
        return max((each.at_s for each in self._steps), default=0.0)

    def bar(self, step: TraceStep) -> QRectF:
        """Where the bar of a step is; its height and vertical place are those of its row."""
        room, whole_s = self._room(), self._whole_s
        scale = (room.width() - _LEAST_PX) / whole_s if whole_s > 0 else 0.0
        top = self._steps.index(step) * _ROW_PX + (_ROW_PX - _BAR_PX) / 2
        return QRectF(room.left() + (step.at_s - step.took_s) * scale, top, step.took_s * scale + _LEAST_PX, _BAR_PX)

    def _room(self) -> QRectF:
        """Where the bars are, between the labels and the figures."""
        label = min(_LABEL_MOST_PX, self.width() * 0.4)
        return QRectF(label + 8, 0, max(self.width() - label - 8 - _FIGURE_PX - 8, 20), self.height())

    def _label(self, step: TraceStep) -> str:
        name = self._texts(f"desktop.traces.step.{step.name}")
        return f"{name} · {step.engine}" if step.engine else name

    def _seconds(self, seconds: float) -> str:
        return self._texts("desktop.traces.seconds", seconds=f"{seconds:.2f}")

    def _against(self, step: TraceStep) -> str:
        median = self._medians.get(step.name)
        return "" if median is None else f" ({self._texts('desktop.traces.median', seconds=f'{median:.2f}')})"

    @override
    def sizeHint(self) -> QSize:
        """A row for each step."""
        return QSize(300, max(len(self._steps), 1) * _ROW_PX)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the rows."""
        colors, room = self._theme.colors, self._room()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        metrics = QFontMetrics(self.font())
        scale = (room.width() - _LEAST_PX) / self._whole_s if self._whole_s > 0 else 0.0
        for number, step in enumerate(self._steps):
            row = QRectF(0, number * _ROW_PX, self.width(), _ROW_PX)
            label = metrics.elidedText(self._label(step), Qt.TextElideMode.ElideRight, round(room.left() - 8))
            painter.setPen(QColor(colors.text))
            painter.drawText(QRectF(0, row.top(), room.left(), _ROW_PX), Qt.AlignmentFlag.AlignVCenter, label)
            right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            painter.drawText(
                QRectF(self.width() - _FIGURE_PX, row.top(), _FIGURE_PX, _ROW_PX), right, self._seconds(step.took_s)
            )
            bar = self.bar(step)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colors.hover))
            painter.drawRoundedRect(QRectF(room.left(), bar.top(), room.width(), _BAR_PX), 3, 3)
            painter.setBrush(QColor(colors.error if step.name == "error" else colors.accent))
            painter.drawRoundedRect(bar, 3, 3)
            median = self._medians.get(step.name)
            if median is not None:
                at = min(bar.left() + median * scale, room.right())
                painter.setPen(QPen(QColor(colors.warning), 2))
                painter.drawLine(round(at), round(bar.top()) - 3, round(at), round(bar.bottom()) + 3)
        painter.end()
