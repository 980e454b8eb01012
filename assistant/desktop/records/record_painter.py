"""Paints a record: its title with a time at the right, and a smaller line below."""

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget
from typing_extensions import override

from assistant.desktop.kit.theme import Theme
from assistant.desktop.records.record_model import AnyIndex, RecordModel

_X_PX, _Y_PX, _GAP_PX = 14, 8, 2
_RADIUS_PX = 10
_SMALL = 0.88


class RecordPainter(QStyledItemDelegate):
    """Draws the rows.

    Args:
        theme: colours.
    """

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    @override
    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        """Two lines, the same for every row, so that the view need not measure them."""
        font = option.font
        return QSize(0, QFontMetrics(font).height() + QFontMetrics(_small(font)).height() + 2 * _Y_PX + _GAP_PX)

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Draw one row."""
        model, colors = index.model(), self._theme.colors
        row = model.row_at(index) if isinstance(model, RecordModel) else None
        if row is None:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter, option)
        room = option.rect.adjusted(_X_PX, _Y_PX, -_X_PX, -_Y_PX)
        small, metrics = _small(option.font), QFontMetrics(option.font)
        first = QRect(room.left(), room.top(), room.width(), metrics.height())
        below = QRect(room.left(), first.bottom() + 1 + _GAP_PX, room.width(), QFontMetrics(small).height())
        painter.setFont(small)
        painter.setPen(QColor(colors.dim))
        side = QFontMetrics(small).elidedText(row.side, Qt.TextElideMode.ElideRight, room.width() // 2)
        painter.drawText(first, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, side)
        painter.setPen(QColor(colors.error if row.problem else colors.dim))
        detail = QFontMetrics(small).elidedText(row.detail, Qt.TextElideMode.ElideRight, below.width())
        painter.drawText(below, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, detail)
        painter.setFont(option.font)
        painter.setPen(QColor(colors.text))
        title_room = first.adjusted(0, 0, -(QFontMetrics(small).horizontalAdvance(side) + 12 if side else 0), 0)
        title = metrics.elidedText(row.title, Qt.TextElideMode.ElideRight, title_room.width())
        painter.drawText(title_room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, title)
        painter.restore()

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        colors, state = self._theme.colors, option.state
        place = option.rect.adjusted(2, 1, -2, -1)
        selected = bool(state & QStyle.StateFlag.State_Selected)
        if selected or state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colors.hover))
            painter.drawRoundedRect(place, _RADIUS_PX, _RADIUS_PX)
        if selected and state & QStyle.StateFlag.State_HasFocus:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(colors.accent), 2))
            painter.drawRoundedRect(place.adjusted(1, 1, -1, -1), _RADIUS_PX, _RADIUS_PX)
        elif not selected:
            painter.setPen(QPen(QColor(colors.border), 1))
            bottom = option.rect.bottom()
            painter.drawLine(option.rect.left() + _X_PX, bottom, option.rect.right() - _X_PX, bottom)


def _small(font: QFont) -> QFont:
    small = QFont(font)
    small.setPointSizeF(font.pointSizeF() * _SMALL)
    return small
