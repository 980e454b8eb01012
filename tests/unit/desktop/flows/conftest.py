"""A window with the real engine: real storage, real turns, and a model that says what a test wants."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from assistant.desktop.conversation.message_rows import MessageRow
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.desktop.main_window import MainWindow
from tests.fakes.front.engine_window import EngineWindow
from tests.fakes.model_server.server import ModelServer, RecordedRequest, Reply, serve_in_thread
from tests.fakes.model_server.sori_settings import scripted_settings


class Person:
    """A person at the window.

    Attributes:
        server: the model.
        slow: whether an answer takes long from now on.
        answer: what the model answers from now on; empty to name the request.
    """

    def __init__(self, qtbot: QtBot, home: Path, icons: Icons, theme: Theme) -> None:
        self._qtbot, self._home, self._icons, self._theme = qtbot, home, icons, theme
        self.slow = False
        self.answer = ""
        self.server: ModelServer
        self.window: MainWindow

    def reply(self, request: RecordedRequest) -> Reply:
        """The answer names the request, and how many requests there were."""
        last = str(request.body["messages"][-1]["content"]).splitlines()[-1]
        if self.answer:
            return Reply(text=self.answer)
        text = f"Answer {len(self.server.chats)} to: {last}"
        if self.slow:
            return Reply(text=f"{text} " + "and on and on " * 400, tokens_per_second=60)
        return Reply(text=text)

    def open(self) -> None:
        """Start the engine and show the window."""
        self._opened = EngineWindow(
            self._home,
            self._icons,
            self._theme,
            "en",
            lambda window: self._qtbot.addWidget(window, before_close_func=MainWindow.let_close),
        )
        self.window = self._opened.window
        self.until(lambda: bool(self.window._view.conversation))

    def close(self) -> None:
        """Close the window and end the engine, as Ctrl+Q does."""
        self._opened.close()

    def until(self, holds: Callable[[], bool]) -> None:
        self._qtbot.waitUntil(holds)

    def says(self, text: str, *, waits: bool = True) -> None:
        """Type a message and send it."""
        field = self.window.composer.input
        field.setFocus()
        QTest.keyClicks(field, text)
        QTest.keyClick(field, Qt.Key.Key_Return)
        if waits:
            self.until(lambda: self.answered(text))

    def answered(self, text: str) -> bool:
        rows = self.rows
        return bool(rows) and rows[-1].endswith(f"to: {text}") and bool(self.message(-1).message_id)

    @property
    def rows(self) -> list[str]:
        """The texts of the shown messages."""
        return [each.text for each in self.window.conversation.rows if not each.isHidden()]

    def message(self, number: int) -> MessageRow:
        return [each for each in self.window.conversation.rows if not each.isHidden()][number]

    def does(self, action: str) -> None:
        """Choose an entry of the window's menu."""
        found = self.window.findChild(QAction, action)
        assert found is not None
        found.trigger()


@pytest.fixture
def person(
    qtbot: QtBot,
    icons: Icons,
    theme: Theme,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> Iterator[Person]:
    """A parameter is more lines of the settings."""
    monkeypatch.setenv("SORI_HOME", str(tmp_path))
    more: str = getattr(request, "param", "")
    made = Person(qtbot, tmp_path, icons, theme)
    with serve_in_thread(made.reply) as server:
        made.server = server
        (tmp_path / "config.toml").write_text(scripted_settings(server.base_url, more, language="en"), encoding="utf-8")
        made.open()
        yield made
        made.close()
