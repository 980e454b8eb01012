"""The rows of the picker of models: headings, models with what they can do, and providers that list none."""

from dataclasses import dataclass
from enum import Enum, auto

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem
from typing_extensions import override

from assistant.core.service.requests.models import UnlistedModels
from assistant.desktop.kit.theme import Theme

ROW = Qt.ItemDataRole.UserRole
"""The role with a ``PickerRow``."""
_HEIGHT_PX, _HEADING_PX, _TWO_LINES_PX = 32, 28, 50
_EDGE_PX, _CHECK_PX = 10, 20


class RowKind(Enum):
    """What a row is."""

    HEADING = auto()
    MODEL = auto()
    TROUBLE = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class PickerRow:
    """A row.

    Attributes:
        kind: what it is.
        words: its name.
        marks: what is good to know of it; of a provider that lists no models, why.
        reference: of a model, for ``ChooseModel``; empty for the default of the settings.
        chosen: whether it is the chosen model.
        trouble: of a provider that lists no models.
    """

    kind: RowKind
    words: str
    marks: str = ""
    reference: str = ""
    chosen: bool = False
    trouble: UnlistedModels | None = None


class RowDelegate(QStyledItemDelegate):
    """Draws the rows.

    Args:
        theme: colours.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    @override
    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """The height of a row."""
        heights = {RowKind.HEADING: _HEADING_PX, RowKind.MODEL: _HEIGHT_PX, RowKind.TROUBLE: _TWO_LINES_PX}
        line = option.fontMetrics.height()
        return QSize(120, max(heights[index.data(ROW).kind], line + 8))

    @override
    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw a row."""
        row: PickerRow = index.data(ROW)
        colors = self._theme.colors
        rect: QRect = option.rect
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colors.hover))
            painter.drawRoundedRect(rect.adjusted(0, 1, 0, -1), 8, 8)
        inside = rect.adjusted(_EDGE_PX, 0, -_EDGE_PX, 0)
        if row.kind is RowKind.TROUBLE:
            half = rect.height() // 2
            _write(painter, inside.adjusted(0, 4, 0, -half + 2), row.words, colors.text)
            _write(painter, inside.adjusted(0, half - 2, 0, -4), row.marks, colors.warning)
        elif row.kind is RowKind.HEADING:
            _write(painter, inside, row.words, colors.dim)
        else:
            if row.chosen:
                _check(painter, inside, colors.accent)
            inside.setLeft(inside.left() + _CHECK_PX)
            marks = painter.fontMetrics().horizontalAdvance(row.marks)
            _write(painter, inside.adjusted(0, 0, -(marks + 12) if marks else 0, 0), row.words, colors.text)
            _write(painter, inside, row.marks, colors.dim, Qt.AlignmentFlag.AlignRight)
        painter.restore()


def _write(
    painter: QPainter, rect: QRect, words: str, color: str, side: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft
) -> None:
    painter.setPen(QColor(color))
    fitting = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideMiddle, rect.width())
    painter.drawText(rect, side | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, fitting)


def _check(painter: QPainter, rect: QRect, color: str) -> None:
    pen = QPen(QColor(color), 2)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    x, y = rect.left() + 1, rect.center().y()
    painter.drawLine(x, y, x + 4, y + 4)
    painter.drawLine(x + 4, y + 4, x + 11, y - 4)
