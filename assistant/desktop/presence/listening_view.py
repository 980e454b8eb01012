"""The listening view: the voice is large, and captions run beneath it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QVBoxLayout, QWidget
from typing_extensions import override

from assistant.core.machine.states import InteractionState, Snapshot
from assistant.core.texts import Texts
from assistant.desktop.kit.elided_label import ElidedLabel
from assistant.desktop.kit.message_text import MessageText
from assistant.desktop.kit.theme import Theme
from assistant.desktop.presence.mood import mood_of
from assistant.desktop.presence.voice_presence import VoicePresence

_LARGEST_PX, _SMALLEST_PX = 220, 72
_PRESENCE_SHARE = 0.36
"""Share of the view's height for the voice."""
_COLUMN_PX = 720
_MARGIN_PX = 20
_CAPTION_SCALE = 1.5
CAPTION_CHARS = 160
"""Longest caption. Of a longer one the end is shown."""


class ListeningView(QWidget):
    """Shows the voice, its state in a word, and a caption: what is heard, then the sentence that is being said.

    Args:
        texts: the user's texts.
        theme: colours.
    """

    left = Signal()
    """The user would rather see the conversation."""

    def __init__(self, texts: Texts, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._heard, self._stable = "", 0
        self.setObjectName("listening")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.presence = VoicePresence(theme, _LARGEST_PX)
        self.word = ElidedLabel()
        self.word.setObjectName("intro")
        self.word.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.caption = MessageText(texts("desktop.listening.caption"))
        self.caption.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        font = self.caption.font()
        font.setPointSizeF(font.pointSizeF() * _CAPTION_SCALE)
        self.caption.setFont(font)
        option = self.caption.document().defaultTextOption()
        option.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.caption.document().setDefaultTextOption(option)
        self._leave = QPushButton(texts("desktop.listening.leave"))
        self._leave.setProperty("flat", True)
        self._leave.setCursor(Qt.CursorShape.PointingHandCursor)
        self._leave.clicked.connect(self.left)
        self._lay_out()
        theme.changed.connect(self._draw_heard)

    def _lay_out(self) -> None:
        centred = Qt.AlignmentFlag.AlignHCenter
        captions = QWidget()  # Its height stays, so that nothing moves when a caption has another line.
        captions.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        inside = QVBoxLayout(captions)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.addWidget(self.caption, 0, centred)
        inside.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(_MARGIN_PX, 12, _MARGIN_PX, 8)
        layout.setSpacing(10)
        layout.addStretch(1)
        layout.addWidget(self.presence, 0, centred)
        layout.addWidget(self.word)
        layout.addSpacing(6)
        layout.addWidget(captions, 2)
        layout.addWidget(self._leave, 0, centred)

    def enter(self, snapshot: Snapshot) -> None:
        """Show a state. What was heard stays while it is thought about, and goes when Sori listens again."""
        if snapshot.interaction is InteractionState.LISTENING and self.presence.mood is not mood_of(snapshot):
            self._say("")
        self.presence.show_mood(mood_of(snapshot))

    def tell(self, word: str, detail: str) -> None:
        """Show the word for the state, and what is waited for."""
        self.word.setText(" · ".join(filter(None, (word, detail))))

    def hear(self, text: str, stable: int) -> None:
        """Show what is being said to Sori; the characters after the first ``stable`` ones may still change."""
        tail = _tail(text)
        self._heard, self._stable = tail, max(stable - (len(text) - len(tail)), 0)
        self._draw_heard()

    def say(self, sentence: str) -> None:
        """Show the sentence that Sori is saying."""
        self._say(" ".join(sentence.split()))

    def show_level(self, level_db: float) -> None:
        """Show the microphone's level in dBFS."""
        self.presence.show_level(level_db)

    def _say(self, text: str) -> None:
        self._heard, self._stable = "", 0
        self.caption.show_text(_tail(text))

    def _draw_heard(self) -> None:
        if self._heard:
            self.caption.show_live(self._heard, self._stable, self._theme.colors.dim)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the voice its share of the height."""
        super().resizeEvent(event)
        edge = round(min(max(self.height() * _PRESENCE_SHARE, _SMALLEST_PX), _LARGEST_PX))
        self.presence.setFixedSize(edge, edge)
        self.caption.fit(min(self.width() - 2 * _MARGIN_PX, _COLUMN_PX))


def _tail(text: str) -> str:
    """The end of a long text, from the beginning of a word."""
    if len(text) <= CAPTION_CHARS:
        return text
    end = text[-CAPTION_CHARS:]
    return f"… {end.partition(' ')[2] or end}"
