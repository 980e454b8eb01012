"""Words that are shown as they are. Qt takes a text that looks like HTML for HTML, and would load its pictures."""

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

_ANGLES = str.maketrans({"<": "‹", ">": "›"})


class PlainLabel(QLabel):
    """A label whose text is never read as HTML. All labels of the window are of this kind."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)


def tip(text: str) -> str:
    """A tooltip that shows this text. A widget has no other way to say that its tooltip is no HTML."""
    return f'<p style="white-space:pre-wrap">{escape(text)}</p>' if "<" in text else text


def noticed(text: str) -> str:
    """A text for a notification: the desktop may read it as markup, and does not tell whether it does."""
    return "".join(each for each in text if each.isprintable() or each in "\n\u200d\ufe0f").translate(_ANGLES)
