"""The tools that set, list and cancel alarms and reminders."""

from typing import Any

import pytest

from assistant.chat.alarms.alarms import Alarms
from assistant.chat.timers import Timers
from assistant.tools.builtin.schedule.alarms import alarm_tools
from assistant.tools.tool import ToolError
from tests.fakes.asking.served_call import served_call
from tests.fakes.clock import FakeClock


class World:
    def __init__(self, timers: Timers, clock: FakeClock) -> None:
        self.timers = timers
        self._tools = {each.name: each for each in alarm_tools(Alarms(timers, clock), lambda: "en")}

    async def run(self, tool: str, /, **arguments: Any) -> str:
        return str(await self._tools[tool].run(arguments, served_call()))


@pytest.fixture
def world(timers: Timers, clock: FakeClock) -> World:
    return World(timers, clock)


@pytest.mark.parametrize(
    ("when", "told"),
    [
        ("tomorrow at 7", "on Monday, November 23, 2026 at 7:00 AM."),
        ("tomorrow at 7:30", "on Monday, November 23, 2026 at 7:30 AM."),
        ("on December 24 at 18:00", "on Thursday, December 24, 2026 at 6:00 PM."),
        ("내일 아침 7시 반", "2026년 11월 23일 월요일 오전 7시 30분에 알람을 울릴게요."),
        ("다음 달 5일 9시", "2026년 12월 5일 토요일 오전 9시에 알람을 울릴게요."),
        ("2026-12-03T19:30", "on Thursday, December 3, 2026 at 7:30 PM."),
        ("2026-12-03T07:30:00", "on Thursday, December 3, 2026 at 7:30 AM."),
        ("2026-12-03 00:15", "on Thursday, December 3, 2026 at 12:15 AM."),
        ("2026-12-24T18:00+09:00", "on Thursday, December 24, 2026 at 6:00 PM."),
        ("07:30", "on Monday, November 23, 2026 at 7:30 AM."),
        ("7", "on Sunday, November 22, 2026 at 7:00 PM."),
        ("every weekday at 6:45", "every weekday at 6:45 AM. The next one is on Monday, November 23, 2026 at 6:45 AM."),
    ],
)
async def test_a_time_may_be_in_words_or_iso_and_is_said_back(world: World, when: str, told: str) -> None:
    assert (await world.run("set_alarm", when=when)) in (told, f"The alarm will ring {told}")


@pytest.mark.parametrize(
    ("when", "repeat", "told"),
    [
        ("2026-12-05T09:00", "FREQ=MONTHLY;BYMONTHDAY=5", "every month on the 5th at 9:00 AM"),
        (
            "2026-11-30T15:00",
            "RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO",
            "every other Monday at 3:00 PM, starting on November 30",
        ),
        ("2026-12-24T18:00", "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24", "every year on December 24 at 6:00 PM"),
        ("2026-11-27T10:00", "FREQ=MONTHLY;BYDAY=-1FR", "every month on the last Friday at 10:00 AM"),
        (
            "2026-11-30T10:00",
            "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
            "every month on the last weekday at 10:00 AM",
        ),
        ("tomorrow at 7:00", "FREQ=DAILY;UNTIL=20261231", "every day at 7:00 AM, until December 31"),
        ("2026-11-23T07:00", "FREQ=DAILY;COUNT=3", "every day at 7:00 AM, 3 times in all"),
        ("07:00", "FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0", "every day at 8:00 AM and 8:00 PM"),
        ("07:30", "every weekday", "every weekday at 7:30 AM"),
        ("7:30", "FREQ=DAILY", "every day at 7:30 AM"),
        ("every day at 7 am", "FREQ=DAILY", "every day at 7:00 AM"),
        ("2026-12-05T09:00", "monthly", "every month on the 5th at 9:00 AM"),
        ("2026-11-23T07:00", "none", "on Monday, November 23, 2026 at 7:00 AM"),
    ],
)
async def test_repetitions_are_rules_of_rfc_5545(world: World, when: str, repeat: str, told: str) -> None:
    assert f"will ring {told}." in await world.run("set_alarm", when=when, repeat=repeat)


