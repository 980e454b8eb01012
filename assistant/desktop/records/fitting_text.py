"""A text to read and to copy, as high as its lines up to a limit."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSizePolicy
from typing_extensions import override

_MOST_PX = 190


class FittingText(QPlainTextEdit):
    """Shows plain text that wraps; a long one scrolls.

    Args:
        name: the name for a screen reader.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName("recordWords")
        self.setAccessibleName(name)
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(0)

    def show_text(self, text: str) -> None:
        """Show another text, from its beginning."""
        self.setPlainText(text)
        self._fit()

    def _fit(self) -> None:
        lines = self.document().documentLayout().documentSize().height()
        self.setFixedHeight(min(round(lines * self.fontMetrics().lineSpacing()) + 10, _MOST_PX))

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Have the height of the lines at this width."""
        super().resizeEvent(event)
        self._fit()
