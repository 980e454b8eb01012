"""The head of a code card: its language, and a copy button."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QWidget

from assistant.core.texts import Texts
from assistant.desktop.kit.buttons import IconButton
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.plain import PlainLabel
from assistant.desktop.kit.theme import Theme


class CodeHead(QWidget):
    """The head of one card of code.

    Args:
        texts: the user's texts.
        icons: source of the icons.
        theme: colours.
        parent: the widget that it is drawn on.
    """

    def __init__(self, texts: Texts, icons: Icons, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._texts = texts
        self._code = ""
        self._language = PlainLabel()
        self._language.setObjectName("facts")
        self._button = IconButton(icons, theme, "copy", texts("desktop.action.copy_code"), size=15)
        self._button.setFixedSize(26, 26)
        self._button.setProperty("small", True)
        self._button.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # On the keyboard, the message's menu has this action.
        self._button.draw("copy", "dim")
        self._button.clicked.connect(self.copy)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(14, 0, 6, 0)
        layout.addWidget(self._language, 1)
        layout.addWidget(self._button)
        self.setCursor(Qt.CursorShape.ArrowCursor)

    def show_code(self, language: str, code: str) -> None:
        """Show the head of changed code."""
        if code == self._code and language == self._language.text():
            return
        self._code = code
        self._language.setText(language)
        self._button.draw("copy", "dim")

    def copy(self) -> None:
        """Put the code on the clipboard."""
        QGuiApplication.clipboard().setText(self._code)
        self._button.draw("check", "accent")
