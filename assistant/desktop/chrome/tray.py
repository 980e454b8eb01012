"""The icon in the system tray: the state, and the few actions that need no window."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal, SignalInstance
from PySide6.QtGui import QAction, QIcon
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from assistant.core.display.words import state_word
from assistant.core.machine.states import SessionState, Snapshot
from assistant.core.records.agents import ListedWorkspace
from assistant.core.texts import Texts
from assistant.core.updates import VoiceAvailable
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.menu import Menu
from assistant.desktop.kit.theme import Theme
from assistant.desktop.presence.mood import Mood, mood_color, mood_of


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
    quick_wanted = Signal()
    agent_wanted = Signal(str, str)
    """The user wants this agent; its workspace and its name."""
    opening = Signal()
    """The menu is about to be shown."""
    copy_wanted = Signal()
    aloud_wanted = Signal()
    snooze_wanted = Signal()
    """The user wants ringing timers to ring again in a while."""
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
        self._ringing = self._asking = self._stopped = self._deaf = False
        self._quiet = self._action(texts("desktop.timer.stop_all"), self.quiet_wanted)
        self._snooze = self._action(texts("desktop.timer.snooze"), self.snooze_wanted)
        self._copy = self._action(texts("desktop.tray.copy"), self.copy_wanted)
        self._aloud = self._action(texts("desktop.tray.aloud"), self.aloud_wanted)
        self._agents = Menu(self._menu)
        self._agents.setTitle(texts("desktop.tray.agents"))
        self._menu.addAction(self._state)
        self._menu.addSeparator()
        self._menu.addActions([self._quiet, self._snooze, self._voice, self._mute])
        self._menu.addSeparator()
        self._menu.addActions([self._copy, self._aloud])
        self._menu.addMenu(self._agents)
        self._menu.addSeparator()
        show = self._action(texts("desktop.action.show"), self.show_wanted)
        quick = self._action(texts("desktop.tray.quick"), self.quick_wanted)
        self._menu.addActions([show, quick, self._action(texts("desktop.action.quit"), self.quit_wanted)])
        self._menu.aboutToShow.connect(self.opening)
        self.show_answer(there=False)
        self.show_agents(())
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
    def icon(self) -> QIcon:
        """The shown icon."""
        return self._tray.icon()

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
        self._muted, self._deaf = voice.muted, bool(voice.microphone_reason)
        self._voice.setEnabled(not voice.microphone_reason)
        self._refresh()

    def show_asking(self, *, asking: bool) -> None:
        """Show whether a question waits for the user's answer."""
        if asking is not self._asking:
            self._asking = asking
            self._refresh()

    def show_stopped(self, *, stopped: bool) -> None:
        """Show whether the engine has ended."""
        self._stopped = stopped
        self._refresh()

    def show_answer(self, *, there: bool) -> None:
        """Show whether there is an answer to copy and to hear."""
        self._copy.setEnabled(there)
        self._aloud.setEnabled(there)

    def show_agents(self, workspaces: Sequence[ListedWorkspace]) -> None:
        """Show the agents to switch to; hidden where there is only one."""
        self._agents.clear()
        several = len(workspaces) > 1
        for workspace in workspaces:
            for agent in workspace.agents:
                title = f"{agent.title} · {workspace.title}" if several else agent.title
                entry = self._agents.addAction(title.replace("&", "&&"))
                entry.setCheckable(True)
                entry.setChecked(agent.current)
                entry.triggered.connect(partial(self.agent_wanted.emit, workspace.name, agent.id.name))
        self._agents.menuAction().setVisible(len(self._agents.actions()) > 1)

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
        mood = mood_of(self._snapshot, muted=self._muted, broken=self._stopped or self._deaf)
        word = state_word(self._texts, self._snapshot)
        badge = "" if mood is Mood.IDLE else mood_color(self._theme, mood)
        glyph = mood.value
        if mood is Mood.MUTED:
            word = self._texts("desktop.detail.muted")
            badge = self._theme.colors.error
        elif mood is Mood.ERROR:
            word = self._texts("desktop.tray.stopped" if self._stopped else "desktop.tray.deaf")
        self._quiet.setVisible(self._ringing)
        self._snooze.setVisible(self._ringing)
        if self._asking:
            word, glyph = self._texts("desktop.state.asking"), "asking"
            badge = self._theme.colors.warning
        if self._ringing:
            word, glyph = self._texts("desktop.timer.rings"), "ringing"
            badge = self._theme.colors.warning
        self._tray.setIcon(self._icons.application(badge, glyph, self._theme.colors.ground))
        self._tray.setToolTip(self._texts("desktop.tray.tooltip", state=word))
        self._state.setText(word)
        self._voice.setChecked(self._snapshot.session is not SessionState.INACTIVE)
        self._mute.setChecked(self._muted)

    def _action(self, words: str, wanted: SignalInstance) -> QAction:
        action = QAction(words, self)
        action.triggered.connect(lambda: wanted.emit())
        return action

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
