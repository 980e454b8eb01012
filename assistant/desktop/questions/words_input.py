"""The part of a question's card that takes an answer in words: options to click, or a line to type."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from assistant.core.display.escaping import visible
from assistant.core.texts import Texts
from assistant.desktop.kit.flow_layout import FlowLayout

_LONGEST = 4_000


class WordsInput(QWidget):
    """Takes an answer in words. It never takes the keyboard focus by itself.

    Args:
        texts: the user's texts.
        options: the texts to choose from; empty for words of the user's own. A line can be typed in any case, because
            several options may be wanted.
    """

    given = Signal(str)
    """The user has answered with this text."""

    def __init__(self, texts: Texts, options: Sequence[str]) -> None:
        super().__init__()
        self.line = QLineEdit()
        self.line.setObjectName("reply")
        self.line.setMaxLength(_LONGEST)
        self.line.setPlaceholderText(texts("desktop.words.placeholder"))
        self.line.setAccessibleName(texts("desktop.words.placeholder"))
        self.line.returnPressed.connect(self._give)
        self.send = QPushButton(texts("desktop.words.send"))
        self.send.setAutoDefault(False)
        self.send.clicked.connect(self._give)
        self.options = [self._option(text) for text in options]
        choices = QWidget()
        flow = FlowLayout(8)
        choices.setLayout(flow)
        for button in self.options:
            flow.addWidget(button)
        typed = QHBoxLayout()
        typed.setSpacing(8)
        typed.addWidget(self.line, 1)
        typed.addWidget(self.send)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        if self.options:
            layout.addWidget(choices)
        layout.addLayout(typed)

    def _option(self, text: str) -> QPushButton:
        # An ampersand would underline the next letter.
        button = QPushButton(visible(text).replace("&", "&&"))
        button.setAutoDefault(False)
        button.clicked.connect(partial(self.given.emit, text))
        return button

    def _give(self) -> None:
        if self.line.text().strip():
            self.given.emit(self.line.text())
