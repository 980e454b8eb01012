"""A timer whose ringing cannot be written rings all the same, once, and what has become of it is written later."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta

import pytest

from assistant.chat.timers import POLL_S, RING_LIMIT_S, Ring, Timers
from assistant.core.errors import StorageError
from assistant.core.times.recurrence import Recurrence
from assistant.storage.database import Database
from assistant.storage.timers import StoredTimer, TimerKind, TimerStore
from tests.fakes.clock import FakeClock

KINDS = [*(each for each in TimerKind if each is not TimerKind.REQUEST), "daily alarm", "daily reminder"]
"""What rings. A scheduled request is carried out instead."""
DAY_S = 86_400.0


class Disk:
    """The database on a disk that is full at times."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def fill(self, *, full: bool = True) -> None:
        await self._database.read(lambda connection: connection.execute(f"PRAGMA query_only = {int(full)}"))

    async def stored(self) -> list[StoredTimer]:
        return list(await TimerStore(self._database).all())


class Stand:
    def __init__(self, timers: Timers, clock: FakeClock, disk: Disk) -> None:
        self.timers, self.clock, self.disk = timers, clock, disk
        self.rings, self.told = list[Ring](), list[StorageError]()
        timers.rung.add(self.rings.append)
        timers.unkept.add(self.told.append)

    async def set(self, kind: str, seconds: float = 60.0) -> StoredTimer:
        timer = await self.timers.set(seconds, "tea", "en")
        await self.timers.remove([timer])
        of_kind, due = TimerKind(kind.removeprefix("daily ")), timer.due_at
        repeats = Recurrence.of("FREQ=DAILY", due.replace(tzinfo=None)) if kind.startswith("daily") else None
        await self.timers.add(made := replace(timer, kind=of_kind, repeats=repeats))
        return made

    async def pass_time(self, seconds: float, step_s: float = POLL_S) -> None:
        """Each step waits until the timers have looked."""
        while seconds > 0:
            await self.clock.until_sleeping()
            self.clock.advance(min(step_s, seconds))
            seconds -= step_s
        await self.clock.until_sleeping()


@pytest.fixture
async def stand(timers: Timers, clock: FakeClock, database: Database) -> AsyncIterator[Stand]:
    made = Stand(timers, clock, Disk(database))
    running = asyncio.create_task(timers.run())
    yield made
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


@pytest.mark.parametrize("kind", KINDS)
async def test_it_rings_once_and_is_told_once_although_nothing_can_be_written(stand: Stand, kind: str) -> None:
    timer = await stand.set(kind)
    await stand.disk.fill()
    await stand.pass_time(180)
    assert [(ring.id, ring.goes_on, ring.late_s) for ring in stand.rings] == [(timer.id, True, 0.0)]
    assert [each.id for each in await stand.timers.ringing()] == [timer.id]
    assert timer.id not in {each.id for each in await stand.timers.waiting()}
    assert len(stand.told) == 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", ["dismissed", "cancelled", "unstopped"])
async def test_it_stops_and_does_not_come_back(stand: Stand, kind: str, way: str) -> None:
    timer = await stand.set(kind)
    await stand.disk.fill()
    await stand.pass_time(65)
    match way:
        case "dismissed":
            assert [each.id for each in await stand.timers.dismiss()] == [timer.id]
        case "cancelled":
            assert [each.id for each in await stand.timers.cancel_one(timer.id)] == [timer.id]
        case _:
            await stand.pass_time(RING_LIMIT_S)
    await stand.pass_time(120)
    assert await stand.timers.ringing() == ()
    assert [ring.goes_on for ring in stand.rings] == ([True, False] if way == "unstopped" else [True])
    await stand.disk.fill(full=False)
    await stand.pass_time(10)
    left = await stand.disk.stored()
    assert [each.rang_at for each in left] == ([None] if timer.repeats else [])
    assert [each.due_at - timer.due_at for each in left] == ([timedelta(days=1)] if timer.repeats else [])
    assert left == list(await stand.timers.every())


@pytest.mark.parametrize("kind", KINDS)
async def test_what_is_long_over_is_told_once(stand: Stand, kind: str) -> None:
    timer = await stand.set(kind)
    await stand.disk.fill()
    await stand.clock.until_sleeping()
    stand.clock.advance(60 + RING_LIMIT_S)
    await stand.pass_time(60)
    assert [(ring.id, ring.goes_on) for ring in stand.rings] == [(timer.id, False)]
    assert await stand.timers.ringing() == ()


@pytest.mark.parametrize("kind", ["daily alarm", "daily reminder"])
async def test_what_repeats_rings_on_the_next_day_too_while_the_disk_is_still_full(stand: Stand, kind: str) -> None:
    timer = await stand.set(kind)
    await stand.disk.fill()
    await stand.pass_time(65)
    await stand.timers.dismiss()
    await stand.pass_time(DAY_S, step_s=60.0)
    assert [(ring.id, ring.goes_on) for ring in stand.rings] == [(timer.id, True)] * 2
    assert len(stand.told) == 1


@pytest.mark.parametrize("kind", KINDS)
async def test_once_there_is_room_the_ringing_is_written_and_goes_on(stand: Stand, kind: str) -> None:
    timer = await stand.set(kind)
    await stand.disk.fill()
    await stand.pass_time(65)
    await stand.disk.fill(full=False)
    await stand.pass_time(30)
    stored = {each.id: each for each in await stand.disk.stored()}
    assert stored[timer.id].rang_at == timer.due_at
    assert len(stored) == (2 if timer.repeats else 1)
    assert len(stand.rings) == 1
    await stand.timers.dismiss()
    assert timer.id not in {each.id for each in await stand.disk.stored()}


@pytest.mark.parametrize("kind", KINDS)
async def test_what_does_not_ring_yet_is_not_cancelled_in_secret(stand: Stand, kind: str) -> None:
    timer = await stand.set(kind, 600)
    await stand.disk.fill()
    with pytest.raises(StorageError):
        await stand.timers.cancel_one(timer.id)
    assert [each.id for each in await stand.timers.waiting()] == [timer.id]
