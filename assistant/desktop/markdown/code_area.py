"""Code whose lines are longer than its card: it lies over the card and scrolls sideways."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QTextBlock, QTextBlockFormat, QTextCursor, QTextOption, QWheelEvent
from PySide6.QtWidgets import QTextEdit, QWidget
from typing_extensions import override

from assistant.core.markdown.reading import LINE_BREAK
from assistant.desktop.kit.message_text import LINE_HEIGHT_PERCENT, make_readable

BAR_PX = 9
"""Height of the scroll bar; the stylesheet has it too."""
_LINE = QTextBlockFormat()
_LINE.setLineHeight(LINE_HEIGHT_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)


class CodeArea(QTextEdit):
    """Shows code as it is drawn beneath, without breaking its lines, each of which is a block.

    Args:
        name: accessible name for screen readers.
        parent: the widget that it lies on.
    """

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._code = ""
        self.setObjectName("codeArea")
        make_readable(self, name)
        self.setUndoRedoEnabled(False)
        self.setWordWrapMode(QTextOption.WrapMode.NoWrap)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)

    def show_code(self, code: QTextBlock, *, anew: bool = False) -> None:
        """Show code from its last line on, which may have grown; the lines before it stay.

        Args:
            code: the drawn code, with ``LINE_BREAK`` between its lines.
            anew: whether all lines are drawn again, because their colours may have changed.
        """
        text = code.text()
        if text == self._code and not anew:
            return
        grows = text.startswith(self._code) and not anew
        start = self._code.rfind(LINE_BREAK) + 1 if grows else 0
        lines = text[start:].split(LINE_BREAK)
        bar = self.horizontalScrollBar()
        seen = bar.value()
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        cursor.movePosition(QTextCursor.MoveOperation.End)
        move = QTextCursor.MoveOperation.StartOfBlock if start else QTextCursor.MoveOperation.Start
        cursor.movePosition(move, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        at = code.position() + _units(text[:start])
        for number, line in enumerate(lines):
            if number:
                cursor.insertBlock()
            drawn = QTextCursor(code)
            drawn.setPosition(at)
            at += _units(line)
            drawn.setPosition(at, QTextCursor.MoveMode.KeepAnchor)
            cursor.insertFragment(drawn.selection())
            cursor.setBlockFormat(_LINE)  # An empty block takes that of the fragment.
            at += 1
        cursor.endEditBlock()
        if not start:
            self.moveCursor(QTextCursor.MoveOperation.Start)  # What was inserted before it has moved it to the end.
        self._code = text
        bar.setValue(seen)

    def lie_over(self, lines: QRectF, right: float) -> None:
        """Lie over the lines of the code, as far as the right edge of its card; the scroll bar is below them."""
        left, top = round(lines.left()), round(lines.top())
        self.setGeometry(left, top, round(right) - left, round(lines.bottom()) - top + BAR_PX + 3)
        self.show()

    @override
    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll sideways; the conversation scrolls up and down."""
        turned = event.angleDelta()
        shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        sideways = turned.x() or (turned.y() if shifted else 0)
        if abs(sideways) < abs(turned.y()) and not shifted:
            event.ignore()
            return
        bar = self.horizontalScrollBar()
        bar.setValue(bar.value() - sideways)
        event.accept()


def _units(text: str) -> int:
    """Length in the units of a document, where a character beyond the basic plane counts twice."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2
