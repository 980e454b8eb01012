"""Scheduled requests on a virtual clock: due, late, missed, paused, cut off, and never twice."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from assistant.chat.alarms.changes import TimerChanges
from assistant.chat.board import TurnBoard
from assistant.chat.scheduled.book import ScheduledRequests
from assistant.chat.scheduled.due import DueRequests, RunLead
from assistant.chat.timers import POLL_S, Timers
from assistant.core.errors import StorageError
from assistant.core.messages import Role
from assistant.core.permissions import Category
from assistant.core.records.agents import AgentId
from assistant.engine.domains.sync.leadership import Leadership
from assistant.engine.scheduling.runs import RunEnded, ScheduledRuns
from assistant.storage.conversation_list import ConversationList
from assistant.storage.database import Database
from assistant.storage.timers import RunOutcome, StoredTimer, TimerStore
from assistant.tools.calling import RunningCall
from assistant.tools.tool import Tool
from tests.fakes.backend import FakeBackend, calls, says
from tests.fakes.clock import FakeClock
from tests.unit.conftest import MakeWorld, World

MORNING = "매일 아침 8시"


@dataclass
class Desk:
    """Everything that carries scheduled requests out, as in the engine."""

    world: World
    timers: Timers
    due: DueRequests
    book: ScheduledRequests
    changes: TimerChanges
    titles: ConversationList
    runs: ScheduledRuns
    told: list[RunEnded] = field(default_factory=list)
    lost: list[Sequence[StoredTimer]] = field(default_factory=list)
    _loops: list[asyncio.Task[None]] = field(default_factory=list)

    def start(self) -> None:
        self.runs.ended.add(self.told.append)
        self.runs.lost.add(self.lost.append)
        self._loops = [asyncio.create_task(each) for each in (self.timers.run(), self.due.run())]

    async def pass_time(self, to: timedelta) -> None:
        """Move the clock at once, as after a sleep of the computer, and let everything settle."""
        await self.world.clock.until_sleeping(2)
        self.world.clock.advance(to.total_seconds())
        await self.settled()

    async def settled(self) -> None:
        for _ in range(2):
            await self.world.clock.until_sleeping(2)
            self.world.clock.advance(POLL_S)
            await self.world.clock.until_sleeping(2)
            await self.runs.settle()

    async def one(self) -> StoredTimer:
        (only,) = await self.book.every()
        return only

    async def close(self) -> None:
        for each in self._loops:
            each.cancel()
        await asyncio.gather(*self._loops, return_exceptions=True)
        await self.runs.close()


ALONE = Leadership("schedule")
"""A device in no account."""


async def at_once() -> None:
    pass


def desk_on(
    world: World,
    database: Database,
    timers: Timers,
    rests: Callable[[], Awaitable[None]] = at_once,
    lead: RunLead = ALONE,
) -> Desk:
    book, titles = ScheduledRequests(timers, world.clock), ConversationList(database, world.clock)
    board = TurnBoard(world.engine, lambda _: None)
    due = DueRequests(timers, world.clock, lead)
    runs = ScheduledRuns(due, timers, board, world.store, titles, lambda request: book.when(request, "ko"), rests=rests)
    return Desk(world, timers, due, book, TimerChanges(timers, world.clock), titles, runs)


MakeDesk = Any


@pytest.fixture
async def make_desk(make_world: MakeWorld, database: Database) -> AsyncIterator[MakeDesk]:
    made: list[Desk] = []

    def make(
        backend: FakeBackend, tools: tuple[Tool, ...] = (), rests: Callable[[], Awaitable[None]] = at_once
    ) -> Desk:
        world = make_world(backend, tools=tools)
        made.append(desk_on(world, database, world.timers, rests))
        made[-1].start()
        return made[-1]

    yield make
    for each in made:
        await each.close()


async def test_it_is_carried_out_at_its_time_and_the_results_collect_in_one_conversation(make_desk: MakeDesk) -> None:
    desk: Desk = make_desk(FakeBackend(says("장보기가 있어요."), says("오늘은 없어요.")))
    await desk.book.add_at("오늘 할 일 읽어 줘", MORNING, "ko")
    await desk.pass_time(timedelta(hours=16, minutes=54))  # 07:59
    assert desk.told == []
    await desk.pass_time(timedelta(minutes=1))
    await desk.pass_time(timedelta(hours=24))

    assert [each.answer for each in desk.told] == ["장보기가 있어요.", "오늘은 없어요."]
    (conversation,) = {each.conversation for each in desk.told}
    assert (await desk.titles.titling(conversation)).title == "매일 오전 8시: 오늘 할 일 읽어 줘"
    stored = await desk.world.store.messages(conversation)
    assert [each.text for each in stored if each.role is Role.USER] == ["오늘 할 일 읽어 줘"] * 2
    one = await desk.one()
    assert one.job is not None
    assert one.job.outcome is RunOutcome.DONE
    assert one.due_at.isoformat() == "2026-11-25T08:00:00+09:00"


async def test_the_agent_to_which_it_was_told_answers_whoever_is_current_by_then(make_desk: MakeDesk) -> None:
    desk: Desk = make_desk(FakeBackend(says("읽어요.")))
    agent = AgentId(workspace="work", name="비서")
    await ScheduledRequests(desk.timers, desk.world.clock, lambda: agent).add_at("할 일 읽어 줘", "내일 8시", "ko")
    await desk.pass_time(timedelta(hours=16, minutes=55))
    (ended,) = desk.told
    assert await desk.world.store.agent_of(ended.conversation) == agent


async def test_a_run_knows_nothing_of_the_former_runs(make_desk: MakeDesk) -> None:
    backend = FakeBackend(says("어제의 답"), says("오늘의 답"))
    desk: Desk = make_desk(backend)
    await desk.book.add_at("뉴스 요약해 줘", MORNING, "ko")
    await desk.pass_time(timedelta(hours=16, minutes=55))
    await desk.pass_time(timedelta(hours=24))
    assert len(desk.told) == 2
    assert "어제의 답" not in str(backend.requests[1].messages)


async def test_what_comes_once_is_gone_when_it_is_done(make_desk: MakeDesk) -> None:
    desk: Desk = make_desk(FakeBackend(says("다 됐어요.")))
    await desk.book.add_at("뉴스 요약해 줘", "내일 9시", "ko")
    await desk.pass_time(timedelta(hours=17, minutes=55))
    assert [each.answer for each in desk.told] == ["다 됐어요."]
    assert await desk.book.every() == ()


@pytest.mark.parametrize("away", [timedelta(minutes=20), timedelta(hours=10), timedelta(days=9)])
async def test_what_was_missed_is_told_together_and_never_carried_out_by_itself(
    make_desk: MakeDesk, away: timedelta
) -> None:
    backend = FakeBackend()
    desk: Desk = make_desk(backend)
    for words in ("뉴스 요약해 줘", "할 일 읽어 줘", "메모 정리해 줘"):
        await desk.book.add_at(words, MORNING, "ko")
    await desk.pass_time(timedelta(hours=16, minutes=55) + away)
    assert [len(each) for each in desk.lost] == [3]
    assert (desk.told, backend.requests) == ([], [])
    for each in await desk.book.every():
        assert each.job is not None
        assert each.job.outcome is RunOutcome.MISSED
        assert each.due_at > desk.world.clock.now()


async def test_a_clock_that_is_set_back_repeats_nothing(make_desk: MakeDesk) -> None:
    desk: Desk = make_desk(FakeBackend(says("읽어요.")))
    await desk.book.add_at("할 일 읽어 줘", MORNING, "ko")
    await desk.pass_time(timedelta(hours=16, minutes=55))
    desk.world.clock.set(desk.world.clock.now() - timedelta(hours=2))
    await desk.pass_time(timedelta(hours=3))
    assert len(desk.told) == 1
    assert (await desk.one()).due_at.isoformat() == "2026-11-24T08:00:00+09:00"


async def test_what_was_missed_is_carried_out_when_the_user_wants_it(make_desk: MakeDesk) -> None:
    desk: Desk = make_desk(FakeBackend(says("늦었지만 읽어요.")))
    await desk.book.add_at("할 일 읽어 줘", "내일 8시", "ko")
    await desk.pass_time(timedelta(hours=20))
    assert await desk.world.timers.ask_run(await desk.one())
    await desk.settled()
    assert [each.answer for each in desk.told] == ["늦었지만 읽어요."]
    assert await desk.book.every() == ()


async def test_a_short_sleep_of_the_computer_only_delays_it(make_desk: MakeDesk) -> None:
    desk: Desk = make_desk(FakeBackend(says("읽어요.")))
    await desk.book.add_at("할 일 읽어 줘", MORNING, "ko")
    await desk.pass_time(timedelta(hours=17))  # 08:05
    assert [each.answer for each in desk.told] == ["읽어요."]
    assert desk.lost == []


async def test_what_is_due_together_is_carried_out_one_after_another(make_desk: MakeDesk) -> None:
    desk: Desk = make_desk(FakeBackend(*(says(str(number)) for number in range(3))))
    for words in ("뉴스 요약해 줘", "할 일 읽어 줘", "메모 정리해 줘"):
        await desk.book.add_at(words, MORNING, "ko")
    await desk.pass_time(timedelta(hours=16, minutes=55))
    assert sorted(each.answer for each in desk.told) == ["0", "1", "2"]
    assert len({each.conversation for each in desk.told}) == 3


async def test_a_run_waits_for_a_moment_in_which_nobody_is_answered(make_desk: MakeDesk) -> None:
    backend, free = FakeBackend(says("읽어요.")), asyncio.Event()

    async def rests() -> None:
        await free.wait()

    desk: Desk = make_desk(backend, rests=rests)
    await desk.book.add_at("할 일 읽어 줘", MORNING, "ko")
    await desk.world.clock.until_sleeping(2)
    desk.world.clock.advance(timedelta(hours=16, minutes=55).total_seconds())
    await desk.world.clock.until_sleeping(2)
    job = (await desk.one()).job
    assert job is not None
    assert (job.outcome, backend.requests) == (RunOutcome.RUNNING, [])
    free.set()
    await desk.settled()
    assert len(desk.told) == 1


async def test_a_paused_request_waits_and_goes_on_from_its_next_time(make_desk: MakeDesk) -> None:
    desk: Desk = make_desk(FakeBackend(says("읽어요.")))
    made = await desk.book.add_at("할 일 읽어 줘", MORNING, "ko")
    await desk.changes.pause(made.id, paused=True)
    await desk.pass_time(timedelta(days=3))
    assert (desk.told, desk.lost) == ([], [])
    resumed = await desk.changes.pause(made.id, paused=False)
    assert resumed.due_at.isoformat() == "2026-11-26T08:00:00+09:00"
    await desk.pass_time(resumed.due_at - desk.world.clock.now())
    assert len(desk.told) == 1


async def test_a_run_that_was_cut_off_is_told_at_the_next_start_and_not_repeated(
    make_desk: MakeDesk, database: Database
) -> None:
    before: Desk = make_desk(FakeBackend())
    await before.book.add_at("할 일 읽어 줘", MORNING, "ko")
    await before.close()
    # Sori is killed after it was written that the request runs.
    timers = Timers(TimerStore(database), before.world.clock, before.world.timers.texts)
    running = DueRequests(timers, before.world.clock, ALONE)
    before.world.clock.advance(timedelta(hours=16, minutes=55).total_seconds())
    claimed: list[Sequence[StoredTimer]] = []
    running.due.add(claimed.append)
    ringing = asyncio.create_task(running.run())
    await before.world.clock.until_sleeping()
    ringing.cancel()
    assert [each.job.outcome for each in claimed[0] if each.job] == [RunOutcome.RUNNING]

    timers = Timers(TimerStore(database), before.world.clock, before.world.timers.texts)
    after = desk_on(before.world, database, timers)
    after.start()
    await after.settled()
    (lost,) = after.lost
    assert [each.job.outcome for each in lost if each.job] == [RunOutcome.INTERRUPTED]
    assert after.told == []
    assert (await after.one()).due_at.isoformat() == "2026-11-24T08:00:00+09:00"
    await after.close()


async def test_what_cannot_be_written_is_not_carried_out(make_desk: MakeDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    backend = FakeBackend(says("읽어요."))
    desk: Desk = make_desk(backend)
    await desk.book.add_at("할 일 읽어 줘", MORNING, "ko")

    async def full(*_: object) -> bool:
        raise StorageError("sori.db", "the disk is full")

    with monkeypatch.context() as disk:
        disk.setattr(TimerStore, "swap", full)
        await desk.pass_time(timedelta(hours=16, minutes=55))
        assert backend.requests == []
    await desk.settled()
    assert len(desk.told) == 1


async def test_a_failed_turn_is_told_as_failed_and_stays_in_the_list(make_desk: MakeDesk) -> None:
    desk: Desk = make_desk(FakeBackend(says("")))
    await desk.book.add_at("할 일 읽어 줘", "내일 8시", "ko")
    await desk.pass_time(timedelta(hours=16, minutes=55))
    (ended,) = desk.told
    assert ended.request.job is not None
    assert ended.request.job.outcome is RunOutcome.FAILED
    assert (await desk.one()).id == ended.request.id


def tool(name: str, category: Category, ran: list[str], *, outbound: bool = False) -> Tool:
    async def run(_: dict[str, Any], call: RunningCall) -> str:
        assert call.attendant is None
        ran.append(name)
        return "done"

    return Tool(
        name=name,
        description=name,
        parameters={"type": "object"},
        category=category,
        idempotent=True,
        run=run,
        outbound=outbound,
    )


async def test_a_scheduled_turn_uses_safe_tools_and_notes_and_asks_nobody(make_desk: MakeDesk) -> None:
    ran: list[str] = []
    names = {
        "look": Category.SAFE,
        "read_note": Category.SENSITIVE,
        "create_note": Category.SENSITIVE,
        "set_volume": Category.SENSITIVE,
        "read_clipboard": Category.SENSITIVE,
        "write_file": Category.RESTRICTED,
        "run_command": Category.RESTRICTED,
    }
    tools = tuple(tool(name, category, ran) for name, category in names.items())
    backend = FakeBackend(calls(*((name, {}) for name in names)), says("메모를 읽었어요."))
    desk: Desk = make_desk(backend, tools)
    await desk.book.add_at("이번 주 메모 정리해 줘", MORNING, "ko")
    await desk.pass_time(timedelta(hours=16, minutes=55))
    assert ran == ["look", "read_note"]
    assert {each.name for each in backend.requests[0].tools} == {"look", "read_note"}
    assert [each.answer for each in desk.told] == ["메모를 읽었어요."]


@pytest.mark.parametrize(
    "words", ["볼륨 줄여 줘", "5분 타이머 맞춰 줘", "내일 7시에 깨워 줘", "mute", "매일 9시에 뉴스 요약해 줘"]
)
async def test_a_plain_command_with_an_effect_is_not_executed_by_a_scheduled_turn(
    make_desk: MakeDesk, words: str
) -> None:
    backend = FakeBackend(says("지금은 할 수 없어요."))
    desk: Desk = make_desk(backend)
    await desk.book.add_at(words, "내일 8시", "ko")
    await desk.pass_time(timedelta(hours=16, minutes=55))
    assert len(backend.requests) == 1
    assert (desk.world.volume.percent, desk.world.volume.muted) == (40, False)
    assert [each for each in await desk.world.timers.every() if each.kind != "request"] == []


class Zoned(FakeClock):
    """A clock in a zone with daylight saving time."""

    zone = ZoneInfo("Europe/Berlin")

    def moment(self, wall: datetime) -> datetime:
        return wall.replace(tzinfo=self.zone)


@pytest.mark.parametrize(
    ("now", "when", "dues"),
    [
        ("2027-03-27T12:00", "매일 아침 8시", ["2027-03-28T08:00:00+02:00"]),
        ("2026-10-24T12:00", "every day at 8 am", ["2026-10-25T08:00:00+01:00"]),
        ("2027-01-31T20:00", "매월 말일 오후 6시", ["2027-02-28T18:00:00+01:00"]),
        ("2026-12-31T23:50", "매일 자정", ["2027-01-01T00:00:00+01:00"]),
        ("2026-11-27T18:00", "매주 월수금 오전 9시", ["2026-11-30T09:00:00+01:00"]),
    ],
)
async def test_the_wall_clock_of_the_user_counts(timers: Timers, now: str, when: str, dues: list[str]) -> None:
    clock = Zoned(datetime.fromisoformat(now).replace(tzinfo=Zoned.zone))
    book = ScheduledRequests(timers, clock)
    made = await book.add_at("뉴스 요약해 줘", when, "ko")
    assert [made.due_at.isoformat()] == dues
