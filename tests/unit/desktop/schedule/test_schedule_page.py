"""Timers, alarms and reminders: change, leave a day out, delete, undo."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QDateTime
from pytestqt.qtbot import QtBot

from assistant.core.service.requests.timers import (
    CancelTimer,
    ChangeTimer,
    ListSchedule,
    ScheduledItem,
    SkipTimer,
    UndoTimer,
)
from assistant.core.updates import TimersChanged
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


def shown(qtbot: QtBot) -> tuple[ScheduleList, RecordedConnection]:
    connection = RecordedConnection()
    made = ScheduleList(page_needs(connection))
    qtbot.addWidget(made)
    made.show()
    connection.reply(ListSchedule, (RINGING, DAILY, ONCE, HOURLY))
    return made, connection


@pytest.mark.parametrize(
    ("item", "actions"),
    [
        (DAILY, {"edit", "skip", "remove"}),
        (ONCE, {"edit", "remove"}),
        (HOURLY, {"edit", "remove"}),
        (RINGING, {"remove"}),
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
