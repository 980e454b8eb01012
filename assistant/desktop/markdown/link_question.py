"""Asks before a link is opened, and shows where it really leads."""

from collections.abc import Callable

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QWidget

from assistant.core.display.addresses import WebTarget
from assistant.core.texts import Texts
from assistant.desktop.kit.opening_question import OpeningQuestion

_MOST_CHARS = 400


class LinkQuestion(OpeningQuestion):
    """Shows the host as the network knows it, the whole address, and why to look twice.

    Args:
        texts: the user's texts.
        target: where the link leads.
        open_address: opens it.
    """

    def __init__(
        self, texts: Texts, target: WebTarget, open_address: Callable[[str], None], parent: QWidget | None = None
    ) -> None:
        doubts = [texts(f"desktop.link.doubt.{each}", written=target.written) for each in target.doubts]
        address = target.address
        super().__init__(texts, "link", target.host, _cut(address), doubts, lambda: open_address(address), parent)
        self.copy_button = QPushButton(texts("desktop.link.copy"))
        self.copy_button.setAutoDefault(False)
        self.copy_button.clicked.connect(lambda: QGuiApplication.clipboard().setText(address))
        self.line.insertWidget(1, self.copy_button)


def _cut(address: str) -> str:
    """The address, of a very long one its beginning and its end."""
    if len(address) <= _MOST_CHARS:
        return address
    return f"{address[: _MOST_CHARS - 60]} … {address[-60:]}"
