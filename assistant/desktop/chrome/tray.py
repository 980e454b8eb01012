"""The icon in the system tray: the state, and the few actions that need no window."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from assistant.core.display.words import state_word
from assistant.core.machine.states import InteractionState, SessionState, Snapshot
from assistant.core.texts import Texts
from assistant.core.updates import VoiceAvailable
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.menu import Menu
from assistant.desktop.kit.theme import Theme
from assistant.desktop.presence.mood import mood_color, mood_of


class Tray(QObject):
    """A tray icon with a menu. On a desktop without a tray it waits for one to appear.

    Args:
        texts: the user's texts.
        icons: source of the icons.
        theme: colours of the state's dot.
    """

    show_wanted = Signal()
    voice_wanted = Signal()
    mute_wanted = Signal(bool)
    quiet_wanted = Signal()
    """The user wants ringing timers to stop."""
    quit_wanted = Signal()

    def __init__(self, texts: Texts, icons: Icons, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._texts, self._icons, self._theme = texts, icons, theme
        self._snapshot = Snapshot()
        self._muted = False
        self._menu = Menu()
        self._state = QAction(texts("desktop.state.starting"), self)
        self._state.setEnabled(False)
        self._voice = QAction(texts("desktop.action.voice"), self)
        self._voice.setCheckable(True)
        self._voice.triggered.connect(self._voice_triggered)
        self._mute = QAction(texts("desktop.action.mute"), self)
        self._mute.setCheckable(True)
        self._mute.triggered.connect(self._mute_triggered)
        self._ringing = self._asking = False
        self._quiet = QAction(texts("desktop.timer.stop_all"), self)
        self._quiet.triggered.connect(self.quiet_wanted)
        show = QAction(texts("desktop.action.show"), self)
        show.triggered.connect(self.show_wanted)
        leave = QAction(texts("desktop.action.quit"), self)
        leave.triggered.connect(self.quit_wanted)
        self._menu.addAction(self._state)
        self._menu.addSeparator()
        self._menu.addActions([self._quiet, self._voice, self._mute])
        self._menu.addSeparator()
        self._menu.addActions([show, leave])
        self._tray = QSystemTrayIcon(self)
        self._tray.setContextMenu(self._menu)
        self._tray.activated.connect(self._activated)
        self._tray.messageClicked.connect(self.show_wanted)
        theme.changed.connect(self._refresh)
        self._refresh()
        self._tray.show()

    @property
    def available(self) -> bool:
        """Whether the desktop has a tray that shows the icon."""
        return QSystemTrayIcon.isSystemTrayAvailable()

    @property
    def menu(self) -> QMenu:
        """The menu of a right click."""
        return self._menu

    @property
    def tooltip(self) -> str:
        """The icon's tool tip."""
        return self._tray.toolTip()

    def enter(self, snapshot: Snapshot) -> None:
        """Show a state."""
        self._snapshot = snapshot
        self._refresh()

    def show_voice(self, voice: VoiceAvailable) -> None:
        """Show whether the microphone is on."""
        self._muted = voice.muted
        self._voice.setEnabled(not voice.microphone_reason)
        self._refresh()

    def show_asking(self, *, asking: bool) -> None:
        """Show whether a question waits for the user's answer."""
        if asking is not self._asking:
            self._asking = asking
            self._refresh()

    def show_ringing(self, *, ringing: bool) -> None:
        """Show whether a timer rings, with an entry to stop it."""
        self._ringing = ringing
        self._refresh()

    def tell(self, title: str, words: str) -> None:
        """Show a notification on the desktop; a click on it shows the window."""
        self._tray.showMessage(title, words, self._icons.application())

    def tell_hidden(self) -> None:
        """Say that closing the window did not end Sori."""
        self._tray.showMessage(
            self._texts("desktop.tray.hidden_title"), self._texts("desktop.tray.hidden"), self._icons.application()
        )

    def hide(self) -> None:
        """Remove the icon."""
        self._tray.hide()

    def _refresh(self) -> None:
        idle = self._snapshot.interaction is InteractionState.IDLE
        word = state_word(self._texts, self._snapshot)
        badge = "" if idle else mood_color(self._theme, mood_of(self._snapshot))
        if idle and self._muted:
            word = self._texts("desktop.detail.muted")
            badge = self._theme.colors.error
        self._quiet.setVisible(self._ringing)
        if self._asking:
            word = self._texts("desktop.state.asking")
            badge = self._theme.colors.warning
        if self._ringing:
            word = self._texts("desktop.timer.rings")
            badge = self._theme.colors.warning
        self._tray.setIcon(self._icons.application(badge))
        self._tray.setToolTip(self._texts("desktop.tray.tooltip", state=word))
        self._state.setText(word)
        self._voice.setChecked(self._snapshot.session is not SessionState.INACTIVE)
        self._mute.setChecked(self._muted)

    def _voice_triggered(self) -> None:
        self._refresh()  # The check follows the engine, not the click.
        self.voice_wanted.emit()

    def _mute_triggered(self) -> None:
        wanted = not self._muted
        self._refresh()
        self.mute_wanted.emit(wanted)

    def _activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason in {QSystemTrayIcon.ActivationReason.Trigger, QSystemTrayIcon.ActivationReason.DoubleClick}:
            self.show_wanted.emit()
