"""The text of one message: plain, selectable, as tall as its content, and cheap to extend."""

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
"""Extra space between lines. Hangul fills its square and looks crowded without it."""

_MARK_ALPHA = 90


def make_readable(edit: QTextEdit, name: str) -> None:
    """Let a field show text that can be selected and not changed, without a frame.

    Args:
        edit: the field.
        name: accessible name for screen readers.
    """
    edit.setAccessibleName(name)
    edit.setReadOnly(True)
    edit.setFrameShape(QFrame.Shape.NoFrame)
    edit.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
    edit.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    edit.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    edit.document().setDocumentMargin(0)


class MessageText(QTextEdit):
    """Plain text that never scrolls by itself and fetches nothing.

    ``fit`` sets the width, and the height follows. ``grow`` lays out only the changed paragraph, so the cost of
    streaming does not depend on the answer's length.

    Args:
        name: accessible name for screen readers.
    """

    menu_wanted = Signal(QPoint)
    """The user wants a context menu at this point of the screen."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("words")
        make_readable(self, name)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setUndoRedoEnabled(False)
        self.viewport().setAutoFillBackground(False)
        spacing = QTextBlockFormat()
        spacing.setLineHeight(LINE_HEIGHT_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        QTextCursor(self.document()).mergeBlockFormat(spacing)
        self._width = 0
        self._shrinks = False

    def grow(self, text: str) -> None:
        """Append ``text`` without changing the selection or the rest of the layout."""
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(text)
        self._refit()

    def show_text(self, text: str) -> None:
        """Replace the text with ``text``."""
        self._replace([(text, QTextCharFormat())])

    def show_live(self, text: str, stable: int, dim: str) -> None:
        """Show a partial transcript.

        Args:
            text: the transcript so far.
            stable: number of characters at the start that will not change.
            dim: ``#RRGGBB`` of the rest.
        """
        unsure = QTextCharFormat()
        unsure.setForeground(QColor(dim))
        self._replace([(text[:stable], QTextCharFormat()), (text[stable:], unsure)])

    def mark_words(self, words: str, color: str) -> None:
        """Mark the places of these words, as far as they stand in the text as they are written; none for no words.

        Args:
            words: the words.
            color: ``#RRGGBB`` of the marks, which let the text through.
        """
        found, cursor, back = list[QTextEdit.ExtraSelection](), QTextCursor(self.document()), QColor(color)
        back.setAlpha(_MARK_ALPHA)
        while words and not (cursor := self.document().find(words, cursor)).isNull():
            place = QTextEdit.ExtraSelection()
            place.cursor = cursor
            place.format.setBackground(back)
            found.append(place)
        self.setExtraSelections(found)

    def fit(self, width: int, *, shrink: bool = False) -> None:
        """Take at most ``width`` pixels; with ``shrink`` only as many as the text needs."""
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

    @property
    def _below_px(self) -> int:
        """Room below the text."""
        return 0

    def _refit(self) -> None:
        """Resize the widget to its text."""
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
        height = math.ceil(document.size().height()) + self._below_px
        if height != self.minimumHeight():
            self.setFixedHeight(height)

    @override
    def wheelEvent(self, event: QWheelEvent) -> None:
        """Pass scrolling on to the conversation."""
        event.ignore()

    @override
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Pass the menu on to the message's row, which has more actions."""
        self.menu_wanted.emit(event.globalPos())
