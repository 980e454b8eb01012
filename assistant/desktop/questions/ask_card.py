"""A card with a question of the running turn: what it is about and how dangerous, the answers, the remaining time."""

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QCursor, QEnterEvent, QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)
from typing_extensions import override

from assistant.core.display.calls import argument_lines, tool_title
from assistant.core.display.escaping import shortened_arguments, visible, visible_arguments
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
from assistant.core.permissions import Category
from assistant.core.texts import Texts
from assistant.desktop.kit.answer_blocks import TintedIcon
from assistant.desktop.kit.buttons import repolish
from assistant.desktop.kit.countdown import left_s, present
from assistant.desktop.kit.flow_layout import FlowLayout
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.plain import PlainLabel
from assistant.desktop.kit.theme import Theme
from assistant.desktop.questions.words_input import WordsInput

YES_KEYS = "Ctrl+Shift+Y"
NO_KEYS = "Ctrl+Shift+D"
_LOOK_MS = 250
_BAR_PX = 4


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
    held = Signal(str, bool)
    """The mouse or the keyboard is on the card, or no longer: the question's id. Meanwhile its time does not count."""

    def __init__(
        self, texts: Texts, icons: Icons, theme: Theme, ask: Ask, now: Callable[[], datetime] = present
    ) -> None:
        super().__init__()
        self._texts, self._ask, self._now = texts, ask, now
        self._open, self._answered, self._deadline = True, False, ""
        self._unseen = True
        self._entered = self._focused = self._attended = self._timeless = False
        self._resting = QCursor.pos()
        """Where the mouse was when the question came. One that lies there since is nobody's look."""
        self.setObjectName("ask")
        self._confirms = ask.kind == CONFIRM_TOOL
        self._part = "ask" if self._confirms else "words"
        name = tool_title(texts, ask.tool, ask.server)
        title = texts("desktop.ask.title", tool=name) if self._confirms else visible(ask.text)
        self._title = PlainLabel(title)
        self._title.setObjectName("title")
        self._title.setWordWrap(True)
        self._because = PlainLabel(ask.because)
        self._because.setObjectName("because")
        self._because.setWordWrap(True)
        self._because.setVisible(bool(ask.because))
        self.danger = DangerLine(texts, icons, theme, ask) if self._confirms else None
        self.given = ArgumentLines(texts, ask) if self._confirms else None
        self._exact = PlainLabel(exactly(ask))
        self._exact.setObjectName("code")
        self._exact.setWordWrap(True)
        self._exact.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._state = PlainLabel()
        self._state.setObjectName("hint")
        self._state.setWordWrap(True)
        self._exact.setVisible(not self._confirms and bool(ask.arguments))
        self.details = _DeliberateButton(texts("desktop.ask.details"), "")
        self.details.setProperty("flat", True)
        self.details.setCheckable(True)
        self.details.setVisible(self._confirms)
        self.details.toggled.connect(self._exact.setVisible)
        self.bar = QProgressBar()
        self.bar.setObjectName("askTime")
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(texts("desktop.ask.time"))
        self.bar.setRange(0, max(round(ask.within_s), 1))
        self.bar.setFixedHeight(_BAR_PX)
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
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._focus_changed)

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
        if self.danger is not None:
            layout.addWidget(self.danger)
        layout.addWidget(self._because)
        if self.given is not None:
            layout.addWidget(self.given)
        more = QHBoxLayout()
        more.setSpacing(8)
        more.addWidget(self.whole)
        more.addWidget(self.details)
        more.addStretch(1)
        layout.addLayout(more)
        layout.addWidget(self._exact)
        if self.words is not None:
            layout.addWidget(self.words)
        layout.addWidget(self._ways)
        layout.addWidget(self.bar)
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
        self._attend()
        self._ways.hide()
        self.bar.hide()
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
        if self.given is not None:
            self.given.show_whole()
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
        """Show how much time is left until ``deadline``, ISO 8601 with offset; empty while no time counts."""
        self._deadline, self._timeless = deadline, not deadline
        self._count_down()

    @override
    def enterEvent(self, event: QEnterEvent) -> None:
        """The mouse is on the card."""
        super().enterEvent(event)
        self._entered = True
        self._attend()

    @override
    def leaveEvent(self, event: QEvent) -> None:
        """The mouse is no longer on the card."""
        super().leaveEvent(event)
        self._entered = False
        self._attend()

    def _focus_changed(self, _: QWidget | None, now: QWidget | None) -> None:
        self._focused = now is not None and self.isAncestorOf(now)
        self._attend()

    def _attend(self) -> None:
        """Tell when the user begins or ceases to look closely at the card."""
        moved = self._entered and QCursor.pos() != self._resting
        attended = self._open and (moved or self._focused)
        if attended is not self._attended:
            self._attended = attended
            if self._open:
                self.held.emit(self._ask.question, attended)

    def _count_down(self) -> None:
        if self._unseen and self._is_in_view:
            self._unseen = False
            self.seen.emit(self._ask.question)
        self._attend()
        left = left_s(self._deadline, self._now()) if self._deadline else round(self._ask.within_s)
        part = "ask" if self._confirms else "words"
        key = "desktop.ask.held" if self._timeless else f"desktop.{part}.left"
        self._state.setText(self._texts(key, seconds=left))
        self.bar.setValue(left)
        # At its end the engine will report the outcome. Until then the call can no longer be approved.
        self._enable(left > 0 and not self._answered)


