import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.agent.context.wording import spoken_moment
from assistant.chat.timers import POLL_S, RING_LIMIT_S, Ring, Timers
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.storage.timers import StoredTimer, TimerKind, TimerStore
from tests.fakes.clock import FakeClock
from tests.fakes.new_database import open_database


@pytest.fixture
async def rings(timers: Timers) -> AsyncIterator["asyncio.Queue[Ring]"]:
    queue: asyncio.Queue[Ring] = asyncio.Queue()
    timers.rung.add(queue.put_nowait)
    running = asyncio.create_task(timers.run())
    yield queue
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running


async def pass_time(clock: FakeClock, seconds: float) -> None:
    """Move the clock in steps, each once the timers wait for it, and until they wait for it again."""
    while seconds > 0:
        await clock.until_sleeping()
        step = min(POLL_S, seconds)
        clock.advance(step)
        seconds -= step
    await clock.until_sleeping()


async def test_a_timer_rings_when_its_time_has_come_and_only_once(
    timers: Timers, clock: FakeClock, rings: "asyncio.Queue[Ring]"
) -> None:
    await timers.set(12, "라면", "ko")
    await pass_time(clock, 11)
    assert rings.empty()
    await pass_time(clock, 1)
    ring = await rings.get()
    assert (ring.name, ring.duration_s, ring.language, ring.text) == ("라면", 12, "ko", "라면 타이머가 끝났어요.")
    await pass_time(clock, 20)
    assert rings.empty()
    assert await timers.running() == ()


async def test_timers_ring_in_the_order_in_which_they_are_due(
    timers: Timers, clock: FakeClock, rings: "asyncio.Queue[Ring]"
) -> None:
    await timers.set(9, "second", "en")
    await timers.set(3, "first", "en")
    await pass_time(clock, 10)
    assert [(await rings.get()).text for _ in range(2)] == [
        "Your first timer is done.",
        "Your second timer is done.",
    ]


async def test_a_cancelled_timer_does_not_ring(timers: Timers, clock: FakeClock, rings: "asyncio.Queue[Ring]") -> None:
    await timers.set(5, "pasta", "en")
    kept = await timers.set(60)
    assert [timer.name for timer in await timers.cancel(name="Pasta")] == ["pasta"]
    assert await timers.cancel(duration_s=5) == ()
    await pass_time(clock, 10)
    assert rings.empty()
    assert await timers.running() == (kept,)


async def test_after_a_restart_timers_go_on_and_what_ran_out_meanwhile_rings_with_words(
    tmp_path: Path, all_texts: dict[Language, Texts]
) -> None:
    clock = FakeClock()
    database = await open_database(tmp_path / "restart.db", clock)
    before = Timers(TimerStore(database), clock, all_texts)
    await before.set(300, "", "ko")
    await before.set(7200, "cake", "en")
    await database.close()

    clock.advance(1200)
    database = await open_database(tmp_path / "restart.db", clock)
    after = Timers(TimerStore(database), clock, all_texts)
    rung: asyncio.Queue[Ring] = asyncio.Queue()
    after.rung.add(rung.put_nowait)
    running = asyncio.create_task(after.run())
    ring = await rung.get()
    assert ring.text == "5분 타이머가 15분 전에 끝났어요. 그때는 알려 드리지 못했어요."
    assert ring.late_s == 900
    (left,) = [timer for timer in await after.running() if timer.name == "cake"]
    assert after.left_s(left) == 6000
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await database.close()


async def test_a_timer_set_by_another_process_rings_too(
    tmp_path: Path, timers: Timers, clock: FakeClock, rings: "asyncio.Queue[Ring]", all_texts: dict[Language, Texts]
) -> None:
    other = await open_database(tmp_path / "sori.db", clock)
    await Timers(TimerStore(other), clock, all_texts).set(4, "tea", "en")
    await other.close()
    await pass_time(clock, 10)
    assert (await rings.get()).name == "tea"


async def test_a_listener_that_fails_does_not_stop_the_other_timers(timers: Timers, clock: FakeClock) -> None:
    heard = []

    def listen(ring: Ring) -> None:
        heard.append(ring.name)
        if ring.name == "bad":
            raise RuntimeError("no speaker")

    timers.rung.add(listen)
    await timers.set(1, "bad")
    await timers.set(2, "good")
    running = asyncio.create_task(timers.run())
    await pass_time(clock, 10)
    assert heard == ["bad", "good"]
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_a_timer_rings_until_it_is_stopped(
    timers: Timers, clock: FakeClock, rings: "asyncio.Queue[Ring]"
) -> None:
    await timers.set(5, "tea", "en")
    await timers.set(60, "cake", "en")
    await pass_time(clock, 30)
    assert [timer.name for timer in await timers.ringing()] == ["tea"]
    assert [timer.name for timer in await timers.running()] == ["cake"]
    assert [timer.name for timer in await timers.dismiss()] == ["tea"]
    assert await timers.ringing() == await timers.dismiss() == ()
    assert (await rings.get()).goes_on
    assert rings.empty()


