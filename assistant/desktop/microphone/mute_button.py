"""The switch of the microphone. It shows the microphone's state in a drawing, a colour and words."""

from PySide6.QtCore import Qt, Signal

from assistant.core.texts import Texts
from assistant.desktop.kit.buttons import IconButton, repolish
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme


class MuteButton(IconButton):
    """Shows whether the microphone is on, and turns it off and on.

    Args:
        texts: the user's texts.
        icons: source of the icons.
        theme: colours.
        keys: its shortcut, as shown to the user.
    """

    mute_wanted = Signal(bool)

    def __init__(self, texts: Texts, icons: Icons, theme: Theme, keys: str) -> None:
        super().__init__(icons, theme, "microphone", "", size=16)
        self._texts, self._keys = texts, keys
        self._muted = False
        self._reason = ""
        self._opened = False
        self.setObjectName("mute")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.clicked.connect(lambda: self.mute_wanted.emit(not self._muted))
        self._refresh()

    def show_microphone(self, *, muted: bool, reason: str, opened: bool = True) -> None:
        """Show the state of the microphone.

        Args:
            muted: whether the user has turned it off.
            reason: why it is unusable, for the user; empty if it is usable.
            opened: whether it is open. It is not while the models of the voice are loaded or fetched.
        """
        self._muted, self._reason, self._opened = muted, reason, opened
        self._refresh()

    def _refresh(self) -> None:
        off = self._muted or bool(self._reason)
        if self._muted:
            self.setText(self._texts("desktop.microphone.off"))
        else:
            state = "none" if self._reason else "on" if self._opened else "preparing"
            self.setText(self._texts(f"desktop.microphone.{state}"))
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
