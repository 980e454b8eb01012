"""Scheduled requests of an account: all devices have them, the leading one carries them out, none is done twice."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from assistant.chat.alarms.changes import TimerChanges
from assistant.chat.run_states import finished
from assistant.chat.scheduled.book import ScheduledRequests
from assistant.chat.scheduled.due import DueRequests
from assistant.chat.timers import Timers
from assistant.core.errors import StorageError
from assistant.core.records.agents import AgentId
from assistant.engine.domains.sync.shared_requests import SharedRequests, request_text
from assistant.host.texts import load_texts
from assistant.storage.sync.differences import SyncDifferences
from assistant.storage.timers import Job, RunOutcome, StoredTimer, TimerStore
from tests.fakes.sync.account import Home, MemoryAccount

MORNING = "매일 아침 8시"
TO_EIGHT = timedelta(hours=16, minutes=55)
RUNNING, DONE, MISSED = RunOutcome.RUNNING, RunOutcome.DONE, RunOutcome.MISSED
INTERRUPTED = RunOutcome.INTERRUPTED


class Server:
    """Who leads, and what was noted. ``leader`` is empty while the server is away."""

    def __init__(self) -> None:
        self.leader = "laptop"
        self.noted: list[str] = []


class Lead:
    """Implements ``RunLead`` for one device."""

    free = False

    def __init__(self, server: Server, name: str) -> None:
        self._server, self._name = server, name
        self.before: Callable[[], Awaitable[object]] | None = None

    @property
    def may(self) -> bool:
        return self._server.leader == self._name

    async def once(self, effect: str) -> bool:
        if self.before is not None:
            await self.before()
        if not self.may:
            raise StorageError("postgresql", "another device leads")
        new = effect not in self._server.noted
        self._server.noted.append(effect)
        return new


class Device:
    """A home with scheduled requests, whose runs end when the test says so."""

    def __init__(self, home: Home, server: Server, name: str) -> None:
        self.home, self.lead = home, Lead(server, name)
        self.timers = Timers(TimerStore(home.database), home.clock, {"ko": load_texts("ko"), "en": load_texts("en")})
        self.shared, self.changes = SharedRequests(self.timers), TimerChanges(self.timers, home.clock)
        self.book = ScheduledRequests(self.timers, home.clock, lambda: AgentId(workspace=name, name="비서"))
        home.sources.append(self.shared)
        self.start()

    def start(self) -> None:
        """Begin as Sori does, which knows of no run."""
        self.due = DueRequests(self.timers, self.home.clock, self.lead, self.shared.unread)
        self.states: list[StoredTimer] = []
        self.due.due.add(self.states.extend)

    async def look(self) -> list[tuple[str, RunOutcome]]:
        """What is told now."""
        self.states.clear()
        await self.due._look()
        return [(each.name, _job(each).outcome) for each in self.states]

    async def one(self) -> StoredTimer:
        (only,) = await self.book.every()
        return only

    async def outcome(self) -> RunOutcome:
        return _job(await self.one()).outcome

    async def end(self, outcome: RunOutcome = DONE) -> None:
        """Let the run end."""
        await self.timers.put(finished(await self.one(), outcome))


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
async def pair(tmp_path: Path, server: Server) -> AsyncIterator[tuple[Device, Device]]:
    account, made = MemoryAccount(), []
    for name in ("laptop", "desktop"):
        home = await Home.open(tmp_path / name, account)
        made.append(Device(home, server, name))
        await home.join(account)
    yield made[0], made[1]
    for each in made:
        await each.home.database.close()


async def sync(*devices: Device) -> None:
    for each in devices:
        await each.home.sync()


def pass_time(time: timedelta, *devices: Device) -> None:
    for each in devices:
        each.home.clock.advance(time.total_seconds())


async def differences(*devices: Device) -> list[int]:
    return [len(await SyncDifferences(each.home.database).all()) for each in devices]


def _job(request: StoredTimer) -> Job:
    return request.job or Job()


async def test_a_request_comes_with_its_agent_and_is_changed_paused_and_removed_from_either_device(
    pair: tuple[Device, Device],
) -> None:
    laptop, desktop = pair
    made = await laptop.book.add_at("할 일 읽어 줘", MORNING, "ko")
    await sync(laptop, desktop)
    assert await desktop.one() == made
    assert (_job(made).workspace, _job(made).agent) == ("laptop", "비서")
    moved = desktop.book.moved(made, desktop.book.said("아침 9시"))
    await desktop.changes.put(replace(moved, name="메모 읽어 줘"))
    await desktop.changes.pause(made.id, paused=True)
    await sync(desktop, laptop)
    there = await laptop.one()
    assert (there.name, there.due_at.hour, _job(there).paused) == ("메모 읽어 줘", 9, True)
    await desktop.changes.cancel(made.id)
    await sync(desktop, laptop)
    assert await laptop.book.every() == ()
    assert await differences(laptop, desktop) == [0, 0]


async def test_what_rings_stays_on_its_device(pair: tuple[Device, Device]) -> None:
    laptop, desktop = pair
    await laptop.timers.set(60, "라면", "ko")
    await sync(laptop, desktop)
    assert await desktop.timers.every() == ()


async def test_the_leading_device_alone_carries_out_what_is_due_and_the_next_one_goes_on_from_there(
    pair: tuple[Device, Device], server: Server
) -> None:
    laptop, desktop = pair
    await laptop.book.add_at("할 일 읽어 줘", MORNING, "ko")
    await sync(laptop, desktop)
    pass_time(TO_EIGHT, laptop, desktop)
    assert await desktop.look() == []
    assert await laptop.look() == [("할 일 읽어 줘", RUNNING)]
    await laptop.end()
    await sync(laptop, desktop)
    server.leader = "desktop"
    assert await desktop.look() == []
    assert await desktop.one() == await laptop.one()
    pass_time(timedelta(hours=24), laptop, desktop)
    assert await laptop.look() == []
    assert await desktop.look() == [("할 일 읽어 줘", RUNNING)]
    assert len(server.noted) == 2


async def test_what_is_due_and_not_done_is_done_by_the_device_that_takes_over(
    pair: tuple[Device, Device], server: Server
) -> None:
    laptop, desktop = pair
    await laptop.book.add_at("할 일 읽어 줘", MORNING, "ko")
    await sync(laptop, desktop)
    pass_time(TO_EIGHT + timedelta(minutes=1), desktop)  # The laptop was killed before.
    server.leader = "desktop"
    assert await desktop.look() == [("할 일 읽어 줘", RUNNING)]


async def test_what_the_former_leader_had_begun_is_not_repeated_and_is_told_as_cut_off_once(
    pair: tuple[Device, Device], server: Server
) -> None:
    laptop, desktop = pair
    await laptop.book.add_at("할 일 읽어 줘", MORNING, "ko")
    await sync(laptop, desktop)
    pass_time(TO_EIGHT, laptop, desktop)
    assert await laptop.look() == [("할 일 읽어 줘", RUNNING)]  # Killed before it could tell anybody.
    server.leader = "desktop"
    pass_time(timedelta(minutes=5), desktop)
    assert await desktop.look() == await desktop.look() == []
    pass_time(timedelta(minutes=5), desktop)
    assert await desktop.look() == [("할 일 읽어 줘", INTERRUPTED)]
    assert await desktop.look() == []
    # It was not killed after all, and tells how the run has ended.
    await laptop.end()
    await sync(desktop, laptop, desktop)
    assert await laptop.outcome() == await desktop.outcome() == DONE
    assert (await desktop.one()).due_at.day == 24
    assert await differences(laptop, desktop) == [0, 0]


async def test_a_run_that_has_come_as_begun_may_still_be_at_work_elsewhere(
    pair: tuple[Device, Device], server: Server
) -> None:
    laptop, desktop = pair
    await laptop.book.add_at("할 일 읽어 줘", MORNING, "ko")
    await sync(laptop, desktop)
    pass_time(TO_EIGHT, laptop, desktop)
    await laptop.look()
    await sync(laptop, desktop)
    server.leader = "desktop"
    assert await desktop.look() == []
    assert await desktop.outcome() is RUNNING
    pass_time(timedelta(minutes=10), desktop)
    assert await desktop.look() == [("할 일 읽어 줘", INTERRUPTED)]
    # It was at work for long.
    await laptop.end()
    await sync(laptop, desktop, laptop)
    assert await laptop.outcome() == await desktop.outcome() == DONE


async def test_without_the_server_nothing_runs_and_what_was_missed_is_told_by_one_device(
    pair: tuple[Device, Device], server: Server
) -> None:
    laptop, desktop = pair
    await laptop.book.add_at("할 일 읽어 줘", MORNING, "ko")
    await sync(laptop, desktop)
    server.leader = ""
    pass_time(TO_EIGHT, laptop, desktop)
    assert await laptop.look() == await desktop.look() == []
    pass_time(timedelta(hours=1), laptop, desktop)
    server.leader = "desktop"
    assert await laptop.look() == []
    assert await desktop.look() == [("할 일 읽어 줘", MISSED)]
    await sync(desktop, laptop)
    server.leader = "laptop"
    assert await laptop.look() == []
    assert await laptop.one() == await desktop.one()


async def test_what_the_user_wants_now_is_done_where_the_user_is_without_the_server_too(
    pair: tuple[Device, Device], server: Server
) -> None:
    laptop, desktop = pair
    await laptop.book.add_at("할 일 읽어 줘", MORNING, "ko")
    await sync(laptop, desktop)
    server.leader = ""
    assert await desktop.timers.ask_run(await desktop.one())
    await sync(desktop, laptop)
    assert await laptop.look() == []
    assert await desktop.look() == [("할 일 읽어 줘", RUNNING)]
    await sync(desktop, laptop)
    server.leader = "laptop"
    assert await laptop.look() == []
    await desktop.end()
    await sync(desktop, laptop)
    assert await laptop.outcome() == DONE
    assert server.noted == []


async def test_a_request_that_is_removed_on_another_device_while_it_runs_here_stays_removed(
    pair: tuple[Device, Device],
) -> None:
    laptop, desktop = pair
    made = await laptop.book.add_at("할 일 읽어 줘", MORNING, "ko")
    await sync(laptop, desktop)
    await desktop.changes.cancel(made.id)
    pass_time(TO_EIGHT, laptop, desktop)
    await laptop.look()
    await sync(desktop, laptop, desktop)
    assert await laptop.book.every() == await desktop.book.every() == ()
    assert await differences(laptop, desktop) == [0, 0]


async def test_an_edit_on_one_device_and_a_run_on_the_other_meet_without_a_difference(
    pair: tuple[Device, Device],
) -> None:
    laptop, desktop = pair
    made = await laptop.book.add_at("할 일 읽어 줘", MORNING, "ko")
    await sync(laptop, desktop)
    await desktop.changes.change_request(made.id, name="메모 읽어 줘")
    pass_time(TO_EIGHT, laptop, desktop)
    await laptop.look()
    await laptop.end()
    await sync(laptop, desktop, laptop)
    for each in pair:
        there = await each.one()
        assert (there.name, _job(there).outcome, there.due_at.day) == ("메모 읽어 줘", DONE, 24)
    assert await differences(laptop, desktop) == [0, 0]


async def test_another_time_of_a_repetition_does_not_hide_that_it_ran_meanwhile(pair: tuple[Device, Device]) -> None:
    laptop, desktop = pair
    made = await laptop.book.add_at("할 일 읽어 줘", MORNING, "ko")
    await sync(laptop, desktop)
    await desktop.changes.put(desktop.book.moved(made, desktop.book.said("아침 9시")))
    pass_time(TO_EIGHT, laptop, desktop)
    await laptop.look()
    await laptop.end()
    await sync(laptop, desktop, laptop)
    for each in pair:
        there = await each.one()
        assert (there.repeats and there.repeats.start.hour, _job(there).outcome) == (9, DONE)
    await laptop.look()
    assert (await laptop.one()).due_at.hour == 9
    pass_time(timedelta(hours=1), laptop)
    assert await laptop.look() == [("할 일 읽어 줘", RUNNING)]


async def test_a_wish_to_have_it_now_outlives_a_change_that_comes_from_another_device(
    pair: tuple[Device, Device],
) -> None:
    laptop, desktop = pair
    made = await laptop.book.add_at("할 일 읽어 줘", MORNING, "ko")
    await sync(laptop, desktop)
    assert await desktop.timers.ask_run(await desktop.one())
    await laptop.changes.change_request(made.id, name="메모 읽어 줘")
    await sync(laptop, desktop)
    assert await desktop.look() == [("메모 읽어 줘", RUNNING)]


async def test_the_conversation_with_the_results_stays_that_of_the_request(pair: tuple[Device, Device]) -> None:
    laptop, desktop = pair
    made = await laptop.book.add_at("할 일 읽어 줘", "내일 8시", "ko")
    await sync(laptop, desktop)
    await laptop.timers.put(replace(made, job=replace(_job(made), conversation="c", ran_at=made.due_at.isoformat())))
    await desktop.changes.put(desktop.book.moved(made, desktop.book.said("내일 9시")))
    await sync(laptop, desktop, laptop)
    for each in pair:
        there = await each.one()
        assert (there.due_at.hour, _job(there).ran_at, _job(there).conversation) == (9, "", "c")


async def test_of_words_that_both_have_changed_one_counts_the_other_is_shown_and_the_run_stays_known(
    pair: tuple[Device, Device],
) -> None:
    laptop, desktop = pair
    made = await laptop.book.add_at("할 일 읽어 줘", MORNING, "ko")
    await sync(laptop, desktop)
    await desktop.changes.change_request(made.id, name="메모 읽어 줘")
    await laptop.changes.change_request(made.id, name="뉴스 읽어 줘")
    pass_time(TO_EIGHT, laptop, desktop)
    await laptop.look()
    await laptop.end()
    await sync(laptop, desktop, laptop)
    for each in pair:
        there = await each.one()
        assert (there.name, _job(there).outcome, there.due_at.day) == ("메모 읽어 줘", DONE, 24)
    assert await differences(laptop, desktop) == [0, 1]


async def test_an_edited_request_does_not_go_because_it_was_removed_elsewhere(pair: tuple[Device, Device]) -> None:
    laptop, desktop = pair
    made = await laptop.book.add_at("할 일 읽어 줘", MORNING, "ko")
    await sync(laptop, desktop)
    await laptop.changes.cancel(made.id)
    await desktop.changes.change_request(made.id, name="메모 읽어 줘")
    await sync(laptop, desktop, laptop)
    assert (await laptop.one()).name == (await desktop.one()).name == "메모 읽어 줘"


async def test_another_time_counts_although_the_former_one_was_missed_meanwhile(
    pair: tuple[Device, Device],
) -> None:
    laptop, desktop = pair
    made = await laptop.book.add_at("할 일 읽어 줘", "내일 8시", "ko")
    await sync(laptop, desktop)
    await desktop.changes.put(desktop.book.moved(made, desktop.book.said("내일 오후 5시")))
    pass_time(TO_EIGHT + timedelta(hours=1), laptop, desktop)
    assert await laptop.look() == [("할 일 읽어 줘", MISSED)]
    await sync(laptop, desktop, laptop)
    assert (await laptop.one()).due_at.hour == 17
    pass_time(timedelta(hours=8), laptop, desktop)
    assert await laptop.look() == [("할 일 읽어 줘", RUNNING)]


async def test_a_form_of_a_newer_sori_waits_and_the_older_form_is_not_carried_out(
    pair: tuple[Device, Device], monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop, desktop = pair
    made = await laptop.book.add_at("할 일 읽어 줘", MORNING, "ko")
    await sync(laptop, desktop)
    newer = request_text(made).replace('"agent"', '"rings": true, "agent"')
    with monkeypatch.context() as account:

        async def of_a_newer_sori() -> dict[str, str]:
            return {made.id: newer}

        account.setattr(desktop.shared, "all", of_a_newer_sori)
        await sync(desktop)
    await sync(laptop)
    pass_time(TO_EIGHT, laptop)
    assert await laptop.look() == []
    assert await laptop.one() == made
    await laptop.changes.change_request(made.id, name="메모 읽어 줘")
    await sync(laptop)
    assert await laptop.look() == [("메모 읽어 줘", RUNNING)]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("language", "fr"),
        ("due_at", "2026-11-23T08:00:00"),
        ("due_at", "soon"),
        ("repeats", "DTSTART:20261123T080000\nRRULE:FREQ=SECONDLY"),
        ("repeats", "never"),
        ("outcome", "lost"),
        ("outcome", "running"),
        ("own", "yes"),
        ("paused", 1),
        ("asked_at", "2026-11-23T08:00:00+09:00"),
        ("colour", "red"),
        ("duration_s", "60"),
    ],
)
async def test_what_cannot_be_used_is_kept_aside_and_changes_nothing(
    pair: tuple[Device, Device], monkeypatch: pytest.MonkeyPatch, name: str, value: object
) -> None:
    import json

    laptop, desktop = pair
    made = await laptop.book.add_at("할 일 읽어 줘", MORNING, "ko")
    content = {**json.loads(request_text(made)), name: value}

    async def odd() -> dict[str, str]:
        return {made.id: json.dumps(content)}

    monkeypatch.setattr(laptop.shared, "all", odd)
    await sync(laptop, desktop)
    assert await desktop.book.every() == ()
    assert await desktop.look() == []
    assert list(desktop.shared.unread) == []


async def test_what_was_noted_and_could_not_be_written_is_carried_out_once_it_can(
    pair: tuple[Device, Device], monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop, _ = pair
    await laptop.book.add_at("할 일 읽어 줘", MORNING, "ko")
    pass_time(TO_EIGHT, laptop)

    async def full(*_: object) -> bool:
        raise StorageError("sori.db", "the disk is full")

    with monkeypatch.context() as disk:
        disk.setattr(TimerStore, "swap", full)
        assert await laptop.look() == []
    assert await laptop.look() == [("할 일 읽어 줘", RUNNING)]


async def test_what_the_user_changes_while_a_run_is_noted_stays_and_is_carried_out(
    pair: tuple[Device, Device],
) -> None:
    laptop, _ = pair
    made = await laptop.book.add_at("할 일 읽어 줘", MORNING, "ko")
    pass_time(TO_EIGHT, laptop)
    laptop.lead.before = lambda: laptop.changes.change_request(made.id, name="메모 읽어 줘")
    assert await laptop.look() == []
    laptop.lead.before = None
    assert await laptop.look() == [("메모 읽어 줘", RUNNING)]


async def test_the_wall_clock_of_the_leading_device_counts(
    pair: tuple[Device, Device], server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop, desktop = pair
    await laptop.book.add_at("할 일 읽어 줘", MORNING, "ko")
    await sync(laptop, desktop)
    berlin, clock = ZoneInfo("Europe/Berlin"), desktop.home.clock
    here: Any = clock.now
    monkeypatch.setattr(clock, "now", lambda: here().astimezone(berlin))
    monkeypatch.setattr(clock, "moment", lambda wall: wall.replace(tzinfo=berlin))
    due = (await desktop.one()).due_at
    await desktop.look()
    assert (await desktop.one()).due_at == due
    server.leader = "desktop"
    await desktop.look()
    assert (await desktop.one()).due_at == datetime(2026, 11, 23, 8, tzinfo=berlin)


async def test_a_device_that_was_started_anew_waits_for_what_may_run_elsewhere_and_one_in_no_account_does_not(
    pair: tuple[Device, Device], monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop, _ = pair
    await laptop.book.add_at("할 일 읽어 줘", MORNING, "ko")
    pass_time(TO_EIGHT, laptop)
    await laptop.look()
    laptop.start()
    assert await laptop.look() == []
    monkeypatch.setattr(laptop.lead, "free", True, raising=False)
    assert await laptop.look() == [("할 일 읽어 줘", INTERRUPTED)]
