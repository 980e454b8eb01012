"""Notes inside an answer: a fallback to another model, omitted content, a wait."""

import math

from PySide6.QtCore import QDeadlineTimer, Qt, QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout

from assistant.core.display.remedies import for_window
from assistant.core.texts import Texts
from assistant.desktop.kit.answer_blocks import TintedIcon
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.plain import PlainLabel
from assistant.desktop.kit.theme import Theme

LASTING: dict[str, str] = {
    "fallback": "info",
    "context_compressed": "info",
    "memory_compressed": "info",
    "context_trimmed": "warning",
    "attachment_left_out": "warning",
    "files_shortened": "warning",
    "cut_at_length": "warning",
    "cut_repeating": "warning",
}
"""Statuses that stay with the answer, and their severity."""
_TICK_MS = 200


class StatusNote(QFrame):
    """One line of text that stays with the answer.

    Args:
        icons: source of the icons.
        theme: colours.
        words: for the user.
        severity: ``info`` or ``warning``.
    """

    def __init__(self, icons: Icons, theme: Theme, words: str, severity: str) -> None:
        super().__init__()
        self.setObjectName("statusNote")
        self.setProperty("severity", severity)
        color = "warning" if severity == "warning" else "dim"
        self._label = PlainLabel()
        self._label.setWordWrap(True)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        line = QHBoxLayout(self)
        line.setContentsMargins(10, 6, 12, 6)
        line.setSpacing(8)
        line.addWidget(TintedIcon(icons, theme, severity if severity != "wait" else "retry", color), 0)
        line.addWidget(self._label, 1)
        self.say(words)

    def say(self, words: str) -> None:
        """Change the text."""
        words = for_window(words).words
        self._label.setText(words)
        self.setAccessibleName(words)


class RetryNote(StatusNote):
    """Shows why the model will be asked again, and counts down the seconds.

    Args:
        texts: the user's texts.
        icons: source of the icons.
        theme: colours.
        lasting: whether the reason stays visible afterwards.
    """

    def __init__(self, texts: Texts, icons: Icons, theme: Theme, *, lasting: bool = False) -> None:
        super().__init__(icons, theme, "", "wait")
        self._lasting = lasting
        self._texts = texts
        self._reason = ""
        self._until = QDeadlineTimer()
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._tick)

    @property
    def counting(self) -> bool:
        """Whether the countdown runs."""
        return self._timer.isActive()

    def wait(self, reason: str, wait_s: float) -> None:
        """Count down ``wait_s`` seconds beside ``reason``."""
        self._reason = reason
        self._until = QDeadlineTimer(round(wait_s * 1000))
        self._timer.start()
        self._tick()

    def end(self) -> None:
        """End the countdown, whatever its outcome."""
        self._timer.stop()
        if self._lasting:
            self.say(self._reason)
        else:
            self.hide()

    def _tick(self) -> None:
        left = math.ceil(self._until.remainingTime() / 1000)
        if left <= 0:
            self._timer.stop()
            self.say(self._texts("desktop.status.retry_now", reason=self._reason))
        else:
            self.say(self._texts("desktop.status.retry_in", reason=self._reason, seconds=left))
