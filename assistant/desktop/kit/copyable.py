"""Lines to copy into a file or a terminal, with a button for it."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from assistant.core.texts import Texts
from assistant.desktop.kit.plain import PlainLabel
from assistant.desktop.kit.theme import MONO_FAMILIES


class Copyable(QWidget):
    """A heading, an explanation, and lines to copy.

    Args:
        texts: the user's texts.
        title: heading.
        note: explanation; empty for none.
        lines: the lines to copy.
    """

    def __init__(self, texts: Texts, title: str, note: str, lines: str) -> None:
        super().__init__()
        self.lines = lines
        heading = paragraph(title)
        heading.setObjectName("title")
        copy = QPushButton(texts("desktop.model.copy"))
        copy.setProperty("flat", True)
        copy.setAccessibleName(f"{texts('desktop.model.copy')}: {title}")

        def copied() -> None:
            QGuiApplication.clipboard().setText(lines)
            copy.setText(texts("desktop.model.copied"))

        copy.clicked.connect(copied)
        head = QHBoxLayout()
        head.addWidget(heading, 1)
        head.addWidget(copy, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(head)
        if note:
            words = paragraph(note)
            words.setObjectName("hint")
            column.addWidget(words)
        column.addWidget(code_view(lines, title))


def paragraph(text: str) -> QLabel:
    """A label with plain text that wraps."""
    label = PlainLabel(text)
    label.setWordWrap(True)
    return label


def code_view(text: str, name: str) -> QPlainTextEdit:
    """Text that can be selected, in letters of one width, as high as it is."""
    code = QPlainTextEdit(text.rstrip())
    code.setObjectName("code")
    code.setAccessibleName(name)
    code.setReadOnly(True)
    code.setTabChangesFocus(True)
    code.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    code.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
    font = code.font()
    font.setFamilies(list(MONO_FAMILIES))
    font.setStyleHint(font.StyleHint.Monospace)
    code.setFont(font)
    code.setFixedHeight(code.fontMetrics().lineSpacing() * (text.rstrip().count("\n") + 1) + 40)
    return code
