"""A window with recorded requests, drawn off screen."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from typing_extensions import override

from assistant.core.texts import Texts
from assistant.core.updates import ConversationOpened
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.desktop.main_window import MainWindow
from assistant.host.places import RESOURCES
from assistant.host.texts import load_texts
from tests.fakes.front.connection import RecordedConnection

# Before Qt starts: these tests need no screen, and shall not open windows on the developer's own.
os.environ["QT_QPA_PLATFORM"] = "offscreen"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Drawn off screen there is no tray, and no window is raised or held to a size; Qt warns of each, each time."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(
                pytest.mark.qt_log_ignore("plugin does not support", "systemTrayWindowChanged", extend=True)
            )


@pytest.fixture(autouse=True)
def no_session_bus(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test notifies the developer on the developer's own desktop."""
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)


@pytest.fixture
def bus() -> Iterator[str]:
    """Address of a session bus without any service."""
    command = ["dbus-daemon", "--session", "--nofork", "--print-address=1"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    with process:
        yield process.stdout.readline().strip()
        process.terminate()


class PatientBot(QtBot):
    """Waits longer than pytest-qt's 5 s: how long a busy computer needs says nothing about the window."""

    @override
    def waitUntil(self, callback: Callable[[], bool | None], *, timeout: int = 60_000) -> None:
        """Wait until ``callback`` is true, for at most ``timeout`` milliseconds."""
        super().waitUntil(callback, timeout=timeout)


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    return PatientBot(request)


@pytest.fixture
def texts() -> Texts:
    return load_texts("en")


@pytest.fixture
def icons() -> Icons:
    return Icons(RESOURCES / "icons")


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    theme = Theme(qapp, "light")
    yield theme
    theme.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def connection() -> RecordedConnection:
    return RecordedConnection()


@pytest.fixture
def make_window(
    qtbot: QtBot, connection: RecordedConnection, icons: Icons, theme: Theme, tmp_path: Path
) -> Callable[..., MainWindow]:
    """Makes a window in a language, and with a key to hold while talking, shown."""

    def make(language: str, talk_key: str = "F9") -> MainWindow:
        window = MainWindow(connection, load_texts(language), icons, theme, tmp_path, talk_key=talk_key)
        qtbot.addWidget(window, before_close_func=MainWindow.let_close)
        window.show()
        qtbot.waitUntil(window.isVisible)
        return window

    return make


@pytest.fixture
def window(make_window: Callable[[str], MainWindow]) -> MainWindow:
    """Shows an empty conversation."""
    window = make_window("en")
    window.show_update(ConversationOpened(conversation="a", messages=()))
    return window
