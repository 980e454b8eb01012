"""Asks before a link is opened, and shows where it really leads."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from assistant.core.display.addresses import WebTarget
from assistant.core.texts import Texts
from assistant.desktop.kit.copyable import paragraph

_MOST_CHARS = 400
_WIDTH_PX = 420


class LinkQuestion(QDialog):
    """Shows the host as the network knows it, the whole address, and why to look twice. Nothing opens without a click.

    Args:
        texts: the user's texts.
        target: where the link leads.
        open_address: opens it.
    """

    def __init__(
        self, texts: Texts, target: WebTarget, open_address: Callable[[str], None], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(texts("desktop.link.title"))
        self.host = paragraph(target.host)
        self.host.setObjectName("title")
        self.address = paragraph(_cut(target.address))
        self.address.setObjectName("mark")
        self.address.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(10)
        column.addWidget(paragraph(texts("desktop.link.intro")))
        column.addWidget(self.host)
        column.addWidget(self.address)
        self.doubts = [paragraph(texts(f"desktop.link.doubt.{each}", written=target.written)) for each in target.doubts]
        for each in self.doubts:
            each.setObjectName("failureText")
            column.addWidget(each)
        self.open_button = QPushButton(texts("desktop.link.open"))
        self.copy_button = QPushButton(texts("desktop.link.copy"))
        self.stay_button = QPushButton(texts("desktop.action.give_up_edit"))
        self.open_button.clicked.connect(self.accept)
        self.copy_button.clicked.connect(lambda: QGuiApplication.clipboard().setText(target.address))
        self.stay_button.clicked.connect(self.reject)
        self.accepted.connect(lambda: open_address(target.address))
        (self.stay_button if target.doubts else self.open_button).setDefault(True)
        line = QHBoxLayout()
        line.addStretch(1)
        for button in (self.copy_button, self.stay_button, self.open_button):
            button.setAutoDefault(button.isDefault())
            line.addWidget(button)
        column.addLayout(line)
        self.setFixedWidth(_WIDTH_PX)


def _cut(address: str) -> str:
    """The address, of a very long one its beginning and its end."""
    if len(address) <= _MOST_CHARS:
        return address
    return f"{address[: _MOST_CHARS - 60]} … {address[-60:]}"
