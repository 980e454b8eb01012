"""Requests for scheduled requests: add, change, pause, run, undo; and what is told of their results."""

from typing import Any

import pytest

from assistant.chat.alarms.changes import TimerChanges
from assistant.chat.scheduled.book import MOST, ScheduledRequests
from assistant.chat.timers import Timers
from assistant.core import updates as up
from assistant.core.errors import SoriError
from assistant.core.listeners import Listeners
from assistant.core.live_settings import LiveSettings
from assistant.core.service.requests.timers import (
    AddScheduledRequest,
    ChangeTimer,
    ListSchedule,
    PauseScheduledRequest,
    RunScheduledRequest,
    ScheduledItem,
    UndoTimer,
)
from assistant.engine.scheduling.desk import Schedule
from assistant.engine.scheduling.runs import RunEnded
from assistant.engine.scheduling.telling import ScheduleTold
from assistant.host.texts import load_texts
from assistant.storage.timers import Job, RunOutcome, StoredTimer, TimerKind
from tests.fakes.clock import START, FakeClock
from tests.fakes.front.asking import ask
from tests.unit.conftest import SETTINGS


class Desk:
    """The domain of the schedule on a real store."""

    def __init__(self, timers: Timers, clock: FakeClock) -> None:
        self.changes, self.book = TimerChanges(timers, clock), ScheduledRequests(timers, clock)
        self.here = True
        self.domain = Schedule(
            timers, self.changes, self.book, LiveSettings(SETTINGS), load_texts("ko"), lambda: self.here
        )

    async def ask(self, request: Any) -> Any:
        return await ask(self.domain, request)

    async def one(self) -> ScheduledItem:
        (only,) = await self.ask(ListSchedule())
        return only  # type: ignore[no-any-return]


@pytest.fixture
def desk(timers: Timers, clock: FakeClock) -> Desk:
    return Desk(timers, clock)


@pytest.mark.parametrize(
    ("when", "repeat", "due_at", "repeats"),
    [
        ("매일 아침 8시", "", "2026-11-23T08:00:00+09:00", "매일 오전 8시"),
        ("every Friday at five", "", "2026-11-27T17:00:00+09:00", "매주 금요일 오후 5시"),
        ("2026-12-24T18:00", "", "2026-12-24T18:00:00+09:00", ""),
        ("오전 9시", "평일", "2026-11-23T09:00:00+09:00", "평일 오전 9시"),
        ("2026-12-01T09:00", "FREQ=MONTHLY;BYMONTHDAY=1", "2026-12-01T09:00:00+09:00", "매달 1일 오전 9시"),
    ],
)
async def test_a_request_is_added_at_a_time_in_words_or_figures(
    desk: Desk, when: str, repeat: str, due_at: str, repeats: str
) -> None:
    added = await desk.ask(AddScheduledRequest(words=" 뉴스  요약해 줘 ", when=when, repeat=repeat))
    assert (added.kind, added.title, added.due_at, added.repeats) == ("request", "뉴스 요약해 줘", due_at, repeats)
    assert await desk.one() == added


@pytest.mark.parametrize(
    ("words", "when", "key"),
    [
        ("뉴스 요약해 줘", "어제 8시", "schedule_time.past"),
        ("뉴스 요약해 줘", "내일", "schedule_time.no_hour"),
        ("뉴스 요약해 줘", "아무 때나", "schedule_time.unread"),
        ("뉴스 요약해 줘", "30분마다", "schedule_too_often"),
        (" ", "내일 8시", "empty_message"),
        ("뉴" * 401, "내일 8시", "message_too_long"),
    ],
)
async def test_what_cannot_be_carried_out_is_refused_with_a_reason(desk: Desk, words: str, when: str, key: str) -> None:
    with pytest.raises(SoriError) as refused:
        await desk.ask(AddScheduledRequest(words=words, when=when))
    assert refused.value.message_key == f"error.{key}"
    assert load_texts("ko")(refused.value.message_key, **refused.value.values)
    assert await desk.ask(ListSchedule()) == ()


async def test_there_are_not_too_many(desk: Desk) -> None:
    for number in range(MOST):
        await desk.ask(AddScheduledRequest(words=f"{number}번 메모 읽어 줘", when="매일 8시"))
    with pytest.raises(SoriError, match="scheduled requests"):
        await desk.ask(AddScheduledRequest(words="하나 더 읽어 줘", when="매일 8시"))


