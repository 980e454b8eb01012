"""Asks before something from outside is opened: what it is, why to look twice, and nothing opens without a click."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget
from typing_extensions import override

from assistant.core.texts import Texts
from assistant.desktop.kit.copyable import paragraph

_WIDTH_PX = 420


class OpeningQuestion(QDialog):
    """A question with a button that opens, and one that does not. With a doubt, the latter is the default.

    Args:
        texts: the user's texts.
        kind: the table of its texts in ``desktop``, with ``title``, ``intro`` and ``open``.
        what: what is opened, in one line.
        whole: all of it; can be selected.
        doubts: why to look twice.
        accept: opens it.
    """

    def __init__(
        self,
        texts: Texts,
        kind: str,
        what: str,
        whole: str,
        doubts: Sequence[str],
        accept: Callable[[], object],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(texts(f"desktop.{kind}.title"))
        self.what = paragraph(what)
        self.what.setObjectName("title")
        self.whole = paragraph(whole)
        self.whole.setObjectName("mark")
        self.whole.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(10)
        column.addWidget(paragraph(texts(f"desktop.{kind}.intro")))
        column.addWidget(self.what)
        column.addWidget(self.whole)
        self.doubts = [paragraph(each) for each in doubts]
        for each in self.doubts:
            each.setObjectName("failureText")
            column.addWidget(each)
        self.open_button = QPushButton(texts(f"desktop.{kind}.open"))
        self.stay_button = QPushButton(texts("desktop.action.give_up_edit"))
        self.open_button.clicked.connect(self.accept)
        self.stay_button.clicked.connect(self.reject)
        self.accepted.connect(accept)
        (self.stay_button if doubts else self.open_button).setDefault(True)
        self.line = QHBoxLayout()
        self.line.addStretch(1)
        for button in (self.stay_button, self.open_button):
            button.setAutoDefault(button.isDefault())
            self.line.addWidget(button)
        column.addLayout(self.line)
        self.setFixedWidth(_WIDTH_PX)

    @override
    def showEvent(self, event: QShowEvent) -> None:
        """Take the height that the wrapped lines need at this width, which their size hints do not tell."""
        super().showEvent(event)
        self.setFixedHeight(self._column.totalHeightForWidth(_WIDTH_PX))