async def test_after_ten_minutes_nobody_is_there_and_it_is_quiet(
    timers: Timers, clock: FakeClock, rings: "asyncio.Queue[Ring]"
) -> None:
    await timers.set(5, "tea", "en")
    await pass_time(clock, 5 + RING_LIMIT_S - 1)
    still = await timers.ringing()
    await pass_time(clock, 1)
    assert len(still) == 1
    assert await timers.ringing() == ()
    assert (await rings.get()).goes_on
    unheard = await rings.get()
    assert (unheard.goes_on, unheard.aloud) == (False, False)
    assert unheard.text == "The tea timer rang today at 3:05 PM until it stopped by itself."


@pytest.mark.parametrize(("away_s", "ago"), [(60.0, "1 minute"), (2 * RING_LIMIT_S, "20 minutes")])
async def test_what_rang_when_sori_ended_is_told_once_and_rings_no_more(
    tmp_path: Path, all_texts: dict[Language, Texts], away_s: float, ago: str
) -> None:
    clock = FakeClock()
    database = await open_database(tmp_path / "restart.db", clock)
    store = TimerStore(database)
    timer = await Timers(store, clock, all_texts).set(5, "tea", "en")
    clock.advance(5)
    await store.mark_rung(timer.id, clock.now())
    clock.advance(away_s)
    rung: list[Ring] = []
    for _ in range(2):
        after = Timers(store, clock, all_texts)
        after.rung.add(rung.append)
        running = asyncio.create_task(after.run())
        await pass_time(clock, 0)
        assert await after.ringing() == ()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    told = [(ring.text, ring.goes_on) for ring in rung]
    assert told == [(f"Your tea timer rang {ago} ago. I was switched off while it rang.", False)]
    await database.close()


@pytest.mark.parametrize(("away_s", "rings_on"), [(240.0, True), (2 * RING_LIMIT_S, False)])
async def test_an_alarm_that_rang_when_sori_ended_rings_on_for_some_minutes(
    tmp_path: Path, all_texts: dict[Language, Texts], away_s: float, *, rings_on: bool
) -> None:
    clock = FakeClock()
    database = await open_database(tmp_path / "restart.db", clock)
    store = TimerStore(database)
    before = Timers(store, clock, all_texts)
    timer = await before.set(5, "", "en")
    await before.remove([timer])
    alarm = replace(timer, kind=TimerKind.ALARM)
    await store.add(alarm)
    clock.advance(5)
    await store.mark_rung(alarm.id, clock.now())
    clock.advance(away_s)
    rung: list[Ring] = []
    after = Timers(store, clock, all_texts)
    after.rung.add(rung.append)
    running = asyncio.create_task(after.run())
    await pass_time(clock, 0)
    words = all_texts["en"](
        "alarm.alarm_rings" if rings_on else "alarm.rang_alarm",
        when=spoken_moment(alarm.due_at, clock.now(), "en"),
    )
    assert [(ring.text, ring.goes_on) for ring in rung] == [(words, rings_on)]
    assert [each.id for each in await after.ringing()] == ([alarm.id] if rings_on else [])
    await pass_time(clock, RING_LIMIT_S - away_s if rings_on else 0)
    assert await after.ringing() == ()
    assert [ring.aloud for ring in rung] == ([True, False] if rings_on else [True])
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await database.close()


async def test_what_ran_out_long_ago_is_told_once_and_does_not_ring_on(
    timers: Timers, clock: FakeClock, all_texts: dict[Language, Texts]
) -> None:
    await timers.set(60, "tea", "en")
    clock.advance(60 + RING_LIMIT_S)
    rung: list[Ring] = []
    timers.rung.add(rung.append)
    running = asyncio.create_task(timers.run())
    await pass_time(clock, 0)
    assert [(ring.goes_on, "10 minutes ago" in ring.text) for ring in rung] == [(False, True)]
    assert await timers.ringing() == await timers.running() == ()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_whoever_shows_timers_is_told_of_every_change(
    timers: Timers, clock: FakeClock, rings: "asyncio.Queue[Ring]"
) -> None:
    told: list[list[tuple[str, bool]]] = []

    def tell(shown: Sequence[StoredTimer]) -> None:
        told.append([(timer.name, timer.rang_at is not None) for timer in shown])

    timers.changed.add(tell)
    tea = await timers.set(5, "tea", "en")
    await pass_time(clock, 20)
    await timers.cancel_one(tea.id)
    await pass_time(clock, 10)
    assert told == [[("tea", False)], [("tea", True)], []]
    assert await timers.cancel_one("nothing") == ()
