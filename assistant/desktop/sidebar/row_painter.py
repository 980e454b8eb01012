"""Paints a row of the list: its title, the search match, and the menu sign."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractItemModel, QEvent, QPoint, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QMouseEvent, QPainter, QPen, QTextCharFormat, QTextLayout
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget
from typing_extensions import override

from assistant.core.records.conversations import ConversationEntry, ConversationMark
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.desktop.sidebar.conversation_model import AnyIndex, ConversationModel
from assistant.desktop.sidebar.mark_painter import MARK_ROOM_PX, paint_mark

_PADDING_X_PX = 12
_PADDING_Y_PX = 8
_HEADING_ABOVE_PX = 14
_RADIUS_PX = 9
_SIGN_PX = 18
_SIGN_ROOM_PX = 30
_SMALL = 0.88


class RowPainter(QStyledItemDelegate):
    """Draws the rows, and emits a signal when the sign at a row's end is clicked.

    Args:
        icons: source of the icons.
        theme: colours.
        editor_name: accessible name of the field for a new name.
    """

    menu_wanted = Signal(QPoint)
    """The sign of the current row was clicked, at this point of the screen."""

    def __init__(self, icons: Icons, theme: Theme, editor_name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._icons, self._theme, self._editor_name = icons, theme, editor_name
        self.open_conversation = ""
        self.sign_clicked = False
        """Whether the last click was on the sign of a row."""

    @override
    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        """The size of one line, and of a smaller one for a search match."""
        line = QFontMetrics(option.font).height()
        small = QFontMetrics(_small(option.font)).height()
        entry = _entry(index)
        if entry is None:
            return QSize(0, small + _HEADING_ABOVE_PX + 6)
        return QSize(0, line + 2 * _PADDING_Y_PX + (small + 2 if entry.message else 0))

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Draw one row."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        entry = _entry(index)
        if entry is None:
            self._paint_heading(painter, option, str(index.data()))
        else:
            self._paint_entry(painter, option, index, entry)
        painter.restore()

    def _paint_heading(self, painter: QPainter, option: QStyleOptionViewItem, words: str) -> None:
        font = _small(option.font)
        font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(QColor(self._theme.colors.dim))
        place = option.rect.adjusted(_PADDING_X_PX, _HEADING_ABOVE_PX, -_PADDING_X_PX, -2)
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)

    def _paint_entry(
        self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex, entry: ConversationEntry
    ) -> None:
        colors = self._theme.colors
        is_open = entry.id == self.open_conversation
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        focused = bool(option.state & QStyle.StateFlag.State_HasFocus)
        if is_open or hovered:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colors.bubble if is_open else colors.hover))
            painter.drawRoundedRect(option.rect.adjusted(2, 1, -2, -1), _RADIUS_PX, _RADIUS_PX)
        if focused:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(colors.accent), 2))
            painter.drawRoundedRect(option.rect.adjusted(3, 2, -3, -2), _RADIUS_PX, _RADIUS_PX)
        signed = hovered or focused
        # The answer of the open conversation is in sight.
        mark = ConversationMark.NONE if is_open else _mark(index)
        right = _SIGN_ROOM_PX if signed else _PADDING_X_PX
        if mark is not ConversationMark.NONE:
            centre = QPointF(option.rect.right() - right - MARK_ROOM_PX / 2 + 4, option.rect.center().y() + 1)
            paint_mark(painter, mark, centre, colors, option.font)
            right += MARK_ROOM_PX
        room = option.rect.adjusted(_PADDING_X_PX, _PADDING_Y_PX, -right, -_PADDING_Y_PX)
        painter.setFont(_bold(option.font) if mark is ConversationMark.UNREAD else option.font)
        painter.setPen(QColor(colors.on_bubble if is_open else colors.text))
        _draw_line(painter, room, str(index.data()))
        if entry.message:
            passage = entry.passage()
            small = _small(option.font)
            below = room.adjusted(0, QFontMetrics(option.font).height() + 2, 0, 0)
            painter.setFont(small)
            painter.setPen(QColor(colors.bubble_dim if is_open else colors.dim))
            color = QColor(colors.on_bubble if is_open else colors.text)
            _draw_marked(painter, below, passage.text, passage.marks, color)
        if signed:
            icon = self._icons.icon("more", colors.on_bubble if is_open else colors.text, _SIGN_PX)
            icon.paint(painter, _sign_of(option.rect))

    @override
    def editorEvent(
        self, event: QEvent, model: QAbstractItemModel, option: QStyleOptionViewItem, index: AnyIndex
    ) -> bool:
        """Ask for the menu on a click on the sign, instead of opening the conversation."""
        if event.type() == QEvent.Type.MouseButtonRelease and isinstance(event, QMouseEvent):
            self.sign_clicked = _entry(index) is not None and _on_sign(option.rect, event.position().toPoint())
            if self.sign_clicked:
                self.menu_wanted.emit(event.globalPosition().toPoint())
                return True
        return super().editorEvent(event, model, option, index)

    @override
    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: AnyIndex) -> QWidget:
        """Create a field for a new name."""
        field = QLineEdit(parent)
        field.setObjectName("rename")
        field.setAccessibleName(self._editor_name)
        field.setMaxLength(120)
        return field

    @override
    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Fit the field to the whole row."""
        editor.setGeometry(option.rect.adjusted(2, 1, -2, -1))


