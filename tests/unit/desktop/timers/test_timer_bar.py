"""Timers in the window and the tray."""

from datetime import UTC, datetime, timedelta

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QSystemTrayIcon
from pytestqt.qtbot import QtBot

from assistant.core.service.requests.timers import CancelTimer, DismissTimers
from assistant.core.texts import Texts
from assistant.core.updates import TimersChanged, TimerShown
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.desktop.main_window import MainWindow
from assistant.desktop.timers.timer_bar import TimerBar
from tests.fakes.front.connection import RecordedConnection

START = datetime(2026, 11, 22, 6, 5, tzinfo=UTC)


def timer(name: str, seconds: float, *, ringing: bool = False) -> TimerShown:
    due = (START + timedelta(seconds=seconds)).isoformat()
    return TimerShown(id=name, title=f"{name} timer", due_at=due, ringing=ringing)


def changed(*timers: TimerShown) -> TimersChanged:
    return TimersChanged(timers=timers)


def notified(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    told: list[str] = []
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: True)
    monkeypatch.setattr(QSystemTrayIcon, "showMessage", lambda _tray, title, _words, _icon: told.append(title))
    return told


def test_each_timer_counts_down(qtbot: QtBot, texts: Texts, icons: Icons, theme: Theme) -> None:
    now = [START]
    bar = TimerBar(texts, icons, theme, now=lambda: now[0])
    qtbot.addWidget(bar)
    bar.show_timers(changed(timer("tea", 125), timer("cake", 3700)))
    at_first = [chip.left.text() for chip in bar.chips]
    now[0] += timedelta(seconds=1)
    qtbot.waitUntil(lambda: bar.chips[0].left.text() != at_first[0])

    assert at_first == ["2:05", "1:01:40"]
    assert [chip.left.text() for chip in bar.chips] == ["2:04", "1:01:39"]
    assert bar.chips[0].accessibleName() == "tea timer, 2:04"
    assert bar.chips[0].button.accessibleName() == "Cancel the tea timer"


def test_there_is_no_bar_without_timers(window: MainWindow) -> None:
    before = window.timers.isVisible()
    window.show_update(changed(timer("tea", 5)))
    meanwhile = window.timers.isVisible()
    window.show_update(changed())
    assert (before, meanwhile, window.timers.isVisible()) == (False, True, False)


def test_a_timer_is_cancelled_and_one_that_rings_is_stopped_by_its_button(
    window: MainWindow, connection: RecordedConnection
) -> None:
    window.show_update(changed(timer("tea", 0, ringing=True), timer("cake", 60)))
    ringing, running = window.timers.chips
    ringing.button.click()
    running.button.click()

    assert ringing.property("ringing")
    assert ringing.button.text() == "Stop"
    assert connection.sent == [CancelTimer(timer="tea"), CancelTimer(timer="cake")]


def test_escape_stops_what_rings_before_anything_else(window: MainWindow, connection: RecordedConnection) -> None:
    window.show_update(changed(timer("tea", 0, ringing=True)))
    QTest.keyClick(window.composer.input, Qt.Key.Key_Escape)
    assert connection.sent == [DismissTimers()]


def test_a_hidden_window_is_made_up_for_by_a_notification_once_and_a_click_on_it_shows_the_window(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    told = notified(monkeypatch)
    window.hide()
    for _ in range(2):
        window.show_update(changed(timer("tea", 0, ringing=True)))
    tray = window.tray.findChild(QSystemTrayIcon)
    assert tray is not None
    tray.messageClicked.emit()
    qtbot.waitUntil(window.isVisible)

    assert told == ["Your tea timer is done"]


def test_a_window_that_is_looked_at_needs_no_notification(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    told = notified(monkeypatch)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.show_update(changed(timer("tea", 0, ringing=True)))
    assert told == []


def test_the_tray_says_that_a_timer_rings_and_stops_it(window: MainWindow, connection: RecordedConnection) -> None:
    def quiet() -> QAction:
        return next(action for action in window.tray.menu.actions() if action.text() == "Stop the timer that rings")

    before = quiet().isVisible()
    window.show_update(changed(timer("tea", 0, ringing=True)))
    assert window.tray.tooltip == "Sori · A timer is ringing"
    assert (before, quiet().isVisible()) == (False, True)
    quiet().trigger()
    window.show_update(changed())
    assert connection.sent == [DismissTimers()]
    assert not quiet().isVisible()
