"""The traces of turns: figures, bars on one scale, the median, and what took longer than usual (V-22)."""

import itertools
import json
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from assistant.core.records.traces import STEPS, StoredTrace, medians_of, steps_of
from assistant.core.service.requests.conversations import OpenConversation
from assistant.core.service.requests.records import ListTraces
from assistant.core.settings import Language
from assistant.desktop.main_window import MainWindow
from assistant.desktop.records.records_part import PAGE_ROWS
from assistant.desktop.traces.traces_page import TraceList
from assistant.desktop.traces.waterfall import Waterfall
from assistant.host.texts import load_texts
from tests.fakes.front.connection import RecordedConnection
from tests.fakes.front.page_needs import page_needs


def spoken(number: int, *, first_audio: float = 2.5, at: str = "2026-11-22T15:05:07.123+09:00") -> StoredTrace:
    return StoredTrace(
        id=number,
        at=at,
        conversation="c",
        turn="t",
        events=(
            {"t": 1.0, "event": "speech_ended"},
            {"t": 1.5, "event": "transcript", "text": "몇 시야", "engine": "faster_whisper"},
            {"t": 1.6, "event": "partial", "text": "몇"},
            {"t": first_audio, "event": "first_audio", "engine": "piper"},
            {"t": first_audio + 1.0, "event": "done"},
        ),
    )


EMPTY = StoredTrace(id=4, at="2026-11-22T15:06:00+09:00", conversation="c", turn="u", events=())


def shown(qtbot: QtBot, *traces: StoredTrace) -> tuple[TraceList, RecordedConnection]:
    connection = RecordedConnection()
    made = TraceList(page_needs(connection))
    qtbot.addWidget(made)
    made.resize(700, 700)
    made.show()
    assert connection.sent == [ListTraces(limit=PAGE_ROWS)]
    connection.reply(ListTraces, traces)
    return made, connection


def test_a_turn_has_its_words_and_what_was_waited_for(qtbot: QtBot) -> None:
    made, connection = shown(qtbot, EMPTY, spoken(3))
    (row,) = made.list.model.rows
    assert (row.title, row.detail) == ("몇 시야", "첫 소리까지 1.50초 · 전체 2.50초")
    made.list.choose("3")
    assert made.waterfall.words == [
        "말이 끝남 0.00초 (보통 0.00초)",
        "받아쓰기 · faster_whisper 0.50초 (보통 0.50초)",
        "첫 소리 · piper 1.00초 (보통 1.00초)",
        "끝 1.00초 (보통 1.00초)",
    ]
    assert "첫 소리 · piper 1.00초" in made.waterfall.accessibleName()
    made.list.buttons["open"].click()
    assert connection.sent[-1] == OpenConversation(conversation="c")


def test_a_step_that_took_longer_than_usual_is_named(qtbot: QtBot) -> None:
    made, _ = shown(qtbot, *(spoken(each) for each in range(1, 6)), spoken(9, first_audio=6.5))
    made.list.choose("9")
    assert "보통보다 4.00초 더 걸림: 첫 소리" in made.list.words.toPlainText()
    made.list.choose("1")
    assert "더 걸림" not in made.list.words.toPlainText()


def test_the_bars_of_a_turn_share_their_scale(qtbot: QtBot) -> None:
    made = Waterfall(load_texts("ko"), page_needs(RecordedConnection()).theme)
    qtbot.addWidget(made)
    made.resize(500, 100)
    steps = steps_of(spoken(1).events)
    made.show_steps(steps, {"first_audio": 2.0})
    bars = [made.bar(each) for each in steps]
    assert round(bars[0].width()) == 2
    assert bars[2].width() == pytest.approx(2 * (bars[1].width() - 2) + 2)
    assert [each.left() for each in bars] == sorted(each.left() for each in bars)
    assert all(one.right() - 2 == pytest.approx(other.left()) for one, other in itertools.pairwise(bars))
    assert not made.grab().isNull()


@pytest.mark.parametrize(
    ("firsts", "median"), [([1.6], 0.1), ([2.5, 2.5, 6.5], 1.0), ([2.0, 3.0], 1.0), ([2.5, 2.6, 2.7, 9.0], 1.15)]
)
def test_the_usual_time_is_the_median(firsts: list[float], median: float) -> None:
    found = medians_of([spoken(each, first_audio=first) for each, first in enumerate(firsts)])
    assert found["first_audio"] == pytest.approx(median)
    assert "partial" not in found


def test_a_failed_turn_and_a_typed_one_are_told_apart(qtbot: QtBot) -> None:
    failed = replace(
        EMPTY, events=({"t": 0.0, "event": "asked", "model": "m"}, {"t": 1.0, "event": "error", "code": "x"})
    )
    made, _ = shown(qtbot, failed)
    (row,) = made.list.model.rows
    assert (row.title, row.problem) == ("글로 쓴 요청", True)


def test_the_traces_are_saved_as_json(qtbot: QtBot, tmp_path: Path) -> None:
    made, _ = shown(qtbot, spoken(3))
    (export,) = [each for each in made.findChildren(QPushButton) if each.text() == "파일로 저장…"]
    export.click()
    (dialog,) = made.findChildren(QFileDialog)
    dialog.fileSelected.emit(str(tmp_path / "traces.json"))
    qtbot.waitUntil(made.told.isVisible)
    told = json.loads((tmp_path / "traces.json").read_text("utf-8"))
    assert [(each["id"], each["events"][1]["engine"]) for each in told] == [(3, "faster_whisper")]
    assert str(tmp_path / "traces.json") in made.told.words.text()
    dialog.close()


def test_without_traces_the_page_says_so(qtbot: QtBot) -> None:
    made, _ = shown(qtbot)
    assert made.list.empty.text().startswith("아직 기록이 없어요.")


@pytest.mark.parametrize("language", ["ko", "en"])
def test_every_step_has_words(language: Language) -> None:
    texts = load_texts(language)
    assert len({texts(f"desktop.traces.step.{name}") for name in STEPS}) == len(STEPS)


def test_the_menu_opens_the_traces_and_the_reply_is_shown(window: MainWindow, connection: RecordedConnection) -> None:
    action = window.findChild(QAction, "traces")
    assert action is not None
    action.trigger()
    connection.reply(ListTraces, (spoken(1),))
    (opened,) = window.findChildren(TraceList)
    assert len(opened.list.model.rows) == 1
    window.pages.open[0].close()
