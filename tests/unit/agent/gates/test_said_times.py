"""A small model's alarm keeps the repetition, the date and the time that the user said."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from assistant.agent.gates.said_times import ContradictionError, with_said_times
from assistant.llm.backend import ModelToolCall

SEOUL = ZoneInfo("Asia/Seoul")
NOW = datetime(2026, 11, 25, 10, 0, tzinfo=SEOUL)
"""A Wednesday."""


def zone(wall: datetime) -> datetime:
    return wall.replace(tzinfo=SEOUL)


def call(when: str, repeat: str = "", **others: Any) -> ModelToolCall:
    arguments = {"when": when, **({"repeat": repeat} if repeat else {}), **others}
    return ModelToolCall(id="1", name="set_alarm", arguments=arguments)


def kept(request: str, *calls: ModelToolCall) -> list[dict[str, Any]]:
    return [each.arguments for each in with_said_times(calls, request, NOW, zone)]


@pytest.mark.parametrize(
    ("request_", "when", "repeat", "wanted"),
    [
        # The repetition is lost, or another one.
        (
            "격주 월요일 아침 9시에 분리수거 챙겨 줘",
            "2026-11-30T09:00",
            "FREQ=WEEKLY;BYDAY=MO",
            "격주 월요일 아침 9시에",
        ),
        ("격주 월요일 아침 9시에 분리수거 챙겨 줘", "2026-11-30T09:00", "", "격주 월요일 아침 9시에"),
        ("격주 월요일 오전 9시마다 재활용 챙겨 줄래", "2026-11-30T09:00", "", "격주 월요일 오전 9시마다"),
        ("매일 밤 10시에 약 먹게 챙겨 줄래", "2026-11-25T22:00", "", "매일 밤 10시에"),
        ("매일 밤 10시에 약 먹게 챙겨 줄래", "오후 10시", "", "매일 밤 10시에"),
        ("매주 화요일 저녁 7시에 운동 챙겨 줘", "2026-12-01T19:00", "FREQ=DAILY", "매주 화요일 저녁 7시에"),
        ("평일 아침 6시에 좀 일으켜 줘", "2026-11-26T06:00", "FREQ=DAILY", "평일 아침 6시에"),
        ("매달 5일 아침 9시에 월세 챙겨 줘", "2026-12-05T09:00", "", "매달 5일 아침 9시에"),
        (
            "every other monday at 9 am I take out the bins",
            "2026-11-30T09:00",
            "FREQ=WEEKLY;BYDAY=MO",
            "every other monday at 9 am",
        ),
        ("every night at 10 pm pills", "2026-11-25T22:00", "", "every night at 10 pm"),
        ("I need to be up at 6:30 am on weekdays", "2026-11-26T06:30", "FREQ=DAILY", "at 6:30 am on weekdays"),
        ("first monday of every month at noon, rent", "2026-12-07T12:00", "", "first monday of every month at noon"),
        # What nobody said: an end, an exception, a repetition.
        ("매일 아침 8시에 비타민 챙겨 줘", "2026-11-26T08:00", "FREQ=DAILY;COUNT=5", "매일 아침 8시에"),
        ("내일 아침 8시에 비타민 챙겨 줘", "2026-11-26T08:00", "FREQ=DAILY", "내일 아침 8시에"),
        ("tomorrow at 8 am vitamins", "2026-11-26T08:00", "FREQ=DAILY", "tomorrow at 8 am"),
        # Another day.
        ("내일 아침 7시 반에 일으켜 줄래", "2026-11-27T07:30", "", "내일 아침 7시 반에"),
        ("12월 24일 오후 6시에 케이크 찾게 챙겨 줘", "2026-11-24T18:00", "", "12월 24일 오후 6시에"),
        ("모레 낮 2시에 치과 챙겨 줘", "2026-11-26T14:00", "", "모레 낮 2시에"),
        ("tomorrow at 7 pm I must call mum", "2026-11-25T19:00", "", "tomorrow at 7 pm"),
        ("on december 24 at 6 pm I collect the cake", "2027-12-24T18:00", "", "on december 24 at 6 pm"),
        # The other half of the day.
        ("내일 아침 7시 반에 일으켜 줄래", "2026-11-26T19:30", "", "내일 아침 7시 반에"),
        ("오늘 밤 11시에 가스 챙겨 줘", "2026-11-26T11:00", "", "오늘 밤 11시에"),
        ("tomorrow at 7 pm I must call mum", "2026-11-26T07:00", "", "tomorrow at 7 pm"),
        # A delay, and what recurs within a day.
        ("30분 뒤에 빨래 꺼내게 좀 불러 주라니까", "2026-11-25T13:00", "", "30분 뒤에"),
        ("2시간마다 물 마시라고 잔소리해 줘", "2026-11-25T12:00", "", "2시간마다"),
        ("in 20 minutes I have to check the oven", "2026-11-25T10:50", "", "in 20 minutes"),
        ("every two hours nag me to drink water", "2026-11-25T12:00", "", "every two hours"),
    ],
)
def test_a_call_gets_the_time_that_was_said(request_: str, when: str, repeat: str, wanted: str) -> None:
    assert kept(request_, call(when, repeat, what="x")) == [{"when": wanted, "what": "x"}]


@pytest.mark.parametrize(
    ("request_", "when", "repeat"),
    [
        # It is the same time.
        ("격주 월요일 아침 9시에 분리수거 챙겨 줘", "2026-11-30T09:00", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO"),
        ("격주 월요일 아침 9시에 분리수거 챙겨 줘", "2026-11-30T09:00", "FREQ=WEEKLY;INTERVAL=2"),
        ("격주 월요일 아침 9시에 분리수거 챙겨 줘", "격주 월요일 아침 9시", ""),
        ("내일 7시 반에 일으켜 줄래", "2026-11-26T19:30", ""),
        ("내일 7시 반에 일으켜 줄래", "2026-11-26T07:30", ""),
        ("30분 뒤에 빨래 꺼내게 좀 불러 주라니까", "2026-11-25T10:30", ""),
        ("30분 뒤에 빨래 꺼내게 좀 불러 주라니까", "30분 뒤", ""),
        ("2시간마다 물 마시라고 잔소리해 줘", "2026-11-25T12:00", "FREQ=HOURLY;INTERVAL=2"),
        ("매달 5일에 월세 챙겨 줘", "2026-12-05T09:00", "FREQ=MONTHLY;BYMONTHDAY=5"),
        ("tomorrow at 7 I must call mum", "2026-11-26T19:00", ""),
        ("every weekday at 6:30 am get me going", "2026-11-26T06:30", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        # Not every word of time was read, none was said, or the time is that of something else.
        ("알람 좀 부탁할게", "2026-11-27T17:00", ""),
        ("내일 오후 3시 회의 10분 전에 챙겨 줘", "2026-11-26T14:50", ""),
        ("내일 3시 회의 미리 챙겨 줘", "2026-11-26T14:30", ""),
        ("3시 회의 준비하게 2시에 불러 주라", "2026-11-25T14:00", ""),
        ("금요일까지 아침 7시에 일으켜 줘", "2026-11-26T07:00", "FREQ=DAILY;UNTIL=20261127"),
        ("the meeting is tomorrow at 3 pm, remind me ahead of it", "2026-11-26T14:30", ""),
        ("the meeting is tomorrow at 3 pm, remind me 10 minutes before", "2026-11-26T14:50", ""),
        ("3시에 만난 사람한테 내일 전화하게 챙겨 줄래", "2026-11-26T09:00", ""),
        ("7시 알람 그거 8시로 바꿔 줄래", "2026-11-26T08:00", ""),
        ("I met her at 3, tomorrow I should call her back, alarm please", "2026-11-26T09:00", ""),
        ("until friday wake me at 7", "2026-11-26T07:00", "FREQ=DAILY;UNTIL=20261127"),
        ("sometime next spring, please", "2027-03-01T09:00", ""),
        # The tool tells what is wrong with it.
        ("내일 아침 7시 반에 일으켜 줄래", "언젠가", ""),
        ("tomorrow at 7 pm I must call mum", "soon", "nonsense"),
    ],
)
def test_a_call_stays_where_the_words_do_not_contradict_it_or_were_not_read(
    request_: str, when: str, repeat: str
) -> None:
    made = call(when, repeat, what="x")
    assert kept(request_, made) == [made.arguments]


@pytest.mark.parametrize(
    ("request_", "when"),
    [
        ("내일 아침 7시 반에 일으켜 줄래", "2026-11-26T08:00"),
        ("매일 밤 10시에 약 먹게 챙겨 줄래", "2026-11-25T21:30"),
        ("금요일에 월세 챙겨 줘", "2026-11-26T09:00"),
        ("오늘 7시에 일으켜 줬으면", "2026-11-26T07:00"),
        ("2월 30일 9시에 알람 부탁할게", "2027-03-02T09:00"),
        ("tomorrow at 7 pm I must call mum", "2026-11-26T20:00"),
        ("on friday I pay the rent", "2026-11-26T09:00"),
        ("on february 30 at 9 am, alarm", "2027-03-02T09:00"),
    ],
)
def test_a_call_is_asked_for_again_where_nobody_knows_which_time_is_meant(request_: str, when: str) -> None:
    with pytest.raises(ContradictionError):
        kept(request_, call(when, what="x"))


def test_days_without_an_hour_keep_the_hour_of_the_call() -> None:
    assert kept("매달 5일에 월세 챙겨 줘", call("2026-12-05T09:00", what="월세")) == [
        {"when": "2026-12-05T09:00", "what": "월세", "repeat": "FREQ=MONTHLY;BYMONTHDAY=5"}
    ]


def test_other_calls_and_several_alarms_stay() -> None:
    other = ModelToolCall(id="2", name="set_timer", arguments={"minutes": 3})
    two = call("2026-11-26T07:30"), call("2026-11-26T08:00")
    assert kept("내일 아침 7시 반에 일으켜 줄래", *two) == [each.arguments for each in two]
    first, second = kept("매일 밤 10시에 약 챙겨 줄래", other, call("2026-11-25T22:00"))
    assert (first, second) == (other.arguments, {"when": "매일 밤 10시에"})
