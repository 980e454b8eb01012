"""The line below a message: a status, facts of the model, and if useful a button to ask again."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from assistant.desktop.kit.buttons import repolish
from assistant.desktop.kit.elided_label import ElidedLabel
from assistant.desktop.kit.flow_layout import FlowLayout

_GAP_PX = 10
_FACTS_CHARS = 200
_SMALL = 0.88


class MessageFoot(QWidget):
    """Shows how a message ended. Its parts are made when needed, because most messages need none.

    Args:
        retry_words: label of the button to ask again.
        retry: called when it is clicked.
        lead: first widget; without one, the line is aligned to the right.
    """

    def __init__(self, retry_words: str, retry: Callable[[], None], *, lead: QWidget | None = None) -> None:
        super().__init__()
        self._retry_words, self._on_retry = retry_words, retry
        self._mark: QLabel | None = None
        self._retry: QPushButton | None = None
        self._facts: list[ElidedLabel] = []
        self._line = FlowLayout(_GAP_PX, line_spacing=2, from_right=lead is None, hanging=lead is not None)
        self.setLayout(self._line)
        if lead is not None:
            self._line.addWidget(lead)

    def say(self, words: str, severity: str, *, again: bool) -> None:
        """Show ``words``, or nothing if they are empty.

        Args:
            words: for the user.
            severity: ``error``, ``warning`` or empty.
            again: whether to offer to ask again.
        """
        if words and self._mark is None:
            self._mark = QLabel()
            self._mark.setObjectName("mark")
            self._order()
        if again and self._retry is None:
            self._retry = self._make_retry()
            self._order()
        if self._mark is not None:
            self._mark.setText(words)
            self._mark.setProperty("severity", severity)
            repolish(self._mark)
            self._mark.setVisible(bool(words))
        if self._retry is not None:
            self._retry.setVisible(again)

    def tell(self, facts: tuple[str, ...]) -> None:
        """Show facts about the message. A fact is not split where the line wraps."""
        for label in self._facts:
            self._line.removeWidget(label)
            label.hide()
            label.deleteLater()
        self._facts = [_fact(fact) for fact in facts]
        self._order()

    @property
    def facts(self) -> str:
        """The shown facts."""
        return " · ".join(label.text() for label in self._facts)

    def _order(self) -> None:
        """Put the status first and the facts last, whichever was known first."""
        for part in (self._mark, self._retry, *self._facts):
            if part is not None:
                self._line.removeWidget(part)
                self._line.addWidget(part)

    def _make_retry(self) -> QPushButton:
        button = QPushButton(self._retry_words)
        button.setProperty("flat", True)
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.clicked.connect(lambda: self._on_retry())
        return button


def _fact(words: str) -> ElidedLabel:
    label = ElidedLabel(words, most_chars=_FACTS_CHARS, mode=Qt.TextElideMode.ElideMiddle)
    label.setObjectName("facts")
    font = label.font()
    font.setPointSizeF(font.pointSizeF() * _SMALL)
    label.setFont(font)
    return label
