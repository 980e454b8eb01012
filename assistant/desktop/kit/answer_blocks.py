"""Parts of an answer other than its text: tool calls, reasoning, and the waiting dots."""

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QColor, QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget
from typing_extensions import override

from assistant.core.display.calls import brief_call, done_words, tool_title
from assistant.core.display.escaping import shortened_text, visible, visible_arguments
from assistant.core.texts import Texts
from assistant.desktop.kit.elided_label import ElidedLabel
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.message_text import MessageText
from assistant.desktop.kit.plain import PlainLabel
from assistant.desktop.kit.theme import Theme

_STEP_MS = 220
_ICON_PX = 16
_MOST_RESULT = 4_000
"""Characters of a result that are shown."""


class TintedIcon(PlainLabel):
    """An icon in a colour of the theme.

    Args:
        color: name of the colour in ``theme.Colors``.
    """

    def __init__(self, icons: Icons, theme: Theme, name: str, color: str, size: int = _ICON_PX) -> None:
        super().__init__()
        self._icons, self._theme, self._name, self._color, self._size = icons, theme, name, color, size
        self.setFixedSize(size, size)
        theme.changed.connect(self._tint)
        self._tint()

    def draw(self, name: str, color: str) -> None:
        """Show another icon."""
        self._name, self._color = name, color
        self._tint()

    def _tint(self) -> None:
        color = str(getattr(self._theme.colors, self._color))
        self.setPixmap(
            self._icons.icon(self._name, color, self._size).pixmap(
                QSize(self._size, self._size), self.devicePixelRatioF()
            )
        )


class ThinkingDots(QWidget):
    """Three dots that show that more is coming. They do not move while they are hidden."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self._theme = theme
        self._step = 0
        self._timer = QTimer(self)
        self._timer.setInterval(_STEP_MS)
        self._timer.timeout.connect(self._advance)
        self.setFixedSize(44, 24)
        self.setAccessibleName(name)

    @property
    def moving(self) -> bool:
        """Whether the animation runs."""
        return self._timer.isActive()

    def _advance(self) -> None:
        self._step = (self._step + 1) % 4
        self.update()

    @override
    def showEvent(self, event: QShowEvent) -> None:
        """Start the animation."""
        if self._theme.moves:
            self._timer.start()
        super().showEvent(event)

    @override
    def hideEvent(self, event: QHideEvent) -> None:
        """Stop the animation."""
        self._timer.stop()
        super().hideEvent(event)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw three dots, one of them highlighted."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for index in range(3):
            color = QColor(self._theme.colors.dim)
            color.setAlphaF(1.0 if index == self._step else 0.35)
            painter.setBrush(color)
            painter.drawEllipse(3 + index * 13, 9, 7, 7)
        painter.end()


class ToolLine(QFrame):
    """One tool call in the user's language: what is done, with what. The exact call and its result are folded.

    A result is written for the model, mostly in English, so it is no part of the line.
    """

    def __init__(self, texts: Texts, icons: Icons, theme: Theme, name: str, arguments: dict[str, object]) -> None:
        super().__init__()
        self._texts, self._tool, self._arguments = texts, name, arguments
        self._running = True
        self.setObjectName("tool")
        self._icon = TintedIcon(icons, theme, "tool", "dim")
        self._name = PlainLabel(tool_title(texts, name))
        self._name.setObjectName("toolName")
        self._detail = ElidedLabel()
        self.details = QPushButton(texts("desktop.ask.details"))
        self.details.setProperty("flat", True)
        self.details.setCheckable(True)
        self.exact = PlainLabel()
        self.exact.setObjectName("code")
        self.exact.setWordWrap(True)
        self.exact.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.exact.hide()
        self.details.toggled.connect(self._unfold)
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(self._icon)
        line.addWidget(self._name)
        line.addWidget(self._detail, 1)
        line.addWidget(self.details)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 6, 12, 6)
        layout.setSpacing(6)
        layout.addLayout(line)
        layout.addWidget(self.exact)
        self._result = ""
        self._say(texts("desktop.tool.running"))

    def finish(self, result: str, *, failed: bool) -> None:
        """Show that the call has ended; its result is folded."""
        self._running, self._result = False, result
        self._icon.draw("error" if failed else "check", "error" if failed else "accent")
        if not failed:
            self._name.setText(done_words(self._texts, self._tool))
        self._say(self._texts("desktop.tool.failed" if failed else "desktop.tool.done"), failed=failed)
        self._unfold(self.details.isChecked())

    def give_up(self) -> None:
        """Show that the turn has ended without a result of this tool."""
        if self._running:
            self._running = False
            self._icon.draw("stop", "dim")
            self._say(self._texts("desktop.mark.cancelled"))

    def _say(self, state: str, *, failed: bool = False) -> None:
        brief = brief_call(self._texts, self._tool, self._arguments)
        self._detail.setText(" · ".join(filter(None, (state if failed else "", brief))) or state)
        self.setAccessibleName(f"{self._name.text()}, {state}: {brief}")
        self.details.setAccessibleName(f"{self.details.text()}: {self._name.text()}")

    def _unfold(self, shown: bool) -> None:
        if shown:
            call = f"{visible(self._tool, one_line=True)} {visible_arguments(self._arguments, one_line=True)}"
            self.exact.setText("\n\n".join(filter(None, (call, visible(shortened_text(self._result, _MOST_RESULT))))))
        self.exact.setVisible(shown)


class ReasoningBlock(QFrame):
    """The model's reasoning, folded by default."""

    def __init__(self, texts: Texts, icons: Icons, theme: Theme) -> None:
        super().__init__()
        self._texts = texts
        self._switch = QPushButton(texts("desktop.conversation.show_reasoning"))
        self._switch.setProperty("flat", True)
        self._switch.setCheckable(True)
        self._icons, self._theme = icons, theme
        theme.changed.connect(self._tint)
        self._tint()
        self._switch.setCursor(Qt.CursorShape.PointingHandCursor)
        self._fold = QFrame()
        self._fold.setObjectName("reasoning")
        self._words = MessageText(texts("desktop.conversation.reasoning"))
        inside = QVBoxLayout(self._fold)
        inside.setContentsMargins(12, 0, 0, 0)
        inside.addWidget(self._words)
        self._fold.hide()
        self._switch.toggled.connect(self._unfold)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self._switch, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(self._fold)

    def _tint(self) -> None:
        self._switch.setIcon(self._icons.icon("thought", self._theme.colors.accent, _ICON_PX))

    def _unfold(self, shown: bool) -> None:
        self._fold.setVisible(shown)
        key = "desktop.conversation.hide_reasoning" if shown else "desktop.conversation.show_reasoning"
        self._switch.setText(self._texts(key))

    def grow(self, text: str) -> None:
        """Append ``text``."""
        self._words.grow(text)

    def fit(self, width: int) -> None:
        """Take ``width`` pixels."""
        self._words.fit(width - 16)
