"""Shows the last deletion, with a button to undo it."""

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy

from assistant.core.texts import Texts
from assistant.core.updates import ConversationDeleted
from assistant.desktop.kit.elided_label import ElidedLabel


class UndoBar(QFrame):
    """Offers to restore the conversation that was deleted last, as long as that is possible.

    Args:
        texts: the user's texts.
    """

    undo_wanted = Signal(str)
    """The conversation to restore."""

    def __init__(self, texts: Texts) -> None:
        super().__init__()
        self._texts = texts
        self._deleted: list[ConversationDeleted] = []
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

    def offer(self, deleted: ConversationDeleted) -> None:
        """Offer to restore a deleted conversation."""
        self._deleted.append(deleted)
        QTimer.singleShot(round(deleted.undo_s * 1000), self, lambda: self._withdraw(deleted))
        self._refresh()

    def undo(self) -> None:
        """Restore the conversation that was deleted last; does nothing if there is none."""
        if self._deleted:
            deleted = self._deleted.pop()
            self._refresh()
            self.undo_wanted.emit(deleted.conversation)

    def _withdraw(self, deleted: ConversationDeleted) -> None:
        self._deleted = [each for each in self._deleted if each is not deleted]
        self._refresh()

    def _refresh(self) -> None:
        if self._deleted:
            title = self._deleted[-1].title or self._texts("desktop.sidebar.untitled")
            self.words.setText(self._texts("desktop.sidebar.deleted", title=title))
            self.button.setAccessibleName(self._texts("desktop.sidebar.undo_name", title=title))
        self.setVisible(bool(self._deleted))
