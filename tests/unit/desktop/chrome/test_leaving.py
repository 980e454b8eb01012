"""What Sori asks before it ends."""

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QSystemTrayIcon
from pytestqt.qtbot import QtBot

from assistant.core.errors import ErrorCode
from assistant.core.service.request import Refusal
from assistant.core.service.requests.engine import ListWhatEnds, WhatEnds
from assistant.desktop.chrome import leaving
from assistant.desktop.chrome.leaving import EndDialog
from assistant.desktop.main_window import MainWindow
from tests.fakes.front.connection import RecordedConnection

NOTHING = WhatEnds()
GONE = Refusal(code=ErrorCode.ENGINE_UNAVAILABLE, reason="engine_gone", message="")
LOSSES: dict[str, tuple[WhatEnds, tuple[str, ...]]] = {
    "alarm": (WhatEnds(rings=("오전 7시 알람 · 내일 오전 7시",)), ("· 오전 7시 알람 · 내일 오전 7시",)),
    "reminder": (WhatEnds(rings=("pay rent · tomorrow at 9:00 AM",)), ("pay rent",)),
    "timer": (WhatEnds(rings=("라면 타이머 · 오늘 오후 6시 3분",)), ("라면 타이머",)),
    "several": (WhatEnds(rings=("a", "b", "c")), ("· a", "· b", "· c")),
    "many": (WhatEnds(rings=tuple("abcdefgh")), ("· e", "3")),
    "terminal": (WhatEnds(followers=("terminal",)), ("1",)),
    "browsers": (WhatEnds(followers=("http", "http")), ("2",)),
    "both": (WhatEnds(rings=("a",), followers=("http", "terminal")), ("· a", "1")),
    "other": (WhatEnds(followers=("waybar",)), ("1",)),
    "hidden order": (WhatEnds(rings=("a\u202eb · today",)), ("a\\u202eb",)),
}


@pytest.fixture
def ended(window: MainWindow) -> list[bool]:
    told: list[bool] = []
    window.quit_wanted.connect(lambda: told.append(True))
    return told


def close(window: MainWindow, _: pytest.MonkeyPatch) -> None:
    window.close()


def press_quit(window: MainWindow, _: pytest.MonkeyPatch) -> None:
    window.menu.quit_wanted.emit()


def quit_from_tray(window: MainWindow, _: pytest.MonkeyPatch) -> None:
    window.tray.quit_wanted.emit()


@pytest.mark.parametrize("end", [close, press_quit, quit_from_tray])
@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("language", ["ko", "en"])
def test_what_would_be_lost_is_told_and_nothing_ends_before_the_answer(
    end: Callable[..., None],
    name: str,
    language: str,
    make_window: Callable[[str], MainWindow],
    connection: RecordedConnection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: False)
    ends, words = LOSSES[name]
    window = make_window(language)
    connection.answers = lambda request: ends if isinstance(request, ListWhatEnds) else None
    told: list[bool] = []
    window.quit_wanted.connect(lambda: told.append(True))

    end(window, monkeypatch)

    question = window.findChild(EndDialog)
    assert question is not None
    assert question.isVisible()
    assert window.isVisible()
    assert all(each in question.words for each in words)
    assert told == []
    question.back.click()
    assert (told, window.isVisible()) == ([], True)
    end(window, monkeypatch)
    assert window.leaving.question is not None
    window.leaving.question.stay.click()
    assert (told, window.isVisible()) == ([], False)
    window.present()
    end(window, monkeypatch)
    assert window.leaving.question is not None
    window.leaving.question.end.click()
    assert told == [True]


@pytest.mark.parametrize(
    "answer", [NOTHING, Refusal(code=ErrorCode.ENGINE_UNAVAILABLE, reason="engine_gone", message="")]
)
def test_with_nothing_to_lose_sori_ends_at_once(
    answer: object, window: MainWindow, connection: RecordedConnection, ended: list[bool]
) -> None:
    connection.answers = lambda request: answer if isinstance(request, ListWhatEnds) else None
    window.want_end()
    assert ended == [True]
    assert window.findChild(EndDialog) is None


def test_an_engine_that_does_not_answer_does_not_keep_sori_running(
    window: MainWindow, ended: list[bool], monkeypatch: pytest.MonkeyPatch, qtbot: QtBot, connection: RecordedConnection
) -> None:
    window.leaving.patience.setInterval(0)
    window.want_end()
    window.want_end()
    qtbot.waitUntil(lambda: ended == [True])
    assert connection.sent.count(ListWhatEnds()) == 1
    connection.reply(ListWhatEnds, LOSSES["alarm"][0])  # too late
    assert window.findChild(EndDialog) is None
    assert leaving.PATIENCE_MS <= 5000


def test_asking_twice_shows_one_question(window: MainWindow, connection: RecordedConnection) -> None:
    connection.answers = lambda request: LOSSES["alarm"][0] if isinstance(request, ListWhatEnds) else None
    window.want_end()
    window.want_end()
    assert len(window.findChildren(EndDialog)) == 1


@pytest.mark.parametrize("language", ["ko", "en"])
def test_that_closing_ends_sori_without_a_tray_is_told_when_it_is_closed_and_once(
    make_window: Callable[[str], MainWindow], connection: RecordedConnection, language: str
) -> None:
    connection.answers = lambda request: NOTHING if isinstance(request, ListWhatEnds) else None
    window = make_window(language)
    ended: list[bool] = []
    window.quit_wanted.connect(lambda: ended.append(True))
    assert not window.notices.messages, "nothing is said of a tray before it matters"
    window.close()
    question = window.findChild(EndDialog)
    assert question is not None
    assert ("트레이" if language == "ko" else "tray") in question.words
    assert not ended
    question.back.click()
    window.close()
    assert ended == [True], "it is told once"


def test_who_quits_by_the_menu_knows_that_this_ends_sori(
    window: MainWindow, connection: RecordedConnection, ended: list[bool]
) -> None:
    connection.answers = lambda request: NOTHING if isinstance(request, ListWhatEnds) else None
    window.menu.quit_wanted.emit()
    assert ended == [True]