_OUTCOMES = frozenset({"yes", "no", "late", "unseen", "cancelled", ANSWER_ALWAYS, ANSWER_NO_TO_ALL})


class DangerLine(QWidget):
    """How much harm a call can do, in words and by a sign of its own shape, and whose tool it is.

    Args:
        texts: the user's texts.
        icons: source of the icons.
        theme: colours.
        ask: the question.
    """

    def __init__(self, texts: Texts, icons: Icons, theme: Theme, ask: Ask) -> None:
        super().__init__()
        category = ask.category if ask.category in set(Category) else Category.RESTRICTED.value
        icon, color = _SIGNS[Category(category)]
        self.words = PlainLabel(texts(f"desktop.ask.danger.{category}"))
        self.words.setWordWrap(True)
        self.words.setObjectName("danger")
        self.words.setProperty("level", category)
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(TintedIcon(icons, theme, icon, color, 16), 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(self.words, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(line)
        self.server = PlainLabel(texts("desktop.ask.server", server=visible(ask.server, one_line=True)))
        self.server.setWordWrap(True)
        self.server.setObjectName("hint")
        self.server.setVisible(bool(ask.server))
        layout.addWidget(self.server)


_SIGNS = {
    Category.SAFE: ("check", "accent"),
    Category.SENSITIVE: ("warning", "warning"),
    Category.RESTRICTED: ("error", "error"),
}


class ArgumentLines(QWidget):
    """What a call does it with, each argument beside its name, as a person reads it. Hidden without any.

    Args:
        texts: the user's texts.
        ask: the question.
    """

    def __init__(self, texts: Texts, ask: Ask) -> None:
        super().__init__()
        self._texts, self._ask = texts, ask
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)
        self.values: list[QLabel] = []
        lines = argument_lines(texts, ask.tool, ask.arguments)
        for row, (label, value) in enumerate(lines):
            name, shown = PlainLabel(label), PlainLabel(value)
            name.setObjectName("hint")
            for each in (name, shown):
                each.setWordWrap(each is shown)
            shown.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            shown.setAccessibleName(f"{label}: {value}")
            self._grid.addWidget(name, row, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(shown, row, 1)
            self.values.append(shown)
        self.setVisible(bool(lines))

    @property
    def text(self) -> str:
        """All that is shown, a line for each argument."""
        names = [label for label, _ in argument_lines(self._texts, self._ask.tool, self._ask.arguments)]
        return "\n".join(f"{name}: {each.text()}" for name, each in zip(names, self.values, strict=True))

    def show_whole(self) -> None:
        """Show long texts whole."""
        whole = argument_lines(self._texts, self._ask.tool, self._ask.arguments, whole=True)
        for label, (_, value) in zip(self.values, whole, strict=True):
            label.setText(value)


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
