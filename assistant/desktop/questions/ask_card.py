"""A card with a question of the running turn: what exactly it is about, the answers, and the remaining time."""

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget
from typing_extensions import override

from assistant.core.display.escaping import shortened_arguments, visible, visible_arguments
from assistant.core.display.words import tool_name
from assistant.core.packets import (
    ANSWER_ALWAYS,
    ANSWER_NO,
    ANSWER_NO_TO_ALL,
    ANSWER_SKIP,
    ANSWER_TEXT,
    ANSWER_YES,
    ASK_WORDS,
    CONFIRM_TOOL,
    Ask,
)
from assistant.core.texts import Texts
from assistant.desktop.kit.answer_blocks import TintedIcon
from assistant.desktop.kit.buttons import repolish
from assistant.desktop.kit.countdown import left_s, present
from assistant.desktop.kit.flow_layout import FlowLayout
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.desktop.questions.words_input import WordsInput

YES_KEYS = "Ctrl+Shift+Y"
NO_KEYS = "Ctrl+Shift+D"
_LOOK_MS = 250


class AskCard(QFrame):
    """Asks whether a tool may run, or what a server wants to know. Without an answer nothing is done or told.

    Args:
        texts: the user's texts.
        icons: source of the icons.
        theme: colours.
        ask: the question.
        now: returns the current time, with a time zone.
    """

    chosen = Signal(str, str, str)
    """The user has answered: the question's id, the choice, and the words of the choice ``ANSWER_TEXT``."""
    seen = Signal(str)
    """The card came into the user's view: the question's id. Its time counts from then on."""

    def __init__(
        self, texts: Texts, icons: Icons, theme: Theme, ask: Ask, now: Callable[[], datetime] = present
    ) -> None:
        super().__init__()
        self._texts, self._ask, self._now = texts, ask, now
        self._open, self._answered, self._deadline = True, False, ""
        self._unseen = True
        self.setObjectName("ask")
        self._confirms = ask.kind == CONFIRM_TOOL
        self._part = "ask" if self._confirms else "words"
        title = texts("desktop.ask.title", tool=tool_name(texts, ask.tool)) if self._confirms else visible(ask.text)
        self._title = QLabel(title)
        self._title.setObjectName("title")
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        self._title.setWordWrap(True)
        self._because = QLabel(ask.because)
        self._because.setObjectName("because")
        self._because.setTextFormat(Qt.TextFormat.PlainText)
        self._because.setWordWrap(True)
        self._because.setVisible(bool(ask.because))
        self._exact = QLabel(exactly(ask))
        self._exact.setObjectName("code")
        self._exact.setTextFormat(Qt.TextFormat.PlainText)
        self._exact.setWordWrap(True)
        self._exact.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._state = QLabel()
        self._state.setObjectName("hint")
        self._state.setWordWrap(True)
        self._exact.setVisible(self._confirms or bool(ask.arguments))
        self.words: WordsInput | None = None
        self.yes, self.no, self.skip = self._buttons()
        self.always = _DeliberateButton(texts("desktop.ask.always", scope=_plain(ask.scope)), "")
        self.always.clicked.connect(lambda: self._choose(ANSWER_ALWAYS))
        self.none = _DeliberateButton(texts("desktop.ask.none"), "")
        self.none.clicked.connect(lambda: self._choose(ANSWER_NO_TO_ALL))
        self.whole = _DeliberateButton(texts("desktop.ask.whole"), "")
        self.whole.setVisible(self._confirms and shortened_arguments(ask.arguments) is not ask.arguments)
        self.whole.clicked.connect(self._show_whole)
        if ask.kind == ASK_WORDS:
            self.words = WordsInput(texts, ask.options)
            self.words.given.connect(lambda text: self._choose(ANSWER_TEXT, text))
        self._lay_out(icons, theme)
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self._count_down)
        self._timer.start()
        self._count_down()
        self.setAccessibleName(ask.text)

    def _buttons(self) -> "tuple[_DeliberateButton, _DeliberateButton, _DeliberateButton]":
        texts, words = self._texts, self._ask.kind == ASK_WORDS
        agree = "desktop.ask.yes" if self._confirms else "desktop.words.agree"
        refuse = "desktop.words.decline" if words else "desktop.words.refuse"
        yes = _DeliberateButton(texts(agree, keys=YES_KEYS), "" if words else YES_KEYS)
        no = _DeliberateButton(texts("desktop.ask.no" if self._confirms else refuse, keys=NO_KEYS), NO_KEYS)
        skip = _DeliberateButton(texts("desktop.words.skip"), "")
        yes.clicked.connect(lambda: self._choose(ANSWER_YES))
        no.clicked.connect(lambda: self._choose(ANSWER_NO))
        skip.clicked.connect(lambda: self._choose(ANSWER_SKIP))
        return yes, no, skip

    def _lay_out(self, icons: Icons, theme: Theme) -> None:
        head = QHBoxLayout()
        head.setSpacing(9)
        head.addWidget(TintedIcon(icons, theme, "tool", "accent", 18), 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self._title, 1)
        self._ways = QWidget()
        ways = FlowLayout(8)
        self._ways.setLayout(ways)
        # The safe answer comes first, also in the Tab order.
        offered = {
            ANSWER_NO: self.no,
            ANSWER_NO_TO_ALL: self.none,
            ANSWER_SKIP: self.skip,
            ANSWER_YES: self.yes,
            ANSWER_ALWAYS: self.always,
        }
        for choice, button in offered.items():
            if choice in self._ask.choices:
                ways.addWidget(button)
            else:
                button.setParent(self)
                button.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(13, 11, 13, 11)
        layout.setSpacing(8)
        layout.addLayout(head)
        layout.addWidget(self._because)
        layout.addWidget(self._exact)
        layout.addWidget(self.whole, 0, Qt.AlignmentFlag.AlignLeft)
        if self.words is not None:
            layout.addWidget(self.words)
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
        if self.words is not None:
            self.words.hide()
        self.setProperty("over", True)
        repolish(self)
        known = _OUTCOMES if self._confirms else _OUTCOMES | {ANSWER_TEXT, ANSWER_SKIP}
        self._state.setText(self._texts(f"desktop.{self._part}.outcome.{outcome if outcome in known else ANSWER_NO}"))
        self.setAccessibleName(f"{self._title.text()} {self._state.text()}")

    def _show_whole(self) -> None:
        """Show the arguments whole. The question above and the answers below stay where they are."""
        self._exact.setText(exactly(self._ask, whole=True))
        self.whole.hide()

    def _choose(self, choice: str, text: str = "") -> None:
        """Emit the first choice only. A later update shows the outcome."""
        if self._ways.isEnabled():
            self._answered = True
            self._enable(False)
            self.chosen.emit(self._ask.question, choice, text)

    def _enable(self, enabled: bool) -> None:
        self._ways.setEnabled(enabled)
        if self.words is not None:
            self.words.setEnabled(enabled)

    @property
    def _is_in_view(self) -> bool:
        return self.isVisible() and not self.window().isMinimized() and not self.visibleRegion().isEmpty()

    def count_down_to(self, deadline: str) -> None:
        """The question's time counts: show how much is left until ``deadline``, ISO 8601 with offset."""
        self._deadline = deadline
        self._count_down()

    def _count_down(self) -> None:
        if self._unseen and self._is_in_view:
            self._unseen = False
            self.seen.emit(self._ask.question)
        left = left_s(self._deadline, self._now()) if self._deadline else round(self._ask.within_s)
        self._state.setText(self._texts("desktop.ask.left" if self._confirms else "desktop.words.left", seconds=left))
        # At its end the engine will report the outcome. Until then the call can no longer be approved.
        self._enable(left > 0 and not self._answered)


_OUTCOMES = frozenset({"yes", "no", "late", "cancelled", ANSWER_ALWAYS, ANSWER_NO_TO_ALL})


class _DeliberateButton(QPushButton):
    """A button that ignores Enter, so that a user who finishes a line as the question appears does not answer it."""

    def __init__(self, words: str, keys: str) -> None:
        super().__init__(words)
        if keys:
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


def _plain(text: str) -> str:
    """A text on a button, where an ampersand would underline the next letter."""
    return visible(text, one_line=True).replace("&", "&&")


def exactly(ask: Ask, *, whole: bool = False) -> str:
    """The tool's name and its arguments as JSON, or what else a question is about; invisible characters are escaped.

    Args:
        ask: the question.
        whole: whether long arguments are shown whole.
    """
    if ask.kind != CONFIRM_TOOL:
        return "\n".join(visible(f"{name}: {value}") for name, value in ask.arguments.items())
    arguments = ask.arguments if whole else shortened_arguments(ask.arguments)
    return f"{visible(ask.tool, one_line=True)}\n{visible_arguments(arguments)}"
