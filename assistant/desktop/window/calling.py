"""Calls the user to the window: from the tray, by notifications of the desktop, and while a timer rings."""

from collections.abc import Mapping

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from assistant.core.service.requests.agents import ListWorkspaces, SwitchAgent
from assistant.core.service.requests.timers import CancelTimer, DismissTimers, SnoozeTimers
from assistant.core.service.requests.voice import ReadAloud
from assistant.core.texts import Texts
from assistant.desktop.asking import WindowRequests
from assistant.desktop.chrome.notices import announce
from assistant.desktop.chrome.notifications import Notifications
from assistant.desktop.chrome.tray_window import TrayWindow
from assistant.desktop.window_parts import WindowParts


class Calling(QObject):
    """Wires the tray, the desktop's notifications and what rings.

    Args:
        window: the window, which comes when it is wanted.
        parts: its parts.
        ask: sends requests to the engine.
        texts: the user's texts.

    Attributes:
        notifications: shows notifications on the desktop.
    """

    def __init__(self, window: TrayWindow, parts: WindowParts, ask: WindowRequests, texts: Texts) -> None:
        super().__init__(window)
        self._window, self._parts, self._ask, self._texts = window, parts, ask, texts
        tray, timers = window.tray, parts.timers
        self.notifications = Notifications(tray, parent=self)
        self.notifications.show_wanted.connect(window.present)
        self.notifications.unshown.connect(window.come_forward)
        self.notifications.chosen.connect(lambda _: ask(SnoozeTimers()))
        for snooze in (timers.snooze_wanted, tray.snooze_wanted):
            snooze.connect(lambda: ask(SnoozeTimers()))
        timers.cancel_wanted.connect(lambda timer: ask(CancelTimer(timer=timer)))
        timers.rang.connect(self._tell_of_ringing)
        tray.quiet_wanted.connect(lambda: ask(DismissTimers()))
        tray.opening.connect(self._fill_tray)
        tray.aloud_wanted.connect(lambda: ask(ReadAloud(text=parts.conversation.last_answer)))
        tray.agent_wanted.connect(lambda place, name: ask(SwitchAgent(agent=name, workspace=place)))
        parts.beside.open_wanted.connect(window.present)

    def call(self, words: str, hint: str, actions: Mapping[str, str] | None = None) -> None:
        """Have the desktop call a user who does not look at the window."""
        if not (self._window.isVisible() and self._window.isActiveWindow()):
            self.notifications.tell(words, hint, actions)
            QApplication.alert(self._window)

    def _tell_of_ringing(self, words: str) -> None:
        """Whoever does not look at the window is told on the desktop."""
        announce(self._parts.timers, words, urgent=True)
        self.call(words, self._texts("desktop.timer.rang_hint"), {"snooze": self._texts("desktop.timer.snooze")})

    def _fill_tray(self) -> None:
        """The menu of the tray is about to be shown."""
        tray = self._window.tray
        tray.show_answer(there=bool(self._parts.conversation.last_answer))
        self._ask(ListWorkspaces(), tray.show_agents, otherwise=lambda _: None)
