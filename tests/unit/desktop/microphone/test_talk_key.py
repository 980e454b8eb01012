from collections.abc import Callable
from typing import get_args, get_type_hints

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QTextEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from assistant.core.service.requests.voice import HoldToTalk
from assistant.core.settings import DesktopSettings
from assistant.desktop.main_window import MainWindow
from assistant.desktop.microphone import talk_key
from assistant.desktop.microphone.talk_key import TalkKey
from tests.fakes.front.connection import RecordedConnection

TALK_KEY = Qt.Key.Key_F9
LEFT = Qt.MouseButton.LeftButton


class Panel(QWidget):
    """A window with a text and a button."""

    def __init__(self) -> None:
        super().__init__()
        self.text, self.button = QTextEdit(), QPushButton()
        layout = QVBoxLayout(self)
        layout.addWidget(self.text)
        layout.addWidget(self.button)
        self.key = TalkKey(self, self.button, "F9")
        self.told: list[bool | str] = []
        self.key.held.connect(self.told.append)
        self.button.clicked.connect(lambda: self.told.append("click"))


@pytest.fixture
def panel(qtbot: QtBot) -> Panel:
    made = Panel()
    qtbot.addWidget(made)
    made.show()
    return made


def test_the_key_is_held_wherever_the_user_writes(panel: Panel, qtbot: QtBot) -> None:
    QTest.keyPress(panel.text, TALK_KEY)
    assert panel.told == [True]
    QTest.keyRelease(panel.text, TALK_KEY)
    qtbot.waitUntil(lambda: panel.told == [True, False])


def test_a_key_that_x11_repeats_as_releases_and_presses_is_held_until_it_is_released(
    panel: Panel, qtbot: QtBot
) -> None:
    QTest.keyPress(panel.text, TALK_KEY)
    for _ in range(20):
        QTest.keyRelease(panel.text, TALK_KEY)
        QTest.keyPress(panel.text, TALK_KEY)
    assert panel.told == [True]
    QTest.keyRelease(panel.text, TALK_KEY)
    qtbot.waitUntil(lambda: panel.told == [True, False])
    QTest.keyPress(panel.text, TALK_KEY)
    assert panel.told == [True, False, True], "it can be pressed again at once"


def test_repeated_key_events_are_one_hold(panel: Panel) -> None:
    QTest.keyPress(panel.text, TALK_KEY)
    for kind in (QEvent.Type.KeyRelease, QEvent.Type.KeyPress):
        repeated = QKeyEvent(kind, TALK_KEY, Qt.KeyboardModifier.NoModifier, "", True)
        QApplication.sendEvent(panel.text, repeated)
    assert panel.told == [True]


def test_a_window_that_loses_the_keyboard_releases_the_key(panel: Panel) -> None:
    QTest.keyPress(panel.text, TALK_KEY)
    QApplication.sendEvent(panel, QEvent(QEvent.Type.WindowDeactivate))
    assert panel.told == [True, False]


def test_a_short_press_of_the_button_is_a_click(panel: Panel) -> None:
    QTest.mouseClick(panel.button, LEFT)
    assert panel.told == ["click"]


def test_a_held_button_talks_and_is_no_click(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(talk_key, "HOLD_MS", 0)
    panel = Panel()
    qtbot.addWidget(panel)
    panel.show()
    QTest.mousePress(panel.button, LEFT)
    qtbot.waitUntil(lambda: panel.told == [True])
    QTest.mouseRelease(panel.button, LEFT)
    assert panel.told == [True, False]
    assert not panel.button.isDown()


def test_the_window_sends_what_is_held(window: MainWindow, connection: RecordedConnection, qtbot: QtBot) -> None:
    QTest.keyPress(window.composer.input, TALK_KEY)
    QTest.keyRelease(window.composer.input, TALK_KEY)
    qtbot.waitUntil(lambda: connection.sent == [HoldToTalk(held=True), HoldToTalk(held=False)])


def test_the_key_can_be_chosen(make_window: Callable[..., MainWindow], connection: RecordedConnection) -> None:
    window = make_window("en", talk_key="F4")
    QTest.keyPress(window.composer.input, TALK_KEY)
    assert connection.sent == []
    QTest.keyPress(window.composer.input, Qt.Key.Key_F4)
    assert connection.sent == [HoldToTalk(held=True)]
    assert "F4" in window.composer.voice.accessibleName() + window.composer.voice.toolTip()


@pytest.mark.parametrize("key", get_args(get_type_hints(DesktopSettings)["talk_key"]))
def test_every_key_that_can_be_chosen_is_a_key(key: str) -> None:
    assert Qt.Key[f"Key_{key}"]
