"""The switch of the microphone: what it shows is how it stands, in a drawing, a colour and words."""

from PySide6.QtCore import Qt, Signal

from assistant.core.texts import Texts
from assistant.desktop.kit.buttons import IconButton, repolish
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme


class MuteButton(IconButton):
    """Says whether the microphone hears, and turns it off and on.

    Args:
        texts: the user's language.
        icons: where drawings come from.
        theme: colours.
        keys: its shortcut, as written for people.
    """

    mute_wanted = Signal(bool)

    def __init__(self, texts: Texts, icons: Icons, theme: Theme, keys: str) -> None:
        super().__init__(icons, theme, "microphone", "", size=16)
        self._texts, self._keys = texts, keys
        self._muted = False
        self._reason = ""
        self._roomy = True
        self.setObjectName("mute")
        self.clicked.connect(lambda: self.mute_wanted.emit(not self._muted))
        self._refresh()

    def show_microphone(self, *, muted: bool, reason: str) -> None:
        """How it stands with the microphone.

        Args:
            muted: whether the user has turned it off.
            reason: why it cannot be used, for people; empty when it can.
        """
        self._muted, self._reason = muted, reason
        self._refresh()

    def give_room(self, *, roomy: bool) -> None:
        """Whether there is room for words beside the drawing; that it is off is said even where there is little."""
        self._roomy = roomy
        self._refresh()

    def _refresh(self) -> None:
        off = self._muted or bool(self._reason)
        words = ""
        if self._muted:
            words = self._texts("desktop.microphone.off")
        elif not self._reason and self._roomy:
            words = self._texts("desktop.microphone.on")
        self.setText(words)
        beside = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        self.setToolButtonStyle(beside if words else Qt.ToolButtonStyle.ToolButtonIconOnly)
        self.setProperty("muted", self._muted)
        repolish(self)
        self.draw("microphone-off" if off else "microphone", self._color_name)
        if self._reason:
            self.rename(self._texts("desktop.composer.voice_unavailable", reason=self._reason))
        else:
            key = "desktop.composer.unmute" if self._muted else "desktop.composer.mute"
            self.rename(self._texts(key, shortcut=self._keys))

    @property
    def _color_name(self) -> str:
        if self._muted:
            return "error"
        return "dim" if self._reason else "text"
