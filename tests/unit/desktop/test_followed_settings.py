"""What the user changes about the window is seen in the window that is open."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, Signal
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from assistant.core.machine.states import InteractionState, Snapshot
from assistant.core.service.requests.voice import HoldToTalk
from assistant.core.settings import DesktopSettings
from assistant.core.texts import Texts
from assistant.core.updates import SettingsChanged, StateChanged
from assistant.desktop.followed_settings import FollowedSettings
from assistant.desktop.keyboard.global_keys import GlobalKeys
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import DARK, LIGHT, Theme
from assistant.desktop.main_window import MainWindow
from tests.fakes.front.connection import RecordedConnection


class Keys(GlobalKeys):
    """Shortcuts that record what becomes of them."""

    gone = Signal()

    def __init__(self, texts: Texts, settings: DesktopSettings, log: list[str]) -> None:
        super().__init__(texts, settings, ())
        self._log, self.name = log, f"{settings.global_toggle} {settings.global_talk}"
        self._taken = settings.global_toggle == "ctrl+alt+t"

    def start(self) -> None:
        self._log.append(f"start {self.name}")
        if self._taken:
            self.failed.emit("Another program has ctrl+alt+t.")

    def stop(self) -> None:
        self._log.append(f"stop {self.name}")


class Seen:
    """An open window that follows its settings."""

    def __init__(self, texts: Texts, icons: Icons, theme: Theme, home: Path, settings: DesktopSettings) -> None:
        self.connection, self.theme, self.log = RecordedConnection(), theme, list[str]()
        self.window = MainWindow(self.connection, texts, icons, theme, home, talk_key=settings.talk_key)
        self.followed = FollowedSettings(settings, theme, self.window, lambda now: Keys(texts, now, self.log))
        self.followed.start()

    def change(self, **values: object) -> None:
        named = {name.replace("__", "."): value for name, value in values.items()}
        self.followed.follow(SettingsChanged(names=tuple(named), values=named))


@pytest.fixture
def seen(qtbot: QtBot, texts: Texts, icons: Icons, theme: Theme, tmp_path: Path) -> Iterator[Seen]:
    seen = Seen(texts, icons, theme, tmp_path, DesktopSettings(theme="light"))
    qtbot.addWidget(seen.window)
    seen.window.show()
    yield seen
    seen.followed.stop()


def test_the_theme_changes_at_once(seen: Seen, qapp: QApplication) -> None:
    seen.change(desktop__theme="dark")
    assert seen.theme.colors is DARK
    assert DARK.ground in qapp.styleSheet()
    seen.change(desktop__theme="light")
    assert seen.theme.colors is LIGHT


def test_the_talk_key_is_another_one_at_once_and_is_named(seen: Seen, qtbot: QtBot) -> None:
    seen.change(desktop__talk_key="F7")
    QTest.keyPress(seen.window, Qt.Key.Key_F9)
    QTest.keyRelease(seen.window, Qt.Key.Key_F9)
    assert seen.connection.sent == []
    QTest.keyPress(seen.window, Qt.Key.Key_F7)
    QTest.keyRelease(seen.window, Qt.Key.Key_F7)
    qtbot.waitUntil(lambda: seen.connection.sent == [HoldToTalk(held=True), HoldToTalk(held=False)])
    assert "F7" in seen.window.composer.voice.accessibleName()


def test_a_talk_key_that_is_held_while_it_changes_is_released(seen: Seen) -> None:
    QTest.keyPress(seen.window, Qt.Key.Key_F9)
    seen.change(desktop__talk_key="F7")
    assert seen.connection.sent == [HoldToTalk(held=True), HoldToTalk(held=False)]


def test_less_motion_stills_the_window_at_once(seen: Seen) -> None:
    seen.window.show_update(StateChanged(conversation="a", snapshot=Snapshot(interaction=InteractionState.SPEAKING)))
    moving = [seen.window.strip.presence.moving]
    for reduced in (True, False):
        seen.change(desktop__reduced_motion=reduced)
        moving.append(seen.window.strip.presence.moving)
    assert moving == [True, False, True]


def test_shortcuts_are_asked_for_given_back_and_changed(seen: Seen) -> None:
    first, second = "ctrl+alt+j ctrl+alt+space", "ctrl+alt+k ctrl+alt+space"
    assert seen.log == []
    seen.change(desktop__global_shortcuts=True)
    assert seen.log == [f"start {first}"]
    seen.change(desktop__global_toggle="ctrl+alt+k")
    assert seen.log[1:] == [f"stop {first}", f"start {second}"]
    seen.change(desktop__theme="dark")
    seen.change(desktop__global_shortcuts=False)
    assert seen.log[3:] == [f"stop {second}"]


def test_shortcuts_that_another_program_has_leave_the_former_ones(seen: Seen) -> None:
    first, taken = "ctrl+alt+j ctrl+alt+space", "ctrl+alt+t ctrl+alt+space"
    seen.change(desktop__global_shortcuts=True)
    seen.change(desktop__global_toggle="ctrl+alt+t")
    assert seen.log[1:] == [f"stop {first}", f"start {taken}", f"stop {taken}", f"start {first}"]


def test_settings_of_others_change_nothing(seen: Seen) -> None:
    seen.change(voice__speed=1.5, language="en", providers=None, voice__theme="dark", theme="dark")
    assert seen.theme.colors is LIGHT
    assert seen.log == []
