"""Notifications with and without a tray, on a real session bus with a notification server of the test."""

import threading
from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QSystemTrayIcon
from pytestqt.qtbot import QtBot

from assistant.core.texts import Texts
from assistant.desktop.chrome.notifications import Notifications, NotificationWay, way_to_notify
from assistant.desktop.chrome.tray import Tray
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.desktop.main_window import MainWindow
from tests.fakes.front.notification_server import NotificationServer

LIMIT_S = 20


@pytest.fixture
def server(bus: str) -> Iterator[NotificationServer]:
    with NotificationServer(bus) as server:
        yield server


@pytest.fixture
def tray(texts: Texts, icons: Icons, theme: Theme) -> Tray:
    return Tray(texts, icons, theme)


@pytest.mark.parametrize(
    ("tray", "bus", "way"),
    [
        (True, True, NotificationWay.TRAY),
        (True, False, NotificationWay.TRAY),
        (False, True, NotificationWay.BUS),
        (False, False, NotificationWay.WINDOW),
    ],
)
def test_the_tray_comes_first_and_the_window_last(tray: bool, bus: bool, way: NotificationWay) -> None:
    assert way_to_notify(tray=tray, bus=bus) is way


def test_without_a_tray_the_bus_shows_the_notification_and_a_click_shows_the_window(
    qtbot: QtBot, tray: Tray, bus: str, server: NotificationServer
) -> None:
    notifications = Notifications(tray, bus)
    with qtbot.waitSignal(notifications.show_wanted, timeout=LIMIT_S * 1000):
        notifications.tell("Your tea timer is done", "Click to open Sori.")
        shown = server.shown.get(timeout=LIMIT_S)
        assert (shown.app, shown.title, shown.words) == ("Sori", "Your tea timer is done", "Click to open Sori.")
        server.close(shown.id + 1)
        server.click(shown.id)


def test_a_button_of_a_notification_is_told_also_where_there_is_a_tray(
    qtbot: QtBot, tray: Tray, bus: str, server: NotificationServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: True)
    notifications = Notifications(tray, bus)
    with qtbot.waitSignal(notifications.chosen, timeout=LIMIT_S * 1000) as told:
        notifications.tell("Your tea timer is done", "", {"snooze": "Again in 5 minutes"})
        shown = server.shown.get(timeout=LIMIT_S)
        server.click(shown.id, "snooze")
    assert shown.actions["snooze"] == "Again in 5 minutes"
    assert told.args == ["snooze"]


def test_a_notification_that_is_closed_shows_no_window(
    qtbot: QtBot, tray: Tray, bus: str, server: NotificationServer
) -> None:
    notifications = Notifications(tray, bus)
    with qtbot.assertNotEmitted(notifications.show_wanted):
        notifications.tell("Your tea timer is done", "")
        server.close(server.shown.get(timeout=LIMIT_S).id)
        join_notifications()


def test_on_a_bus_without_a_server_the_window_shows_itself(qtbot: QtBot, tray: Tray, bus: str) -> None:
    notifications = Notifications(tray, bus)
    with qtbot.waitSignal(notifications.unshown, timeout=LIMIT_S * 1000):
        notifications.tell("Your tea timer is done", "")


@pytest.mark.parametrize("address", ["", "unix:path=/nowhere/bus", "nonsense"])
def test_without_a_bus_the_window_shows_itself(qtbot: QtBot, tray: Tray, address: str) -> None:
    notifications = Notifications(tray, address)
    with qtbot.waitSignal(notifications.unshown, timeout=LIMIT_S * 1000):
        notifications.tell("Your tea timer is done", "")


def test_with_a_tray_its_icon_shows_the_notification(
    tray: Tray, bus: str, server: NotificationServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: True)
    monkeypatch.setattr(QSystemTrayIcon, "showMessage", lambda _tray, title, _words, _icon: told.append(title))
    Notifications(tray, bus).tell("Your tea timer is done", "")
    join_notifications()
    assert told == ["Your tea timer is done"]
    assert server.shown.empty()


def test_a_hidden_window_that_cannot_notify_comes_forward(window: MainWindow) -> None:
    window.hide()
    window.calling.notifications.unshown.emit()
    assert window.isVisible()


def join_notifications() -> None:
    """Wait for the threads that show notifications."""
    for each in threading.enumerate():
        if each.name == "notification":
            each.join(LIMIT_S)
            assert not each.is_alive()
