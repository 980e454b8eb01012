"""The text of a file in a window of its own, with a passage marked."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QTextEdit, QVBoxLayout, QWidget

from assistant.core.service.requests.projects import ShownFile
from assistant.core.texts import Texts
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.floating import resize_within_screen

_SIZE = (680, 620)


class PassageView(QDialog):
    """Shows a text. It can be read with the keyboard and copied.

    Args:
        texts: the user's texts.
        owner: the window before which it stands.
        shown: the file with its whole text.
        marked: first and last character of the passage that is marked; ``None`` for none.
    """

    def __init__(self, texts: Texts, owner: QWidget, shown: ShownFile, marked: tuple[int, int] | None = None) -> None:
        super().__init__(owner)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(shown.file.name)
        resize_within_screen(self, *_SIZE)
        name = paragraph(shown.file.name)
        name.setObjectName("pageTitle")
        self.text = QPlainTextEdit()
        self.text.setObjectName("passageText")
        self.text.setReadOnly(True)
        self.text.setAccessibleName(texts("desktop.passages.text", name=shown.file.name))
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.text.setPlainText(shown.text)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 20, 20)
        layout.setSpacing(8)
        layout.addWidget(name)
        layout.addWidget(self.text, 1)
        if marked is not None:
            self._mark(shown.text, *marked)
        self.text.setFocus()

    def _mark(self, text: str, start: int, end: int) -> None:
        # Qt counts UTF-16 units.
        first, last = (len(text[:place].encode("utf-16-le")) // 2 for place in (start, end))
        cursor = self.text.textCursor()
        cursor.setPosition(first)
        cursor.setPosition(last, QTextCursor.MoveMode.KeepAnchor)
        mark = QTextEdit.ExtraSelection()
        mark.cursor = cursor
        colours = self.palette()
        mark.format.setBackground(colours.highlight())
        mark.format.setForeground(colours.highlightedText())
        self.text.setExtraSelections([mark])
        cursor.setPosition(first)
        self.text.setTextCursor(cursor)
        self.text.centerCursor()
