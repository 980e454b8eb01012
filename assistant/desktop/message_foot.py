"""The line below a message: what there is to say about it and, if that helps, a button to ask again."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from assistant.desktop.buttons import repolish


class MessageFoot(QWidget):
    """Says how a message ended. Most need no words, and a history is long, so its parts are made when first wanted.

    Args:
        retry_words: what the button to ask again says.
        retry: called when it is pressed.
        lead: stands first; without one, the line is set from the right.
    """

    def __init__(self, retry_words: str, retry: Callable[[], None], *, lead: QWidget | None = None) -> None:
        super().__init__()
        self._retry_words, self._on_retry = retry_words, retry
        self._mark: QLabel | None = None
        self._retry: QPushButton | None = None
        self._said = QHBoxLayout()
        self._said.setSpacing(4)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(4)
        if lead is None:
            line.addStretch(1)
            line.addLayout(self._said)
        else:
            line.addWidget(lead)
            line.addLayout(self._said)
            line.addStretch(1)

    def say(self, words: str, severity: str, *, again: bool) -> None:
        """Say ``words``; nothing when they are empty.

        Args:
            words: for the user.
            severity: ``error``, ``warning`` or empty.
            again: whether to offer to ask again.
        """
        if words and self._mark is None:
            self._mark = QLabel()
            self._mark.setObjectName("mark")
            self._said.insertWidget(0, self._mark)
        if again and self._retry is None:
            self._retry = self._make_retry()
            self._said.addWidget(self._retry)
        if self._mark is not None:
            self._mark.setText(words)
            self._mark.setProperty("severity", severity)
            repolish(self._mark)
            self._mark.setVisible(bool(words))
        if self._retry is not None:
            self._retry.setVisible(again)

    def _make_retry(self) -> QPushButton:
        button = QPushButton(self._retry_words)
        button.setProperty("flat", True)
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.clicked.connect(lambda: self._on_retry())
        return button
