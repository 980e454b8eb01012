"""The line below a message: a status, and if useful a button."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from assistant.desktop.kit.buttons import repolish
from assistant.desktop.kit.flow_layout import FlowLayout
from assistant.desktop.kit.plain import PlainLabel

_GAP_PX = 10


class MessageFoot(QWidget):
    """Shows how a message ended. Its parts are made when needed, because most messages need none.

    Args:
        words: label of the button, such as to ask again.
        act: called when it is clicked.
        from_right: whether the line is aligned to the right.
    """

    def __init__(self, words: str, act: Callable[[], object], *, from_right: bool = True) -> None:
        super().__init__()
        self._words, self._act = words, act
        self._mark: QLabel | None = None
        self._button: QPushButton | None = None
        self._line = FlowLayout(_GAP_PX, line_spacing=2, from_right=from_right)
        self.setLayout(self._line)

    def say(self, words: str, severity: str, *, button: bool) -> None:
        """Show ``words``, or nothing if they are empty.

        Args:
            words: for the user.
            severity: ``error``, ``warning`` or empty.
            button: whether the button is shown.
        """
        if words and self._mark is None:
            self._mark = PlainLabel()
            self._mark.setObjectName("mark")
            self._order()
        if button and self._button is None:
            self._button = self._make_button()
            self._order()
        if self._mark is not None:
            self._mark.setText(words)
            self._mark.setProperty("severity", severity)
            repolish(self._mark)
            self._mark.setVisible(bool(words))
        if self._button is not None:
            self._button.setVisible(button)

    def _order(self) -> None:
        """Put the status first, whichever was known first."""
        for part in (self._mark, self._button):
            if part is not None:
                self._line.removeWidget(part)
                self._line.addWidget(part)

    def _make_button(self) -> QPushButton:
        button = QPushButton(self._words)
        button.setProperty("flat", True)
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.clicked.connect(lambda: self._act())
        return button
