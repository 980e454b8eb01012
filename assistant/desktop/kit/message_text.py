"""The text of one message: plain, selectable, as tall as it needs to be, and cheap to grow."""

import math

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QTextEdit, QWidget
from typing_extensions import override

LINE_HEIGHT_PERCENT = 112.0
"""A little air between lines; Hangul fills its square and looks crowded without."""


class MessageText(QTextEdit):
    """Text that never scrolls by itself and only shows plain text, so nothing is ever fetched.

    The width is given with ``fit``; the height follows. ``grow`` lays out only the paragraph it touches, so an answer
    of any length streams at the same cost.

    Args:
        name: what screen readers call it.
    """

    menu_wanted = Signal(QPoint)
    """The user asks for a context menu at this point of the screen."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("words")
        self.setAccessibleName(name)
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setUndoRedoEnabled(False)
        self.viewport().setAutoFillBackground(False)
        document = self.document()
        document.setDocumentMargin(0)
        spacing = QTextBlockFormat()
        spacing.setLineHeight(LINE_HEIGHT_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        QTextCursor(document).mergeBlockFormat(spacing)
        self._width = 0
        self._shrinks = False

    def grow(self, text: str) -> None:
        """Append ``text``; a selection and the rest of the layout stay."""
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(text)
        self._refit()

    def show_text(self, text: str) -> None:
        """Show ``text`` instead of what was shown."""
        self._replace([(text, QTextCharFormat())])

    def show_live(self, text: str, stable: int, dim: str) -> None:
        """Show a transcript in the making.

        Args:
            text: what has been understood so far.
            stable: how many characters at the start will not change.
            dim: ``#RRGGBB`` of the rest.
        """
        unsure = QTextCharFormat()
        unsure.setForeground(QColor(dim))
        self._replace([(text[:stable], QTextCharFormat()), (text[stable:], unsure)])

    def fit(self, width: int, *, shrink: bool = False) -> None:
        """Take at most ``width`` pixels, with ``shrink`` no more than the text needs."""
        self._width, self._shrinks = max(width, 1), shrink
        self._refit()

    def _replace(self, parts: list[tuple[str, QTextCharFormat]]) -> None:
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.removeSelectedText()
        for text, look in parts:
            cursor.insertText(text, look)
        cursor.endEditBlock()
        self._refit()

    def _refit(self) -> None:
        """Give the widget the size of its text."""
        if not self._width:
            return
        document = self.document()
        if self._shrinks or document.textWidth() != self._width:
            document.setTextWidth(self._width)
        width = self._width
        if self._shrinks:
            width = min(width, math.ceil(document.idealWidth()) + 1)
        if width != self.width():
            self.setFixedWidth(width)
        if document.textWidth() != width:
            document.setTextWidth(width)
        height = math.ceil(document.size().height())
        if height != self.minimumHeight():
            self.setFixedHeight(height)

    @override
    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave scrolling to the conversation."""
        event.ignore()

    @override
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Leave the menu to the message, which knows what else can be done with it."""
        self.menu_wanted.emit(event.globalPos())
