"""Notifications on the desktop: through the tray icon, the session bus of a Linux desktop, or the window itself."""

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from enum import Enum, auto
from threading import Thread

from PySide6.QtCore import QObject, Signal

from assistant.desktop.chrome.bus_notification import CLICK, BusError, notify
from assistant.desktop.chrome.tray import Tray
from assistant.desktop.kit.plain import noticed


class NotificationWay(Enum):
    """How the user is notified."""

    TRAY = auto()
    BUS = auto()
    WINDOW = auto()


def way_to_notify(*, tray: bool, bus: bool) -> NotificationWay:
    """The best way that the desktop has.

    Args:
        tray: whether it shows a tray icon. Only this way exists on every system.
        bus: whether it has a session bus, as desktops without a tray do on Linux.
    """
    if tray:
        return NotificationWay.TRAY
    return NotificationWay.BUS if bus else NotificationWay.WINDOW


class Notifications(QObject):
    """Notifies a user who does not look at the window.

    Args:
        tray: the tray icon.
        bus: address of the session bus; by default that of this desktop. Empty for none.
    """

    show_wanted = Signal()
    """The user has clicked on a notification of the session bus. The tray reports a click on its own."""
    unshown = Signal()
    """No notification can be shown, so the window must show itself."""
    chosen = Signal(str)
    """The user has chosen a button of a notification; the name of its action."""

    _unheard = Signal(str, str)

    def __init__(self, tray: Tray, bus: str | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tray = tray
        self._bus = session_bus() if bus is None else bus
        self._unheard.connect(self._tell_otherwise)

    def tell(self, title: str, words: str, actions: Mapping[str, str] | None = None) -> None:
        """Show a notification; a click on it shows the window.

        Args:
            title: the first line.
            words: the text below.
            actions: the words of its buttons by the names of their actions. Only the session bus shows buttons.
        """
        title, words = noticed(title), noticed(words)
        match way_to_notify(tray=self._tray.available and not (actions and self._bus), bus=bool(self._bus)):
            case NotificationWay.TRAY:
                self._tray.tell(title, words)
            case NotificationWay.BUS:
                # The bus may be slow to answer, and a click comes at any time. Neither may delay the end of Sori.
                Thread(
                    target=self._tell_bus, args=(title, words, actions or {}), name="notification", daemon=True
                ).start()
            case NotificationWay.WINDOW:
                self.unshown.emit()

    def _tell_bus(self, title: str, words: str, actions: Mapping[str, str]) -> None:
        with suppress(RuntimeError):  # the window was deleted meanwhile
            try:
                action = notify(self._bus, title, words, actions)
            except BusError:
                self._unheard.emit(title, words)
                return
            if action == CLICK:
                self.show_wanted.emit()
            elif action:
                self.chosen.emit(action)

    def _tell_otherwise(self, title: str, words: str) -> None:
        """The bus shows nothing."""
        if self._tray.available:
            self._tray.tell(title, words)
        else:
            self.unshown.emit()


def session_bus() -> str:
    """Address of the session bus of a Linux desktop; empty without one."""
    return os.environ.get("DBUS_SESSION_BUS_ADDRESS", "") if sys.platform == "linux" else ""
