"""The field in which the user writes another text for a message, in its place (T-08)."""

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout
from typing_extensions import override

from assistant.core.texts import Texts
from assistant.desktop.composer.composer import MessageInput
from assistant.desktop.kit.escape import is_escape, keeps_escape


class MessageEdit(QFrame):
    """A field with the text, and buttons. Enter sends, Escape gives up.

    Args:
        texts: the user's texts.
        text: the text to begin with.
    """

    done = Signal(str)
    """The new text, without spaces around it."""
    given_up = Signal()

    def __init__(self, texts: Texts, text: str) -> None:
        super().__init__()
        self.setObjectName("messageEdit")
        self.field = MessageInput(texts("desktop.conversation.edit"), "")
        self.field.setPlainText(text)
        self.field.moveCursor(QTextCursor.MoveOperation.End)
        self.field.send_wanted.connect(self._send)
        self.send = QPushButton(texts("desktop.action.send_edited"))
        self.send.setProperty("filled", True)
        self.send.clicked.connect(self._send)
        self.cancel = QPushButton(texts("desktop.action.give_up_edit"))
        self.cancel.setProperty("flat", True)
        self.cancel.clicked.connect(self.given_up)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.send)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 9, 9, 8)
        layout.addWidget(self.field)
        layout.addLayout(buttons)
        self.field.textChanged.connect(self._refresh)

    def _refresh(self) -> None:
        self.send.setEnabled(bool(self._text))

    @property
    def written(self) -> str:
        """What stands in the field."""
        return self.field.toPlainText()

    @property
    def _text(self) -> str:
        return self.field.toPlainText().encode(errors="replace").decode().strip()

    def _send(self) -> None:
        QGuiApplication.inputMethod().commit()  # A syllable that is being composed belongs to the text.
        if self._text:
            self.done.emit(self._text)

    @override
    def event(self, event: QEvent) -> bool:
        """Take Escape before the window does."""
        return keeps_escape(event) or super().event(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape gives up."""
        if is_escape(event):
            self.given_up.emit()
        else:
            event.ignore()
