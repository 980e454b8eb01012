"""A card with a question of the running turn: the exact call, two answers, and the remaining time."""

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget
from typing_extensions import override

from assistant.core.display.escaping import visible_arguments
from assistant.core.packets import ANSWER_NO, ANSWER_YES, Ask
from assistant.core.texts import Texts
from assistant.desktop.kit.answer_blocks import TintedIcon
from assistant.desktop.kit.buttons import repolish
from assistant.desktop.kit.countdown import left_s, present
from assistant.desktop.kit.flow_layout import FlowLayout
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.desktop.kit.words import tool_name

YES_KEYS = "Ctrl+Shift+Y"
NO_KEYS = "Ctrl+Shift+D"
_LOOK_MS = 250


class AskCard(QFrame):
    """Asks whether a tool may run. Without an answer it does not run.

    Args:
        texts: the user's texts.
        icons: source of the icons.
        theme: colours.
        ask: the question.
        now: returns the current time, with a time zone.
    """

    chosen = Signal(str, str)
    """The user has answered: the question's id and the choice."""

    def __init__(
        self, texts: Texts, icons: Icons, theme: Theme, ask: Ask, now: Callable[[], datetime] = present
    ) -> None:
        super().__init__()
        self._texts, self._ask, self._now = texts, ask, now
        self._open = True
        self.setObjectName("ask")
        self._title = QLabel(texts("desktop.ask.title", tool=tool_name(texts, ask.tool)))
        self._title.setObjectName("title")
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        self._title.setWordWrap(True)
        self._exact = QLabel(exactly(ask))
        self._exact.setObjectName("code")
        self._exact.setTextFormat(Qt.TextFormat.PlainText)
        self._exact.setWordWrap(True)
        self._exact.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._state = QLabel()
        self._state.setObjectName("hint")
        self._state.setWordWrap(True)
        self.yes = _DeliberateButton(texts("desktop.ask.yes", keys=YES_KEYS), YES_KEYS)
        self.no = _DeliberateButton(texts("desktop.ask.no", keys=NO_KEYS), NO_KEYS)
        self.yes.clicked.connect(lambda: self._choose(ANSWER_YES))
        self.no.clicked.connect(lambda: self._choose(ANSWER_NO))
        self._lay_out(icons, theme)
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self._count_down)
        self._timer.start()
        self._count_down()
        self.setAccessibleName(ask.text)

    def _lay_out(self, icons: Icons, theme: Theme) -> None:
        head = QHBoxLayout()
        head.setSpacing(9)
        head.addWidget(TintedIcon(icons, theme, "tool", "accent", 18), 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self._title, 1)
        self._ways = QWidget()
        ways = FlowLayout(8)
        self._ways.setLayout(ways)
        # The safe answer comes first, also in the Tab order.
        ways.addWidget(self.no)
        ways.addWidget(self.yes)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(13, 11, 13, 11)
        layout.setSpacing(8)
        layout.addLayout(head)
        layout.addWidget(self._exact)
        layout.addWidget(self._ways)
        layout.addWidget(self._state)

    @property
    def question(self) -> str:
        """The question's id."""
        return self._ask.question

    @property
    def state(self) -> str:
        """The remaining time or the outcome, in words."""
        return self._state.text()

    @property
    def counting(self) -> bool:
        """Whether the countdown is running."""
        return self._timer.isActive()

    def settle(self, outcome: str) -> None:
        """Show the outcome of the question and hide the buttons."""
        if not self._open:
            return
        self._open = False
        self._timer.stop()
        self._ways.hide()
        self.setProperty("over", True)
        repolish(self)
        self._state.setText(self._texts(f"desktop.ask.outcome.{outcome if outcome in _OUTCOMES else ANSWER_NO}"))
        self.setAccessibleName(f"{self._title.text()} {self._state.text()}")

    def _choose(self, choice: str) -> None:
        """Emit the first choice only. A later update shows the outcome."""
        if self._ways.isEnabled():
            self._ways.setEnabled(False)
            self.chosen.emit(self._ask.question, choice)

    def _count_down(self) -> None:
        left = left_s(self._ask.deadline, self._now())
        self._state.setText(self._texts("desktop.ask.left", seconds=left))
        if left == 0:
            # The engine will report the end. Until then the call can no longer be approved.
            self._ways.setEnabled(False)


_OUTCOMES = frozenset({"yes", "no", "late", "cancelled"})


class _DeliberateButton(QPushButton):
    """A button that ignores Enter, so that a user who finishes a line as the question appears does not answer it."""

    def __init__(self, words: str, keys: str) -> None:
        super().__init__(words)
        self.setShortcut(keys)
        self.setAutoDefault(False)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ignore Enter; Space presses the button."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            event.accept()
        else:
            super().keyPressEvent(event)

    @override
    def event(self, event: QEvent) -> bool:
        """Ignore repeats of a held key."""
        if isinstance(event, QKeyEvent) and event.isAutoRepeat():
            return True
        return super().event(event)


def exactly(ask: Ask) -> str:
    """The tool's name and its arguments as JSON; invisible characters are escaped."""
    return f"{ask.tool}\n{visible_arguments(ask.arguments)}"
