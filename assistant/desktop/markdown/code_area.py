"""Code whose lines are longer than its card: it lies over the card and scrolls sideways."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QTextBlockFormat, QTextCursor, QTextDocumentFragment, QTextOption, QWheelEvent
from PySide6.QtWidgets import QTextEdit, QWidget
from typing_extensions import override

from assistant.desktop.kit.message_text import LINE_HEIGHT_PERCENT, make_readable

BAR_PX = 9
"""Height of the scroll bar; the stylesheet has it too."""


class CodeArea(QTextEdit):
    """Shows code as it is drawn beneath, without breaking its lines.

    Args:
        name: accessible name for screen readers.
        code: the drawn code.
        parent: the widget that it lies on.
    """

    def __init__(self, name: str, code: QTextDocumentFragment, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("codeArea")
        make_readable(self, name)
        self.setWordWrapMode(QTextOption.WrapMode.NoWrap)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        cursor = QTextCursor(self.document())
        cursor.insertFragment(code)
        cursor.select(QTextCursor.SelectionType.Document)
        plain = QTextBlockFormat()
        plain.setLineHeight(LINE_HEIGHT_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        cursor.setBlockFormat(plain)
        self.moveCursor(QTextCursor.MoveOperation.Start)

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
