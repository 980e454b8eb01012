"""What floats beside the window: the quick window and the overlay, made when they are first needed."""

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from assistant.core.machine.states import InteractionState, Snapshot
from assistant.core.texts import Texts
from assistant.core.updates import ConversationUpdate
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.desktop.quick.voice_overlay import VoiceOverlay

if TYPE_CHECKING:
    from assistant.desktop.quick.quick_window import QuickWindow


class BesideWindow(QObject):
    """Hands to both what they show. The start of the window does not wait for them.

    Args:
        texts: the user's words.
        icons: source of the icons.
        theme: colours.
    """

    submitted = Signal(str)
    voice_wanted = Signal()
    open_wanted = Signal()
    stop_wanted = Signal()

    def __init__(self, texts: Texts, icons: Icons, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._texts, self._icons, self._theme = texts, icons, theme
        self._snapshot, self._window_seen = Snapshot(), True

    @cached_property
    def quick(self) -> "QuickWindow":
        """The quick window."""
        from assistant.desktop.quick.quick_window import QuickWindow

        quick = QuickWindow(self._texts, self._icons, self._theme)
        quick.submitted.connect(self.submitted)
        quick.voice_wanted.connect(self.voice_wanted)
        quick.open_wanted.connect(self.open_wanted)
        quick.shown.connect(self._stand_back)
        quick.enter(self._snapshot)
        return quick

    @cached_property
    def overlay(self) -> VoiceOverlay:
        """The overlay of a called Sori."""
        overlay = VoiceOverlay(self._texts, self._icons, self._theme)
        overlay.stop_wanted.connect(self.stop_wanted)
        overlay.open_wanted.connect(self.open_wanted)
        overlay.stand_back(back=(quick := self._quick) is not None and quick.isVisible())
        overlay.see_window(seen=self._window_seen)
        overlay.enter(self._snapshot)
        return overlay

    @property
    def _quick(self) -> "QuickWindow | None":
        return self.__dict__.get("quick")

    @property
    def _overlay(self) -> VoiceOverlay | None:
        """The overlay, if it was ever needed."""
        active = self._snapshot.interaction is not InteractionState.IDLE
        return self.overlay if active and not self._window_seen else self.__dict__.get("overlay")

    def enter(self, snapshot: Snapshot) -> None:
        """Show a state."""
        self._snapshot = snapshot
        for each in (self._quick, self._overlay):
            if each is not None:
                each.enter(snapshot)

    def see_window(self, *, seen: bool) -> None:
        """The window is shown, or closed or minimised."""
        self._window_seen = seen
        if (overlay := self._overlay) is not None:
            overlay.see_window(seen=seen)

    def hear(self, text: str) -> None:
        """Show what is heard."""
        if (overlay := self._overlay) is not None:
            overlay.hear(text)

    def say(self, sentence: str) -> None:
        """Show the sentence that Sori is saying."""
        if (overlay := self._overlay) is not None:
            overlay.say(sentence)

    def show_level(self, level_db: float) -> None:
        """Show the microphone's level in dBFS."""
        for each in (self._quick, self._overlay):
            if each is not None:
                each.show_level(level_db)

    def show_update(self, update: ConversationUpdate) -> None:
        """Show what goes on in the open conversation."""
        if (quick := self._quick) is not None:
            quick.show_update(update)

    def close(self) -> None:
        """Close both."""
        for each in (self._quick, self.__dict__.get("overlay")):
            if each is not None:
                each.close()

    def _stand_back(self, shown: bool) -> None:
        if (overlay := self._overlay) is not None:
            overlay.stand_back(back=shown)
