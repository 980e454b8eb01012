"""A one-line label that ends in an ellipsis where its place does."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QStyle, QStyleOption, QWidget
from typing_extensions import override


class ElidedLabel(QLabel):
    """Shows as much of its text as fits; the whole is in the tooltip when it does not."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    @override
    def sizeHint(self) -> QSize:
        """The whole text on one line."""
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self.text()) + 2, metrics.height())

    @override
    def minimumSizeHint(self) -> QSize:
        """Room for an ellipsis."""
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance("…"), metrics.height())

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what fits."""
        metrics = self.fontMetrics()
        line = " ".join(self.text().split())
        shown = metrics.elidedText(line, Qt.TextElideMode.ElideRight, self.width())
        self.setToolTip(self.text() if shown != line else "")
        option = QStyleOption()
        option.initFrom(self)
        painter = QPainter(self)
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option, painter, self)
        self.style().drawItemText(
            painter, self.rect(), self.alignment(), option.palette, self.isEnabled(), shown, self.foregroundRole()
        )
        painter.end()
