"""Shows the last deletion, with a button to undo it."""

from dataclasses import dataclass

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy

from assistant.core.texts import Texts
from assistant.desktop.kit.elided_label import ElidedLabel


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Undoable:
    """A deletion.

    Attributes:
        name: names it for whoever undoes it.
        words: what was deleted, for the user.
        button_words: what the button does, for screen readers.
        undo_s: for how many seconds it can be undone.
    """

    name: str
    words: str
    button_words: str
    undo_s: float


class UndoBar(QFrame):
    """Offers to undo the last deletion, as long as that is possible.

    Args:
        texts: the user's texts.
    """

    undo_wanted = Signal(str)
    """The name of the deletion to undo."""

    def __init__(self, texts: Texts) -> None:
        super().__init__()
        self._deleted: list[Undoable] = []
        self.setObjectName("undo")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.words = ElidedLabel()
        self.button = QPushButton(texts("desktop.sidebar.undo"))
        self.button.setProperty("flat", True)
        self.button.clicked.connect(self.undo)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 4, 4, 4)
        layout.addWidget(self.words, 1)
        layout.addWidget(self.button)
        self.hide()

    def offer(self, deleted: Undoable) -> None:
        """Offer to undo a deletion."""
        self._deleted.append(deleted)
        QTimer.singleShot(round(deleted.undo_s * 1000), self, lambda: self._withdraw(deleted))
        self._refresh()

    def undo(self) -> None:
        """Undo the last deletion; does nothing if there is none."""
        if self._deleted:
            deleted = self._deleted.pop()
            self._refresh()
            self.undo_wanted.emit(deleted.name)

    def _withdraw(self, deleted: Undoable) -> None:
        self._deleted = [each for each in self._deleted if each is not deleted]
        self._refresh()

    def _refresh(self) -> None:
        if self._deleted:
            self.words.setText(self._deleted[-1].words)
            self.button.setAccessibleName(self._deleted[-1].button_words)
        self.setVisible(bool(self._deleted))
