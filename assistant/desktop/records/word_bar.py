"""One line of a page that tells what was done and offers to undo it, or asks before something that cannot be undone."""

from collections.abc import Callable

from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout

from assistant.core.texts import Texts
from assistant.desktop.chrome.notices import announce
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.flow_layout import FlowLayout


class WordBar(QFrame):
    """Shows one thing at a time; hidden while there is none.

    Args:
        texts: the user's texts.
    """

    def __init__(self, texts: Texts) -> None:
        super().__init__()
        self._texts = texts
        self._then: Callable[[], None] | None = None
        self.setObjectName("undo")
        self.words = paragraph("")
        self.yes = QPushButton()
        self.yes.setAutoDefault(False)
        self.yes.clicked.connect(self._act)
        self.no = QPushButton(texts("desktop.records.leave"))
        self.no.setAutoDefault(False)
        self.no.clicked.connect(self.put_away)
        buttons = FlowLayout(8)
        buttons.addWidget(self.yes)
        buttons.addWidget(self.no)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 8, 14, 8)
        layout.setSpacing(6)
        layout.addWidget(self.words)
        layout.addLayout(buttons)
        self.hide()

    def tell(self, words: str) -> None:
        """Tell what happened."""
        self._show(words, None, "")
        self.no.setText(self._texts("desktop.action.dismiss"))

    def offer_undo(self, words: str, undo: Callable[[], None]) -> None:
        """Tell what was done, and offer to undo it."""
        self._show(words, undo, self._texts("desktop.records.undo"))
        self.no.setText(self._texts("desktop.action.dismiss"))

    def ask(self, question: str, yes: str, then: Callable[[], None]) -> None:
        """Ask before something is done. The focus is on leaving it."""
        self._show(question, then, yes)
        self.no.setText(self._texts("desktop.records.leave"))
        self.no.setFocus()

    def put_away(self) -> None:
        """Show nothing more."""
        self._then = None
        self.hide()

    def _show(self, words: str, then: Callable[[], None] | None, button: str) -> None:
        self._then = then
        self.words.setText(words)
        self.yes.setText(button)
        self.yes.setVisible(then is not None)
        self.yes.setAccessibleName(f"{button}: {words}")
        self.show()
        announce(self, words)

    def _act(self) -> None:
        then = self._then
        self.put_away()
        if then is not None:
            then()
