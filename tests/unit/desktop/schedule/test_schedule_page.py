"""Timers, alarms and reminders: change, leave a day out, delete, undo."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QDateTime
from pytestqt.qtbot import QtBot

from assistant.core.service.requests.conversations import OpenConversation
from assistant.core.service.requests.timers import (
    AddScheduledRequest,
    CancelTimer,
    ChangeTimer,
    ListSchedule,
    PauseScheduledRequest,
    RunScheduledRequest,
    ScheduledItem,
    SkipTimer,
    UndoTimer,
)
from assistant.core.updates import SyncChanged, TimersChanged
from assistant.desktop.schedule.schedule_page import ScheduleList
from tests.fakes.front.connection import RecordedConnection
from tests.fakes.front.page_needs import page_needs

DAILY = ScheduledItem(
    id="d",
    kind="reminder",
    title="혈압약",
    name="혈압약",
    due_at="2026-11-26T20:00:00+09:00",
    repeats="매일 오후 8시",
    retimed=True,
    skippable=True,
)
ONCE = replace(
    DAILY, id="o", title="치과", name="치과", repeats="", skippable=False, due_at="2026-11-27T15:00:00+09:00"
)
HOURLY = replace(DAILY, id="h", title="물", name="물", repeats="1시간마다", retimed=False, skippable=False)
RINGING = replace(ONCE, id="r", kind="timer", title="라면 타이머", name="라면", ringing=True, retimed=False)
NEWS = ScheduledItem(
    id="n",
    kind="request",
    title="뉴스 요약해 줘",
    name="뉴스 요약해 줘",
    due_at="2026-11-27T19:00:00+09:00",
    repeats="평일 오후 7시",
    retimed=True,
    conversation="c",
    ran_at="2026-11-26T19:00:00+09:00",
    outcome="done",
)
PAUSED = replace(NEWS, id="p", paused=True, waits=False, conversation="", ran_at="", outcome="")
MISSED = replace(NEWS, id="m", repeats="", waits=False, conversation="", outcome="missed")
RUNNING = replace(NEWS, id="u", outcome="running")


def shown(qtbot: QtBot) -> tuple[ScheduleList, RecordedConnection]:
    connection = RecordedConnection()
    made = ScheduleList(page_needs(connection))
    qtbot.addWidget(made)
    made.show()
    connection.reply(ListSchedule, (RINGING, DAILY, ONCE, HOURLY, NEWS, PAUSED, MISSED, RUNNING))
    return made, connection


@pytest.mark.parametrize(
    ("item", "actions"),
    [
        (DAILY, {"edit", "skip", "remove"}),
        (ONCE, {"edit", "remove"}),
        (HOURLY, {"edit", "remove"}),
        (RINGING, {"remove"}),
        (NEWS, {"edit", "results", "run", "pause", "remove"}),
        (PAUSED, {"edit", "run", "resume", "remove"}),
        (MISSED, {"edit", "run", "remove"}),
        (RUNNING, {"edit", "results", "pause", "remove"}),
    ],
)
def test_each_item_has_the_actions_that_fit_it(qtbot: QtBot, item: ScheduledItem, actions: set[str]) -> None:
    made, _ = shown(qtbot)
    made.list.choose(item.id)
    assert {name for name, button in made.list.buttons.items() if button.isVisible()} == actions


def test_the_next_time_and_the_repetition_are_told_in_words(qtbot: QtBot) -> None:
    made, _ = shown(qtbot)
    row = next(each for each in made.list.model.rows if each.key == "d")
    assert (row.title, row.detail, row.side) == ("혈압약", "알림 · 매일 오후 8시", "2026-11-26 20:00")
    made.kind.choose("timer")
    assert [each.detail for each in made.list.model.rows] == ["타이머 · 울리는 중"]


@pytest.mark.parametrize(
    ("item", "at", "name", "request_sent"),
    [
        (DAILY, "2026-11-26T21:30", "혈압약", ChangeTimer(timer="d", at="2026-11-26T21:30")),
        (DAILY, "2026-11-26T20:00", "비타민", ChangeTimer(timer="d", name="비타민")),
        (ONCE, "2026-12-01T09:00", "안과", ChangeTimer(timer="o", name="안과", at="2026-12-01T09:00")),
        (ONCE, "2026-11-27T15:00", "치과", ChangeTimer(timer="o")),
        (HOURLY, "2026-11-26T23:00", "물 마시기", ChangeTimer(timer="h", name="물 마시기")),
        (DAILY, "2026-11-26T07:00", "", ChangeTimer(timer="d", name="", at="2026-11-26T07:00")),
    ],
)
def test_a_change_sends_only_what_has_changed(
    qtbot: QtBot, item: ScheduledItem, at: str, name: str, request_sent: ChangeTimer
) -> None:
    made, connection = shown(qtbot)
    made.list.choose(item.id)
    made.list.buttons["edit"].click()
    assert made.time.isVisible() is item.retimed
    assert made.time.displayFormat() == ("HH:mm" if item.repeats else "yyyy-MM-dd HH:mm")
    made.name_field.setText(name)
    made.time.setDateTime(QDateTime.fromString(at, "yyyy-MM-ddTHH:mm"))
    made.save.click()
    assert connection.sent[-1] == request_sent


def test_a_skipped_day_and_a_deletion_can_be_undone(qtbot: QtBot) -> None:
    made, connection = shown(qtbot)
    made.list.choose("d")
    made.list.buttons["skip"].click()
    connection.reply(SkipTimer, replace(DAILY, id="d2", due_at="2026-11-27T20:00:00+09:00"))
    assert made.told.words.text() == "하루 쉬어요. 다음은 2026-11-27 20:00에 울려요: 혈압약"
    made.told.yes.click()
    assert connection.sent[-1] == UndoTimer(timer="d2")
    connection.reply(UndoTimer, True)
    assert made.told.words.text() == "되돌렸어요."
    made.list.choose("o")
    made.list.buttons["remove"].click()
    connection.reply(CancelTimer, None)
    made.told.yes.click()
    assert connection.sent[-1] == UndoTimer(timer="o")
    connection.reply(UndoTimer, False)
    assert made.told.words.text().startswith("되돌릴 수 없어요.")


def test_what_rings_is_only_stopped(qtbot: QtBot) -> None:
    made, connection = shown(qtbot)
    made.list.choose("r")
    made.list.buttons["remove"].click()
    connection.reply(CancelTimer, None)
    assert not made.told.yes.isVisible()


def test_the_list_follows_what_was_said_elsewhere_but_not_while_something_is_changed(qtbot: QtBot) -> None:
    made, connection = shown(qtbot)
    made.show_update(TimersChanged(timers=()))
    assert connection.sent[-1] == ListSchedule()
    connection.reply(ListSchedule, (DAILY,))
    made.list.choose("d")
    made.list.buttons["edit"].click()
    count = len(connection.sent)
    made.show_update(TimersChanged(timers=()))
    assert len(connection.sent) == count


@pytest.mark.parametrize(
    ("item", "detail", "side"),
    [
        (NEWS, "예약 요청 · 평일 오후 7시 · 했어요", "2026-11-27 19:00"),
        (PAUSED, "예약 요청 · 평일 오후 7시 · 멈춤", ""),
        (MISSED, "예약 요청 · 놓쳤어요", ""),
        (RUNNING, "예약 요청 · 평일 오후 7시 · 하는 중", "2026-11-27 19:00"),
    ],
)
def test_a_scheduled_request_tells_its_next_time_and_its_last_result(
    qtbot: QtBot, item: ScheduledItem, detail: str, side: str
) -> None:
    made, _ = shown(qtbot)
    row = next(each for each in made.list.model.rows if each.key == item.id)
    assert (row.title, row.detail, row.side) == ("뉴스 요약해 줘", detail, side)


@pytest.mark.parametrize(
    ("item", "action", "request_sent"),
    [
        (NEWS, "run", RunScheduledRequest(timer="n")),
        (MISSED, "run", RunScheduledRequest(timer="m")),
        (NEWS, "pause", PauseScheduledRequest(timer="n")),
        (PAUSED, "resume", PauseScheduledRequest(timer="p", paused=False)),
        (NEWS, "results", OpenConversation(conversation="c")),
        (NEWS, "remove", CancelTimer(timer="n")),
    ],
)
def test_a_scheduled_request_is_run_paused_shown_and_removed(
    qtbot: QtBot, item: ScheduledItem, action: str, request_sent: object
) -> None:
    made, connection = shown(qtbot)
    made.list.choose(item.id)
    made.list.buttons[action].click()
    assert connection.sent[-1] == request_sent


def test_pausing_can_be_undone(qtbot: QtBot) -> None:
    made, connection = shown(qtbot)
    made.list.choose("n")
    made.list.buttons["pause"].click()
    connection.reply(PauseScheduledRequest, replace(NEWS, paused=True, waits=False))
    made.told.yes.click()
    assert connection.sent[-1] == UndoTimer(timer="n")


@pytest.mark.parametrize(
    ("words", "when", "request_sent"),
    [
        ("뉴스 요약해 줘", "매일 아침 8시", ChangeTimer(timer="n", when="매일 아침 8시")),
        ("메모 정리해 줘", "평일 오후 7시", ChangeTimer(timer="n", name="메모 정리해 줘")),
        ("메모 정리해 줘", "", ChangeTimer(timer="n", name="메모 정리해 줘")),
    ],
)
def test_words_and_time_of_a_request_are_changed_as_they_are_said(
    qtbot: QtBot, words: str, when: str, request_sent: ChangeTimer
) -> None:
    made, connection = shown(qtbot)
    made.list.choose("n")
    made.list.buttons["edit"].click()
    assert (made.changer.words.text(), made.changer.when.text()) == ("뉴스 요약해 줘", "평일 오후 7시")
    assert not made.editor.isVisible()
    made.changer.words.setText(words)
    made.changer.when.setText(when)
    made.changer.save.click()
    assert connection.sent[-1] == request_sent


def test_a_request_is_added_in_words(qtbot: QtBot) -> None:
    made, connection = shown(qtbot)
    assert not made.adder.isVisible()
    made.add.click()
    made.adder.save.click()
    assert not any(isinstance(each, AddScheduledRequest) for each in connection.sent)
    made.adder.words.setText("오늘 할 일 읽어 줘")
    made.adder.when.setText("매일 아침 8시")
    made.adder.when.returnPressed.emit()
    assert connection.sent[-1] == AddScheduledRequest(words="오늘 할 일 읽어 줘", when="매일 아침 8시")
    connection.reply(AddScheduledRequest, replace(NEWS, id="x", title="오늘 할 일 읽어 줘", repeats="매일 오전 8시"))
    assert "오늘 할 일 읽어 줘, 매일 오전 8시" in made.told.words.text()
    assert not made.adder.isVisible()


def test_a_request_that_another_device_carries_out_says_so_until_this_one_does(qtbot: QtBot) -> None:
    made, connection = shown(qtbot)

    def told() -> tuple[str, str]:
        (row,) = made.list.model.rows
        return row.detail, made.describe(row.record)

    made.load()
    connection.reply(ListSchedule, (replace(NEWS, here=False),))
    assert told()[0] == "예약 요청 · 평일 오후 7시 · 했어요 · 이 기기에서는 하지 않아요"
    assert "‘기기 간 동기화’" in told()[1]
    made.show_update(SyncChanged())
    connection.reply(ListSchedule, (NEWS,))
    assert told()[0] == "예약 요청 · 평일 오후 7시 · 했어요"
    assert "‘기기 간 동기화’" not in told()[1]
