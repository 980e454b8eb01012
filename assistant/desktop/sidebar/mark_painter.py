"""Draws what goes on in a conversation as a small mark: answering, asking, unread."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter

from assistant.core.records.conversations import ConversationMark
from assistant.desktop.kit.theme import Colors

MARK_ROOM_PX = 26
"""Width that a mark takes at the end of a row."""
_DOT_PX = 8.0
_BADGE_PX = 17.0
_TYPING_PX = 4.0
_TYPING_STEP_PX = 6.0


def paint_mark(painter: QPainter, mark: ConversationMark, centre: QPointF, colors: Colors, font: QFont) -> None:
    """Draw a mark: three dots for an answer that is written, a question mark, or a dot for an unread answer.

    Args:
        painter: draws with antialiasing.
        mark: what goes on.
        centre: the middle of the mark.
        colors: the theme's colours.
        font: the font of the row.
    """
    painter.save()
    painter.setPen(Qt.PenStyle.NoPen)
    match mark:
        case ConversationMark.ANSWERING:
            painter.setBrush(QColor(colors.thinking))
            for step in (-1, 0, 1):
                _paint_dot(painter, QPointF(centre.x() + step * _TYPING_STEP_PX, centre.y()), _TYPING_PX)
        case ConversationMark.ASKING:
            painter.setBrush(QColor(colors.accent))
            _paint_dot(painter, centre, _BADGE_PX)
            bold = QFont(font)
            bold.setBold(True)
            bold.setPixelSize(round(_BADGE_PX * 0.7))
            painter.setFont(bold)
            painter.setPen(QColor(colors.on_accent))
            half = _BADGE_PX / 2
            painter.drawText(
                QRectF(centre.x() - half, centre.y() - half, _BADGE_PX, _BADGE_PX), Qt.AlignmentFlag.AlignCenter, "?"
            )
        case ConversationMark.UNREAD:
            painter.setBrush(QColor(colors.accent))
            _paint_dot(painter, centre, _DOT_PX)
        case ConversationMark.NONE:
            pass
    painter.restore()


def _paint_dot(painter: QPainter, centre: QPointF, size_px: float) -> None:
    painter.drawEllipse(centre, size_px / 2, size_px / 2)