def _on_sign(row: QRect, point: QPoint) -> bool:
    """Whether a point of a row is on the sign at its end."""
    return row.contains(point) and point.x() >= row.right() - _SIGN_ROOM_PX


def _sign_of(row: QRect) -> QRect:
    return QRect(row.right() - _SIGN_ROOM_PX + 6, row.center().y() - _SIGN_PX // 2 + 1, _SIGN_PX, _SIGN_PX)


def _entry(index: AnyIndex) -> ConversationEntry | None:
    model = index.model()
    return model.entry_at(index) if isinstance(model, ConversationModel) else None


def _mark(index: AnyIndex) -> ConversationMark:
    model = index.model()
    return model.mark_at(index) if isinstance(model, ConversationModel) else ConversationMark.NONE


def _bold(font: QFont) -> QFont:
    bold = QFont(font)
    bold.setWeight(QFont.Weight.DemiBold)
    return bold


def _small(font: QFont) -> QFont:
    small = QFont(font)
    small.setPointSizeF(font.pointSizeF() * _SMALL)
    return small


def _draw_line(painter: QPainter, room: QRect, words: str) -> None:
    line = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, room.width())
    painter.drawText(room, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft, line)


def _draw_marked(painter: QPainter, room: QRect, words: str, marks: Sequence[tuple[int, int]], color: QColor) -> None:
    """Draw a line in which the marked parts are bold and have another colour."""
    bold = _bold(painter.font())
    # Bold letters are wider, so the line is cut as if all of them were bold.
    line = QFontMetrics(bold).elidedText(words, Qt.TextElideMode.ElideRight, room.width())
    layout = QTextLayout(line, painter.font())
    layout.setFormats([_mark_range(start, end, bold, color) for start, end in shown_marks(words, line, marks)])
    layout.beginLayout()
    layout.createLine().setLineWidth(room.width())
    layout.endLayout()
    layout.draw(painter, QPointF(room.topLeft()))


def shown_marks(words: str, line: str, marks: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The parts of ``line``, the beginning of ``words`` with an ellipsis, that are marked in UTF-16 units."""
    kept = len(line) if line == words else max(len(line) - 1, 0)
    within = [(start, min(end, kept)) for start, end in marks if start < kept]
    return [(_units(line[:start]), _units(line[:end])) for start, end in within]


def _units(text: str) -> int:
    """Length as Qt counts it."""
    return len(text.encode("utf-16-le")) // 2


def _mark_range(start: int, end: int, font: QFont, color: QColor) -> QTextLayout.FormatRange:
    form = QTextCharFormat()
    form.setFont(font)
    form.setForeground(color)
    marked = QTextLayout.FormatRange()
    marked.start, marked.length, marked.format = start, end - start, form
    return marked
