"""A one-line label that ends in an ellipsis if its text does not fit."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QStyle, QStyleOption, QWidget
from typing_extensions import override

from assistant.desktop.kit.plain import PlainLabel, tip


class ElidedLabel(PlainLabel):
    """Shows as much of its text as fits; the tooltip has the whole text if it does not fit.

    Args:
        text: the text.
        most_chars: preferred width in letters, at most that of the text; 0 for any width.
        mode: position of the ellipsis.
    """

    def __init__(
        self,
        text: str = "",
        parent: QWidget | None = None,
        *,
        most_chars: int = 0,
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> None:
        super().__init__(text, parent)
        self._most_chars, self._mode = most_chars, mode
        wish = QSizePolicy.Policy.Preferred if most_chars else QSizePolicy.Policy.Ignored
        self.setSizePolicy(wish, QSizePolicy.Policy.Fixed)

    @override
    def sizeHint(self) -> QSize:
        """The size of the whole text on one line, limited to the preferred width."""
        metrics = self.fontMetrics()
        width = metrics.horizontalAdvance(self.text()) + 2
        if self._most_chars:
            width = min(width, metrics.averageCharWidth() * self._most_chars)
        return QSize(width, metrics.height())

    @override
    def minimumSizeHint(self) -> QSize:
        """The size of an ellipsis."""
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance("…"), metrics.height())

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the part that fits."""
        metrics = self.fontMetrics()
        line = " ".join(self.text().split())
        shown = metrics.elidedText(line, self._mode, self.width())
        self.setToolTip(tip(self.text() if shown != line else ""))
        option = QStyleOption()
        option.initFrom(self)
        painter = QPainter(self)
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option, painter, self)
        self.style().drawItemText(
            painter, self.rect(), self.alignment(), option.palette, self.isEnabled(), shown, self.foregroundRole()
        )
        painter.end()
