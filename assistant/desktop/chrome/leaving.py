"""Asks before Sori ends if something would be lost with it: what would not ring, and who else uses it."""

from collections import Counter
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QDialog, QPushButton, QVBoxLayout, QWidget

from assistant.core.display.escaping import visible
from assistant.core.service.request import Refusal
from assistant.core.service.requests.engine import ListWhatEnds, WhatEnds
from assistant.core.texts import Texts
from assistant.desktop.asking import WindowRequests
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.flow_layout import FlowLayout

PATIENCE_MS = 3000
"""Milliseconds for the engine to tell what would be lost. One that is silent for longer does not keep Sori running."""
_MOST_SHOWN = 5
_WIDTH_PX = 420
_MARGIN_PX = 22


class Leaving(QObject):
    """Ends Sori when the user wants it, after a question if something would be lost.

    Args:
        window: the window, parent of the question.
        ask: sends requests to the engine.
        texts: the user's texts.
    """

    leave = Signal()
    """Sori shall end."""
    stay = Signal()
    """Sori shall go on without its window."""

    def __init__(self, window: QWidget, ask: WindowRequests, texts: Texts) -> None:
        super().__init__(window)
        self._window, self._ask, self._texts = window, ask, texts
        self._waits = False
        self.question: EndDialog | None = None
        self.patience = QTimer(self)
        self.patience.setSingleShot(True)
        self.patience.setInterval(PATIENCE_MS)
        self.patience.timeout.connect(self._leave_unasked)

    def begin(self, *, in_tray: bool, surprises: bool = False) -> None:
        """The user wants Sori to end.

        Args:
            in_tray: whether a tray icon can show the window again.
            surprises: whether the user has only closed the window and may not know that this ends Sori.
        """
        if self.question is not None:
            self.question.raise_()
            self.question.activateWindow()
        elif not self._waits:
            self._waits = True
            self.patience.start()
            self._ask(ListWhatEnds(), partial(self._decide, in_tray, surprises), self._refused)

    def _refused(self, _: Refusal) -> None:
        self._leave_unasked()

    def _leave_unasked(self) -> None:
        if self._waits:
            self._waits = False
            self.patience.stop()
            self.leave.emit()

    def _decide(self, in_tray: bool, surprises: bool, ends: WhatEnds) -> None:
        if not (ends.rings or ends.followers or surprises):
            self._leave_unasked()
        elif self._waits:
            self._waits = False
            self.patience.stop()
            self.question = EndDialog(self._texts, ends, self._window, in_tray=in_tray, surprises=surprises)
            self.question.end.clicked.connect(self.leave)
            self.question.stay.clicked.connect(self.stay)
            self.question.finished.connect(self._answered)
            self.question.open()

    def _answered(self, _: int) -> None:
        if self.question is not None:
            self.question.deleteLater()
            self.question = None


class EndDialog(QDialog):
    """Says what the end of Sori would cost, and offers to go on without the window.

    Args:
        texts: the user's texts.
        ends: what would be lost.
        parent: the window.
        in_tray: whether a tray icon can show the window again.
        surprises: whether it is told that closing the window ends Sori.
    """

    def __init__(
        self, texts: Texts, ends: WhatEnds, parent: QWidget, *, in_tray: bool, surprises: bool = False
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(texts("desktop.ending.title"))
        title = paragraph(texts("desktop.ending.title"))
        title.setObjectName("title")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(_MARGIN_PX, _MARGIN_PX, _MARGIN_PX, _MARGIN_PX - 4)
        layout.setSpacing(10)
        layout.addWidget(title)
        no_tray = [texts("desktop.ending.no_tray")] if surprises else []
        self.words = "\n\n".join((*no_tray, *_losses(texts, ends)))
        layout.addWidget(paragraph(self.words))
        hint = paragraph(texts("desktop.ending.back_tray" if in_tray else "desktop.ending.back_again"))
        hint.setObjectName("hint")
        layout.addWidget(hint)
        self.stay = QPushButton(texts("desktop.ending.stay"))
        self.stay.setProperty("filled", True)
        self.stay.setDefault(True)
        self.end = QPushButton(texts("desktop.ending.end"))
        self.back = QPushButton(texts("desktop.ending.back"))
        foot = FlowLayout(8, from_right=True)
        for button in (self.back, self.end, self.stay):
            button.setAutoDefault(button is self.stay)
            button.clicked.connect(self.accept)
            foot.addWidget(button)
        layout.addStretch(1)
        layout.addLayout(foot)
        self.setMinimumWidth(_WIDTH_PX)
        self.setMinimumHeight(layout.totalHeightForWidth(_WIDTH_PX))
        self.setAccessibleDescription(self.words)


def _losses(texts: Texts, ends: WhatEnds) -> list[str]:
    """What would be lost, a paragraph for each kind."""
    losses: list[str] = []
    if ends.rings:
        shown = [f"· {visible(each, one_line=True)}" for each in ends.rings[:_MOST_SHOWN]]
        if more := len(ends.rings) - len(shown):
            shown.append(f"· {texts('desktop.ending.more', count=more)}")
        losses.append("\n".join((texts("desktop.ending.rings"), *shown)))
    if ends.followers:
        kinds = Counter(each if each in _KINDS else "other" for each in ends.followers)
        named = ", ".join(texts(f"desktop.ending.follower.{kind}", count=count) for kind, count in kinds.items())
        losses.append(texts("desktop.ending.followers", followers=named))
    return losses


_KINDS = frozenset({"terminal", "http"})
