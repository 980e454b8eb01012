"""Alarms and reminders as plain commands, said on Sunday 22 November 2026 at 15:05."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import timedelta, timezone

import pytest

from assistant.chat.alarms.alarms import Alarms
from assistant.chat.commands import Commands
from assistant.chat.timers import POLL_S, RING_LIMIT_S, Ring, Timers
from assistant.storage.timers import TimerKind
from tests.fakes.clock import FakeClock


async def say(commands: Commands, sentence: str) -> str:
    found = commands.recognize(sentence, "ko")
    assert found is not None, sentence
    return await commands.answer(found)


@pytest.fixture
async def rings(timers: Timers) -> AsyncIterator["asyncio.Queue[Ring]"]:
    queue: asyncio.Queue[Ring] = asyncio.Queue()
    timers.rung.add(queue.put_nowait)
    running = asyncio.create_task(timers.run())
    yield queue
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running


async def look(clock: FakeClock, seconds: float) -> None:
    """Let time pass at once, as when the computer sleeps, and let the timers look at the clock."""
    await clock.until_sleeping()
    clock.advance(max(seconds, POLL_S))
    await clock.until_sleeping()


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("내일 아침 7시에 깨워 줘", "내일 오전 7시에 알람을 울릴게요."),
        ("매일 아침 7시 반에 깨워 줘", "매일 오전 7시 30분에 알람을 울릴게요."),
        ("평일 아침 7시에 알람 맞춰줘", "평일 오전 7시에 알람을 울릴게요."),
        ("다음 주 화요일 오후 3시에 병원 가라고 알려줘", "모레 오후 3시에 알려 드릴게요: 병원 가기."),
        ("오후 5시에 알려줘", "오늘 오후 5시에 알려 드릴게요."),
        ("오늘 아침 7시에 깨워 줘", "이미 지난 시각이에요. 앞으로 올 시각을 말해 주세요."),
        ("내일 깨워 줘", "몇 시인지도 함께 말해 주세요. 예를 들면 “내일 아침 7시에 깨워 줘”라고요."),
        ("2월 30일 아침 7시에 깨워 줘", "그런 날짜나 시각은 없어요."),
        ("remind me to call mum at 5", "I will remind you today at 5:00 PM: call mum."),
        ("wake me up every weekday at 7", "The alarm will ring every weekday at 7:00 AM."),
        ("set an alarm for 9 am on december 3rd", "The alarm will ring on Thursday, December 3 at 9:00 AM."),
        ("set an alarm for 9 am today", "That time is already past. Please tell me one that is still to come."),
        ("알람 뭐 있어?", "맞춰 둔 알람이나 알림이 없어요."),
        ("5분만 더", "5분 타이머를 시작할게요."),
        ("알람 미뤄줘", "지금 울리는 알람이 없어요."),
    ],
)
async def test_the_answer_tells_what_was_understood(commands: Commands, sentence: str, answer: str) -> None:
    assert await say(commands, sentence) == answer


@pytest.mark.parametrize(
    ("repeated", "sentence", "answer", "left"),
    [
        ("매일 아침 7시 알람", "내일 7시 알람 꺼 줘", "내일 오전 7시 알람", "11월 24일"),
        ("매일 아침 7시 알람", "내일 아침 7시 알람 취소해 줘", "내일 오전 7시 알람", "11월 24일"),
        ("매일 저녁 6시 알람", "오늘 6시 알람 꺼 줘", "오늘 오후 6시 알람", "11월 23일"),
        ("평일 아침 7시 알람", "월요일 7시 알람 꺼 줘", "내일 오전 7시 알람", "11월 24일"),
        ("매주 화요일 9시 알람", "11월 24일 9시 알람 꺼 줘", "모레 오전 9시 알람", "12월 1일"),
        ("격주 화요일 9시 알람", "모레 9시 알람 꺼 줘", "모레 오전 9시 알람", "12월 8일"),
        ("매달 24일 9시 알람", "모레 9시 알람 꺼 줘", "모레 오전 9시 알람", "12월 24일"),
        ("every weekday at 7 am alarm", "turn off my 7 am alarm tomorrow", "an alarm tomorrow at 7:00 AM", "11월 24일"),
        ("every day at 10 pm alarm", "cancel the 10 pm alarm tonight", "an alarm today at 10:00 PM", "11월 23일"),
        ("every month on the 24th at 9 alarm", "cancel the 9 am alarm on Tuesday", "Tuesday, November 24", "12월 24일"),
        ("매일 아침 7시 알람", "7시 알람 꺼 줘", "매일 오전 7시 알람", ""),
        ("매주 화요일 9시 알람", "화요일 9시 알람 꺼 줘", "매주 화요일 오전 9시 알람", ""),
        ("매일 아침 7시 알람", "매일 7시 알람 꺼 줘", "매일 오전 7시 알람", ""),
        ("every weekday at 7 am alarm", "cancel the 7 am alarm", "an alarm every weekday at 7:00 AM", ""),
    ],
)
async def test_one_day_of_what_repeats_is_cancelled_alone(
    commands: Commands, timers: Timers, repeated: str, sentence: str, answer: str, left: str
) -> None:
    await say(commands, repeated)
    assert answer in await say(commands, sentence)
    repeating = [timer for timer in await timers.alarms() if timer.repeats]
    assert [f"{timer.due_at:%-m월 %-d일}" for timer in repeating] == ([left] if left else [])


async def test_one_of_several_times_of_a_day_is_not_cancelled_with_the_others(
    commands: Commands, timers: Timers
) -> None:
    await say(commands, "매일 아침 8시와 저녁 8시에 약 먹으라고 알려 줘")
    before = await timers.alarms()
    assert (await say(commands, "내일 아침 8시 알림 꺼 줘")).startswith("그런 알람은 없어요.")
    assert await timers.alarms() == before


async def test_alarms_are_listed_and_cancelled_by_time_words_or_all(commands: Commands, timers: Timers) -> None:
    for sentence in ("내일 아침 7시에 깨워 줘", "매일 밤 10시에 약 먹으라고 알려줘", "오후 6시 알람", "5분 타이머"):
        await say(commands, sentence)
    three = "오늘 오후 6시 알람, 매일 오후 10시 약 먹기, 내일 오전 7시 알람"
    assert await say(commands, "알람 뭐 있어?") == f"알람과 알림이 3개 있어요: {three}."
    assert await say(commands, "알람 취소해줘") == f"여러 개가 있어요: {three}. 어느 것을 취소할까요?"
    assert await say(commands, "3시 알람 취소해줘") == f"그런 알람은 없어요. 지금 있는 것: {three}."
    assert await say(commands, "7시 알람 꺼줘") == "취소했어요: 내일 오전 7시 알람."
    assert await say(commands, "밤 10시 약 알림 취소해줘") == "취소했어요: 매일 오후 10시 약 먹기."
    assert await say(commands, "cancel the alarm") == "Cancelled: an alarm today at 6:00 PM."
    assert await say(commands, "알람 꺼줘") == "맞춰 둔 알람이나 알림이 없어요."
    assert len(await timers.running()) == 1
    await say(commands, "오후 6시 알람")
    await say(commands, "오후 7시 알람")
    assert await say(commands, "알람 전부 취소해줘") == "알람과 알림 2개를 모두 취소했어요."


async def test_an_alarm_rings_with_its_words_and_is_stopped_by_voice(
    commands: Commands, timers: Timers, clock: FakeClock, rings: "asyncio.Queue[Ring]"
) -> None:
    await say(commands, "오후 3시 10분에 약 먹으라고 알려줘")
    await look(clock, 300)
    ring = await rings.get()
    assert (ring.text, ring.goes_on) == ("알림이에요: 약 먹기.", True)
    assert await say(commands, "알람 꺼줘") == "껐어요."
    assert await timers.ringing() == ()


async def test_what_rings_can_be_put_off(
    commands: Commands, timers: Timers, clock: FakeClock, rings: "asyncio.Queue[Ring]"
) -> None:
    await say(commands, "오후 3시 10분 알람")
    await look(clock, 300)
    assert (await rings.get()).text == "오늘 오후 3시 10분 알람이에요."
    assert await say(commands, "5분만 더 잘게") == "5분 뒤에 다시 울릴게요."
    assert await timers.ringing() == ()
    await look(clock, 300)
    assert (await rings.get()).goes_on
    assert await say(commands, "snooze") == "I will ring again in 10 minutes."


async def test_a_repeating_alarm_rings_again_although_it_was_stopped(
    commands: Commands, timers: Timers, clock: FakeClock, rings: "asyncio.Queue[Ring]"
) -> None:
    await say(commands, "매일 오후 3시 10분에 깨워 줘")
    for day in (23, 24):
        await look(clock, 300 if day == 23 else 24 * 3600)
        assert (await rings.get()).goes_on
        await timers.dismiss()
        (again,) = await timers.alarms()
        assert f"{again.due_at:%d %H:%M}" == f"{day} 15:10"


@pytest.mark.parametrize(
    ("sentence", "moments", "listed", "cancelling"),
    [
        (
            "매달 말일 오후 6시에 정산하라고 알려 줘",
            ["11-30", "12-31", "01-31"],
            "매달 말일 오후 6시 정산하기",
            "매달 말일 알람 취소해 줘",
        ),
        (
            "격주 월요일 오후 6시에 화분 돌리라고 알려 줘",
            ["11-23", "12-07", "12-21"],
            "11월 23일부터 격주 월요일 오후 6시 화분 돌리기",
            "격주 월요일 화분 알림 취소해 줘",
        ),
        (
            "매년 12월 24일 오후 6시에 케이크라고 알려 줘",
            ["12-24", "12-24"],
            "매년 12월 24일 오후 6시 케이크",
            "매년 12월 24일 알람 취소해 줘",
        ),
        (
            "매달 마지막 금요일 오후 6시에 회식이라고 알려 줘",
            ["11-27", "12-25", "01-29"],
            "매달 마지막 금요일 오후 6시 회식",
            "매달 마지막 금요일 알람 취소해 줘",
        ),
    ],
)
async def test_a_rule_rings_is_listed_and_is_cancelled_by_its_words(
    commands: Commands,
    timers: Timers,
    clock: FakeClock,
    rings: "asyncio.Queue[Ring]",
    sentence: str,
    moments: list[str],
    listed: str,
    cancelling: str,
) -> None:
    await say(commands, sentence)
    await say(commands, "매달 5일 오전 9시에 월세 내라고 알려 줘")
    assert listed in await say(commands, "알람 뭐 있어?")
    for moment in moments:
        alarm = next(each for each in await timers.alarms() if each.name in listed)
        assert f"{alarm.due_at:%m-%d %H:%M}" == f"{moment} 18:00"
        clock.set(alarm.due_at - timedelta(seconds=POLL_S))
        await timers.dismiss()
        await look(clock, POLL_S)
        await timers.dismiss()
    assert any(ring.text.endswith(f"{alarm.name}.") for ring in [rings.get_nowait() for _ in range(rings.qsize())])
    assert (await say(commands, cancelling)).startswith("취소했어요")
    assert [each.name for each in await timers.alarms()] == ["월세 내기"]


async def test_a_rule_with_an_end_rings_for_the_last_time(
    timers: Timers, clock: FakeClock, rings: "asyncio.Queue[Ring]"
) -> None:
    await Alarms(timers, clock).set_at("2026-11-22T16:00", "약", "ko", "FREQ=DAILY;COUNT=2")
    for _ in range(2):
        (alarm,) = await timers.alarms()
        clock.set(alarm.due_at - timedelta(seconds=POLL_S))
        await look(clock, POLL_S)
        assert (await rings.get()).goes_on
        await timers.dismiss()
    assert await timers.alarms() == ()


async def test_what_was_missed_while_sori_was_off_is_told_once(
    commands: Commands, timers: Timers, clock: FakeClock
) -> None:
    await say(commands, "오후 4시에 엄마한테 전화하라고 알려줘")
    await say(commands, "매일 오후 5시 알람")
    clock.advance(3 * 24 * 3600 + RING_LIMIT_S)
    told: list[Ring] = []
    timers.rung.add(told.append)
    running = asyncio.create_task(timers.run())
    await clock.until_sleeping()
    running.cancel()
    assert [(ring.text, ring.goes_on) for ring in told] == [
        (
            "11월 22일 일요일 오후 4시에 알려 드리지 못한 것이 있어요: 엄마한테 전화하기. 그때는 제가 꺼져 있었어요.",
            False,
        ),
        ("11월 22일 일요일 오후 5시 알람을 그때 울리지 못했어요. 제가 꺼져 있었어요.", False),
    ]
    (again,) = await timers.alarms()
    assert again.kind is TimerKind.ALARM
    assert f"{again.due_at:%m-%d %H:%M}" == "11-25 17:00"


async def test_a_repeating_alarm_keeps_to_the_wall_clock_in_another_time_zone(
    commands: Commands, timers: Timers, clock: FakeClock, rings: "asyncio.Queue[Ring]"
) -> None:
    await say(commands, "매일 아침 7시에 깨워 줘")
    await look(clock, 1)
    clock.set(clock.now().astimezone(timezone(timedelta(hours=1))))
    await look(clock, 1)
    (alarm,) = await timers.alarms()
    assert alarm.due_at.isoformat() == "2026-11-23T07:00:00+01:00"


async def test_only_alarms_of_the_next_hours_are_shown_like_timers(
    commands: Commands, timers: Timers, clock: FakeClock, rings: "asyncio.Queue[Ring]"
) -> None:
    shown: list[list[str]] = []
    timers.changed.add(lambda changed: shown.append([f"{each.due_at:%d %H}" for each in changed]))
    await say(commands, "내일 오후 4시 알람")
    await say(commands, "오후 6시 알람")
    await look(clock, 1)
    assert shown[-1] == ["22 18"]
    await look(clock, 14 * 3600)
    assert shown[-1][-1] == "23 16"
