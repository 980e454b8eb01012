"""Shortcuts that work while another program has the keyboard, where the desktop allows them (V-21)."""

import threading
from contextlib import suppress

from PySide6.QtCore import QObject, Signal

from assistant.core.texts import Texts
from assistant.desktop.chrome.notifications import session_bus
from assistant.desktop.keyboard.shortcut_portal import PortalError, follow

TOGGLE, TALK = "toggle", "talk"
_TOGGLE_KEYS, _TALK_KEYS = "CTRL+ALT+t", "CTRL+ALT+space"


class GlobalKeys(QObject):
    """Emits ``toggled`` and ``held``, or ``failed`` with words that name another way.

    Args:
        texts: the user's texts; the desktop shows the descriptions of the shortcuts.
        bus: address of the session bus; empty on a system without one.
    """

    toggled = Signal()
    held = Signal(bool)
    failed = Signal(str)

    def __init__(self, texts: Texts, bus: str | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._texts = texts
        self._bus = session_bus() if bus is None else bus

    def start(self) -> None:
        """Ask the desktop for the shortcuts; returns at once."""
        if self._bus:
            threading.Thread(target=self._follow, name="global shortcuts", daemon=True).start()
        else:
            self.failed.emit(self._texts("desktop.shortcut.unavailable"))

    def _follow(self) -> None:
        shortcuts = {
            TOGGLE: (self._texts("desktop.shortcut.toggle"), _TOGGLE_KEYS),
            TALK: (self._texts("desktop.shortcut.talk"), _TALK_KEYS),
        }
        with suppress(RuntimeError):  # the window was deleted meanwhile
            try:
                follow(self._bus, shortcuts, self._changed)
            except PortalError as error:
                key = "desktop.shortcut.refused" if error.refused else "desktop.shortcut.unavailable"
                self.failed.emit(self._texts(key))

    def _changed(self, name: str, down: bool) -> None:
        if name == TALK:
            self.held.emit(down)
        elif name == TOGGLE and down:
            self.toggled.emit()
