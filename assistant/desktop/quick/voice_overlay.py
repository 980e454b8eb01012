"""Shows a called Sori over all programs while its window is closed: what is heard, and what is said (D-01, V-20)."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout
from typing_extensions import override

from assistant.core.display.words import state_word
from assistant.core.machine.states import InteractionState, Snapshot
from assistant.core.texts import Texts
from assistant.desktop.kit.buttons import IconButton
from assistant.desktop.kit.elided_label import ElidedLabel
from assistant.desktop.kit.floating import FloatingPanel
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.plain import tip
from assistant.desktop.kit.theme import Theme
from assistant.desktop.presence.mood import mood_of
from assistant.desktop.presence.voice_presence import VoicePresence

_PRESENCE_PX = 44
_WIDTH = 420


class VoiceOverlay(FloatingPanel):
    """Never takes the keyboard, and is gone when Sori is idle. A click on it opens the window.

    Args:
        texts: the user's words.
        icons: source of the icons.
        theme: colours.
    """

    stop_wanted = Signal()
    open_wanted = Signal()

    def __init__(self, texts: Texts, icons: Icons, theme: Theme) -> None:
        super().__init__()
        self._texts = texts
        self._snapshot = Snapshot()
        self._stands_back = False
        self._window_seen = True
        self.setAccessibleName(texts("desktop.overlay.name"))
        self.setToolTip(tip(texts("desktop.action.show")))
        self.setFixedWidth(_WIDTH)
        self.presence = VoicePresence(theme, _PRESENCE_PX)
        self.word = ElidedLabel()
        self.word.setObjectName("intro")
        self.words = ElidedLabel(mode=Qt.TextElideMode.ElideLeft)
        self.stop = IconButton(icons, theme, "stop", texts("desktop.overlay.stop"))
        self.stop.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.stop.clicked.connect(self.stop_wanted)
        lines = QVBoxLayout()
        lines.setSpacing(2)
        lines.addWidget(self.word)
        lines.addWidget(self.words)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 10, 10, 10)
        row.setSpacing(12)
        row.addWidget(self.presence)
        row.addLayout(lines, 1)
        row.addWidget(self.stop)

    def enter(self, snapshot: Snapshot) -> None:
        """Show a state."""
        former, self._snapshot = self._snapshot.interaction, snapshot
        self.presence.show_mood(mood_of(snapshot))
        self.word.setText(state_word(self._texts, snapshot))
        listens = snapshot.interaction is InteractionState.LISTENING and former is not snapshot.interaction
        if listens or snapshot.interaction is InteractionState.IDLE:
            self.words.setText("")
        self._show_or_hide()

    def hear(self, text: str) -> None:
        """Show what is heard."""
        self.words.setText(text)

    def say(self, sentence: str) -> None:
        """Show the sentence that Sori is saying."""
        self.words.setText(sentence)

    def show_level(self, level_db: float) -> None:
        """Show the microphone's level in dBFS."""
        self.presence.show_level(level_db)

    def see_window(self, *, seen: bool) -> None:
        """The window is shown, or closed or minimised."""
        self._window_seen = seen
        self._show_or_hide()

    def stand_back(self, *, back: bool) -> None:
        """Something else shows the voice, such as the quick window."""
        self._stands_back = back
        self._show_or_hide()

    def _show_or_hide(self) -> None:
        snapshot = self._snapshot
        # An answer that is only written is not called by anybody.
        is_voice = snapshot.interruptible or snapshot.interaction is InteractionState.LISTENING
        if not is_voice or self._window_seen or self._stands_back:
            self.hide()
        elif not self.isVisible():
            self.float()

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Open the window."""
        self.open_wanted.emit()
