"""The timers above the conversation, each with a countdown and a button to cancel or stop it."""

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QWidget

from assistant.core.texts import Texts
from assistant.core.updates import TimersChanged, TimerShown
from assistant.desktop.kit.answer_blocks import TintedIcon
from assistant.desktop.kit.buttons import IconButton
from assistant.desktop.kit.countdown import figures, left_s, present
from assistant.desktop.kit.elided_label import ElidedLabel
from assistant.desktop.kit.flow_layout import FlowLayout
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.plain import PlainLabel, tip
from assistant.desktop.kit.theme import Theme

_TICK_MS = 250
"""Milliseconds between updates: short enough that no second appears to be skipped."""
_TITLE_CHARS = 28


class TimerChip(QFrame):
    """One timer.

    Args:
        texts: the user's texts.
        icons: source of the icons.
        theme: colours.
        timer: the timer.
    """

    cancel_wanted = Signal()
    """The user wants to cancel or stop the timer."""
    snooze_wanted = Signal()
    """The user wants it to ring again in a while."""

    def __init__(self, texts: Texts, icons: Icons, theme: Theme, timer: TimerShown) -> None:
        super().__init__()
        self._texts = texts
        self.timer = timer
        self.setObjectName("timer")
        self.setProperty("ringing", timer.ringing)
        self.words = ElidedLabel(timer.title, most_chars=_TITLE_CHARS)
        self.words.setObjectName("timerTitle")
        self.left = PlainLabel()
        self.left.setObjectName("timerLeft")
        self.button = self._button(icons, theme)
        self.button.clicked.connect(self.cancel_wanted)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 3, 4, 3)
        layout.setSpacing(7)
        layout.addWidget(TintedIcon(icons, theme, "timer", "warning" if timer.ringing else "accent", 18))
        layout.addWidget(self.words)
        layout.addWidget(self.left)
        if timer.ringing:
            snooze = self.snooze = QPushButton(texts("desktop.timer.snooze"))
            snooze.setObjectName("stopRinging")
            snooze.setAccessibleName(texts("desktop.timer.snooze_name", timer=timer.title))
            snooze.clicked.connect(self.snooze_wanted)
            layout.addWidget(snooze)
        layout.addWidget(self.button)

    def _button(self, icons: Icons, theme: Theme) -> QPushButton | IconButton:
        title = self.timer.title
        if self.timer.ringing:
            button = QPushButton(self._texts("desktop.timer.stop"))
            button.setObjectName("stopRinging")
            button.setAccessibleName(self._texts("desktop.timer.stop_name", timer=title))
            button.setToolTip(tip(self._texts("desktop.timer.stop_hint")))
            return button
        return IconButton(icons, theme, "close", self._texts("desktop.timer.cancel", timer=title), size=14)

    def show_left(self, seconds: int) -> None:
        """Show the remaining time in seconds."""
        shown = self._texts("desktop.timer.over") if self.timer.ringing else figures(seconds)
        if shown != self.left.text():
            self.left.setText(shown)
            self.setAccessibleName(f"{self.timer.title}, {shown}")


class TimerBar(QWidget):
    """Shows running and ringing timers; hidden if there are none.

    Args:
        texts: the user's texts.
        icons: source of the icons.
        theme: colours.
        now: returns the current time, with a time zone.
    """

    cancel_wanted = Signal(str)
    """The user wants to cancel or stop the timer of this id."""
    snooze_wanted = Signal()
    """The user wants what rings to ring again in a while."""
    rang = Signal(str)
    """A timer has begun to ring; holds the words that tell so."""

    def __init__(self, texts: Texts, icons: Icons, theme: Theme, now: Callable[[], datetime] = present) -> None:
        super().__init__()
        self._texts, self._icons, self._theme, self._now = texts, icons, theme, now
        self._chips: list[TimerChip] = []
        self.setAccessibleName(texts("desktop.timer.bar"))
        self._flow = FlowLayout(6)
        self._flow.setContentsMargins(12, 8, 12, 0)
        self.setLayout(self._flow)
        self._tick = QTimer(self)
        self._tick.setInterval(_TICK_MS)
        self._tick.timeout.connect(self._count_down)
        self.hide()

    @property
    def chips(self) -> tuple[TimerChip, ...]:
        """The shown timers, in the order in which they ring."""
        return tuple(self._chips)

    @property
    def ringing(self) -> bool:
        """Whether a timer rings."""
        return any(chip.timer.ringing for chip in self._chips)

    def show_timers(self, changed: TimersChanged) -> None:
        """Show these timers."""
        rang_before = {chip.timer.id for chip in self._chips if chip.timer.ringing}
        for chip in self._chips:
            self._flow.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self._chips = [self._chip(timer) for timer in changed.timers]
        self.setVisible(bool(self._chips))
        self._count_down()
        if self._chips:
            self._tick.start()
        else:
            self._tick.stop()
        for timer in changed.timers:
            if timer.ringing and timer.id not in rang_before:
                told = timer.title if timer.alarm else self._texts("desktop.timer.rang", timer=timer.title)
                self.rang.emit(told)

    def _chip(self, timer: TimerShown) -> TimerChip:
        chip = TimerChip(self._texts, self._icons, self._theme, timer)
        chip.cancel_wanted.connect(lambda: self.cancel_wanted.emit(timer.id))
        chip.snooze_wanted.connect(self.snooze_wanted)
        self._flow.addWidget(chip)
        chip.show()
        return chip

    def _count_down(self) -> None:
        now = self._now()
        for chip in self._chips:
            chip.show_left(left_s(chip.timer.due_at, now))
