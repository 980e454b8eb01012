import json

import pytest
from PySide6.QtGui import QAction, QGuiApplication
from pytestqt.qtbot import QtBot

from assistant.core.records.traces import STEPS, StoredTrace
from assistant.core.service.requests.records import ListTraces
from assistant.core.settings import Language
from assistant.desktop.main_window import MainWindow
from assistant.desktop.traces.traces_page import StepBar, TracesPage
from assistant.host.texts import load_texts
from tests.fakes.front.connection import RecordedConnection
from tests.fakes.front.page_needs import page_needs

SPOKEN = StoredTrace(
    id=3,
    at="2026-11-22T15:05:07.123+09:00",
    conversation="c",
    turn="t",
    events=(
        {"t": 1.0, "event": "speech_ended"},
        {"t": 1.5, "event": "transcript", "text": "몇 시야", "engine": "faster_whisper"},
        {"t": 3.0, "event": "done"},
    ),
)
EMPTY = StoredTrace(id=4, at="2026-11-22T15:06:00+09:00", conversation="c", turn="u", events=())


def page(qtbot: QtBot, *traces: StoredTrace, language: Language = "ko") -> TracesPage:
    connection = RecordedConnection()
    made = TracesPage(page_needs(connection, language))
    qtbot.addWidget(made)
    assert connection.sent == [ListTraces()]
    connection.reply(ListTraces, traces)
    return made


def test_each_step_of_a_turn_has_its_time_and_engine(qtbot: QtBot) -> None:
    made = page(qtbot, EMPTY, SPOKEN)
    (turn,) = made.turns
    assert turn.heading.text() == "2026-11-22 15:05:07  몇 시야"
    assert turn.words == ["말이 끝남 0.00초", "받아쓰기 · faster_whisper 0.50초", "끝 2.00초"]
    assert turn.accessibleName().endswith("끝 2.00초")


def test_the_bars_of_a_turn_share_their_scale(qtbot: QtBot) -> None:
    made = page(qtbot, SPOKEN)
    bars = made.turns[0].findChildren(StepBar)
    for bar in bars:
        bar.resize(202, 16)
    assert [(bar.bar.left(), bar.bar.width()) for bar in bars] == [(0, 2), (0, 52), (50, 152)]


def test_the_traces_are_copied_as_json(qtbot: QtBot) -> None:
    made = page(qtbot, SPOKEN)
    made.export.click()
    told = json.loads(QGuiApplication.clipboard().text())
    assert [(each["id"], each["events"][1]["engine"]) for each in told] == [(3, "faster_whisper")]


def test_without_traces_the_page_says_so(qtbot: QtBot) -> None:
    made = page(qtbot)
    assert made.note.text() == "아직 기록이 없어요."
    assert not made.export.isEnabled()


@pytest.mark.parametrize("language", ["ko", "en"])
def test_every_step_has_words(language: Language) -> None:
    texts = load_texts(language)
    assert len({texts(f"desktop.traces.step.{name}") for name in STEPS}) == len(STEPS)


def test_the_menu_opens_the_traces_and_the_reply_is_shown(window: MainWindow, connection: RecordedConnection) -> None:
    action = window.findChild(QAction, "traces")
    assert action is not None
    action.trigger()
    connection.reply(ListTraces, (SPOKEN,))
    (opened,) = window.findChildren(TracesPage)
    assert ListTraces() in connection.sent
    assert len(opened.turns) == 1
    window.open_pages[0].close()