@pytest.mark.parametrize(
    ("change", "title", "repeats"),
    [
        ({"name": "메모 정리해 줘"}, "메모 정리해 줘", "매일 오전 8시"),
        ({"when": "평일 저녁 7시"}, "뉴스 요약해 줘", "평일 오후 7시"),
        ({"when": "오전 7시 반"}, "뉴스 요약해 줘", "매일 오전 7시 30분"),
        ({"at": "2026-11-23T09:15"}, "뉴스 요약해 줘", "매일 오전 9시 15분"),
        ({"name": "메모 정리해 줘", "when": "매주 금요일 5시"}, "메모 정리해 줘", "매주 금요일 오후 5시"),
    ],
)
async def test_a_change_keeps_the_id_and_one_undoing_takes_it_back(
    desk: Desk, change: dict[str, str], title: str, repeats: str
) -> None:
    added = await desk.ask(AddScheduledRequest(words="뉴스 요약해 줘", when="매일 아침 8시"))
    changed = await desk.ask(ChangeTimer(timer=added.id, **change))
    assert (changed.id, changed.title, changed.repeats) == (added.id, title, repeats)
    assert await desk.ask(UndoTimer(timer=added.id))
    assert await desk.one() == added


async def test_a_removed_request_comes_back_when_that_is_undone(desk: Desk) -> None:
    added = await desk.ask(AddScheduledRequest(words="뉴스 요약해 줘", when="매일 아침 8시"))
    await desk.changes.cancel(added.id)
    assert await desk.ask(ListSchedule()) == ()
    assert await desk.ask(UndoTimer(timer=added.id))
    assert await desk.one() == added


async def test_it_is_paused_and_resumed(desk: Desk) -> None:
    added = await desk.ask(AddScheduledRequest(words="뉴스 요약해 줘", when="매일 아침 8시"))
    paused = await desk.ask(PauseScheduledRequest(timer=added.id))
    assert (paused.paused, paused.waits) == (True, False)
    resumed = await desk.ask(PauseScheduledRequest(timer=added.id, paused=False))
    assert (resumed.paused, resumed.waits, resumed.due_at) == (False, True, added.due_at)


async def test_an_alarm_is_no_request_that_could_be_run_or_paused(desk: Desk, timers: Timers) -> None:
    timer = await timers.set(60, "", "ko")
    for request in (RunScheduledRequest(timer=timer.id), PauseScheduledRequest(timer=timer.id)):
        with pytest.raises(SoriError):
            await desk.ask(request)


class Told:
    """What is published and said."""

    def __init__(self, *, speaker: bool, muted: bool) -> None:
        self.published: list[up.Update] = []
        self.said: list[str] = []
        self.can_speak, self.muted, self.conversation = speaker, muted, "open"
        self.ended: Listeners[[RunEnded], None] = Listeners()
        self.lost: Listeners[[Any], None] = Listeners()
        self.titled: Listeners[[], None] = Listeners()

    def announce(self, text: str) -> None:
        self.said.append(text)


def request(words: str, outcome: RunOutcome) -> StoredTimer:
    return StoredTimer(
        id=words,
        name=words,
        language="ko",
        duration_s=1,
        due_at=START,
        created_at=START,
        kind=TimerKind.REQUEST,
        job=Job(outcome=outcome, ran_at=START.isoformat()),
    )


@pytest.mark.parametrize(
    ("speaker", "muted", "aloud", "speaks"),
    [
        (True, False, False, True),
        (True, True, False, False),
        (False, False, False, False),
        (True, False, True, False),
    ],
)
def test_a_result_is_always_shown_and_said_where_somebody_may_hear_it(
    desk: Desk, speaker: bool, muted: bool, aloud: bool, speaks: bool
) -> None:
    told: Any = Told(speaker=speaker, muted=muted)
    ScheduleTold(told, desk.book, told, load_texts("ko"), told.published.append)
    told.ended.tell(
        RunEnded(request=request("뉴스", RunOutcome.DONE), conversation="c", answer="비가 와요.", aloud=aloud)
    )
    (notice,) = told.published
    assert (notice.key, notice.values["answer"]) == ("notice.scheduled.done", "비가 와요.")
    assert load_texts("ko")(notice.key, **notice.values)
    assert told.said == (["예약한 요청이에요: 뉴스. 비가 와요."] if speaks else [])


@pytest.mark.parametrize("outcome", [RunOutcome.MISSED, RunOutcome.INTERRUPTED])
def test_all_that_was_lost_is_told_in_one_notice_and_one_sentence(desk: Desk, outcome: RunOutcome) -> None:
    told: Any = Told(speaker=True, muted=False)
    ScheduleTold(told, desk.book, told, load_texts("ko"), told.published.append)
    told.lost.tell(tuple(request(words, outcome) for words in ("뉴스", "할 일", "메모")))
    (notice,) = told.published
    assert (notice.key, notice.severity) == (f"notice.scheduled.{outcome}", up.Severity.WARNING)
    assert all(words in notice.values["requests"] for words in ("뉴스", "할 일", "메모"))
    assert len(told.said) == 1


async def test_of_what_another_device_carries_out_only_what_rings_is_here(desk: Desk, timers: Timers) -> None:
    await timers.set(60, "라면", "ko")
    await desk.book.add_at("할 일 읽어 줘", "매일 아침 8시", "ko")
    desk.here = False
    assert [(each.kind, each.here) for each in await desk.ask(ListSchedule())] == [("timer", True), ("request", False)]
    desk.here = True
    assert all(each.here for each in await desk.ask(ListSchedule()))