async def test_what_was_set_is_told_in_the_users_language(timers: Timers, clock: FakeClock) -> None:
    tools = {each.name: each for each in alarm_tools(Alarms(timers, clock), lambda: "ko")}
    told = await tools["set_alarm"].run(
        {"when": "2026-12-05T09:00", "what": "월세", "repeat": "FREQ=MONTHLY;BYMONTHDAY=5"}, served_call()
    )
    assert str(told).endswith("매달 5일 오전 9시에 알려 드릴게요: 월세. 다음은 2026년 12월 5일 토요일 오전 9시예요.")
    told = await tools["set_alarm"].run({"when": "12월 24일 오후 6시"}, served_call())
    assert str(told).endswith("2026년 12월 24일 목요일 오후 6시에 알람을 울릴게요.")


async def test_days_are_left_out_of_a_repetition(world: World) -> None:
    told = await world.run(
        "set_alarm", when="tomorrow at 7 am", repeat="FREQ=DAILY", except_on=["2026-11-23", "2026-12-25"]
    )
    assert "except on November 23 and December 25. The next one is on Tuesday, November 24" in told


@pytest.mark.parametrize(
    ("when", "why"),
    [
        ("yesterday at 7", "time.past"),
        ("2026-11-01T07:00", "time.past"),
        ("tomorrow", "no_hour"),
        ("soon", "unread"),
        ("february 30th at 7 am", "impossible"),
        ("on December 24 at 18:00 sharp or so", "unread"),
        ("every weekday but Friday at 7", "unread"),
        ("매일 아침 8시와 저녁 8시 반", "unread"),
        ("3시 이후", "unread"),
        ("2026-12-24T18:00:00Z", "other_zone"),
        ("in two weeks on tuesday at 3 pm", "unclear"),
    ],
)
async def test_a_time_that_cannot_be_used_is_an_error_with_a_reason(world: World, when: str, why: str) -> None:
    with pytest.raises(ToolError, match=why):
        await world.run("set_alarm", when=when)
    assert await world.timers.alarms() == ()


@pytest.mark.parametrize(
    ("when", "repeat", "why"),
    [
        ("2026-12-05T09:00", "FREQ=SECONDLY", "cannot be used"),
        ("2026-12-05T09:00", "FREQ=MINUTELY", "at most every 5 minutes"),
        ("2026-12-05T09:00", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "no day fits"),
        ("2026-12-05T09:00", "every blue moon", "no rule"),
        ("2026-12-05T09:00", "BYDAY=MO", "no FREQ"),
        ("2026-12-05T09:00", "FREQ=DAILY;UNTIL=20200101", "no day fits"),
        ("2026-12-05T09:00", "FREQ=MONTHLY;BYMONTHDAY=32", "cannot be used"),
        ("매일 아침 7시", "FREQ=WEEKLY;BYDAY=MO", "repeat differently"),
        ("Tuesday at 7 am", "FREQ=WEEKLY;BYDAY=MO", "repeat differently"),
        ("다음 주 금요일 오전 9시", "FREQ=MONTHLY;BYDAY=1MO", "repeat differently"),
    ],
)
async def test_a_repetition_that_cannot_be_used_sets_nothing(world: World, when: str, repeat: str, why: str) -> None:
    with pytest.raises(ToolError, match=why):
        await world.run("set_alarm", when=when, repeat=repeat)
    assert await world.timers.alarms() == ()


@pytest.mark.parametrize("when", ["2026-11-23", "2026-11-23T07:00", "tomorrow", "내일 아침 7시"])
async def test_one_day_of_a_repetition_is_cancelled_and_the_rest_stays(world: World, when: str) -> None:
    await world.run("set_alarm", when="every day at 7 am", what="run")
    told = await world.run("cancel_alarms", when=when)
    assert told == "Cancelled: Monday, November 23, 2026 at 7:00 AM: run"
    assert "except on November 23" in await world.run("list_alarms")


async def test_reminders_are_listed_and_cancelled_by_time_or_words(world: World) -> None:
    assert await world.run("list_alarms") == "No alarm or reminder is set."
    await world.run("set_alarm", when="tomorrow at 9 am", what="call mum")
    await world.run("set_alarm", when="tomorrow at 7 am")
    assert (await world.run("list_alarms")).splitlines() == [
        "Monday, November 23, 2026 at 7:00 AM",
        "Monday, November 23, 2026 at 9:00 AM: call mum",
    ]
    with pytest.raises(ToolError, match=r"nothing_chosen.*call mum"):
        await world.run("cancel_alarms")
    assert await world.run("cancel_alarms", what="dad") == "No such alarm is set."
    assert await world.run("cancel_alarms", when="7") == "Cancelled: Monday, November 23, 2026 at 7:00 AM"
    assert await world.run("cancel_alarms", what="mum") == "Cancelled: Monday, November 23, 2026 at 9:00 AM: call mum"
