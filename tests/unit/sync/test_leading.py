"""One device of several leads: its own deadline, renewals, failures, and schedules of a simulator."""

import asyncio
import random
from collections.abc import Awaitable, Callable

import pytest

from assistant.core.errors import StorageError
from assistant.sync.leading import MARGIN_S, RENEW_S, TRY_S
from assistant.sync.store import LEASE_S, StaleLeaseError
from assistant.tasks import TaskSupervisor
from tests.fakes.sync.leases import (
    LeaseDevice,
    LeaseReport,
    LeaseServer,
    run_schedule,
    run_takeover,
)
from tests.fakes.virtual_loop import run_virtually


class Stage:
    """Devices of one server without random troubles; each leads, or tries to, as long as the test runs."""

    def __init__(self, tasks: TaskSupervisor) -> None:
        self.server, self.tasks = LeaseServer(), tasks
        self.told: list[tuple[int, bool, float]] = []
        self._number = 0

    def device(self) -> tuple[LeaseDevice, "asyncio.Task[None]"]:
        device = LeaseDevice(self.server, self._number, random.Random(self._number))
        device.line.slow_s = 0.0
        number = self._number
        device.leading.changed.add(
            lambda leads: self.told.append((number, leads, round(asyncio.get_running_loop().time())))
        )
        self._number += 1
        return device, self.tasks.start(device.leading.run(), name="lead")


def on_stage(test: Callable[[Stage], Awaitable[None]]) -> None:
    async def run() -> None:
        async with TaskSupervisor() as tasks:
            await test(Stage(tasks))

    run_virtually(run())


def test_the_first_device_leads_at_once_and_the_other_does_not() -> None:
    async def test(stage: Stage) -> None:
        (one, _), (two, _) = stage.device(), stage.device()
        await asyncio.sleep(1)
        assert one.leading.leads
        assert not two.leading.leads
        await asyncio.sleep(1000)
        assert stage.told == [(0, True, 0)]
        assert len(stage.server.grants) == 1

    on_stage(test)


def test_a_device_that_ends_gives_the_lease_back() -> None:
    async def test(stage: Stage) -> None:
        (one, running), (two, _) = stage.device(), stage.device()
        await asyncio.sleep(30)
        running.cancel()
        await asyncio.sleep(TRY_S + 1)
        assert not one.leading.leads
        assert two.leading.leads
        assert [told[:2] for told in stage.told] == [(0, True), (0, False), (1, True)]

    on_stage(test)


def test_without_the_server_it_stops_before_the_lease_can_end() -> None:
    async def test(stage: Stage) -> None:
        one, _ = stage.device()
        await asyncio.sleep(1)
        one.line.cut_until = 10_000
        await asyncio.sleep(RENEW_S)
        assert stage.told == [(0, True, 0)]
        await asyncio.sleep(LEASE_S)
        assert not one.leading.leads
        (_, (number, leads, at)) = stage.told
        assert (number, leads) == (0, False)
        assert at <= LEASE_S - MARGIN_S + 1
        with pytest.raises(StaleLeaseError):
            await one.leading.once("an effect")
        assert stage.server.noted == []

    on_stage(test)


def test_it_stops_in_time_although_an_answer_never_comes() -> None:
    async def test(stage: Stage) -> None:
        one, _ = stage.device()
        await asyncio.sleep(1)

        async def never() -> None:
            await asyncio.Event().wait()

        one.line._way = never  # type: ignore[method-assign]
        await asyncio.sleep(LEASE_S)
        assert [told[:2] for told in stage.told] == [(0, True), (0, False)]

    on_stage(test)


def test_an_answer_that_took_too_long_gives_nothing() -> None:
    async def test(stage: Stage) -> None:
        one, _ = stage.device()

        async def slow() -> None:
            await asyncio.sleep(LEASE_S - MARGIN_S - 10)

        one.line._way = slow  # type: ignore[method-assign]
        await asyncio.sleep(3 * LEASE_S)
        assert stage.server.grants
        assert stage.told == []

    on_stage(test)


def test_a_lease_that_is_gone_at_the_server_ends_with_the_next_effect() -> None:
    async def test(stage: Stage) -> None:
        one, _ = stage.device()
        await asyncio.sleep(1)
        assert await one.leading.once("first")
        assert not await one.leading.once("first")
        stage.server.grants[-1].until = 0
        with pytest.raises(StaleLeaseError):
            await one.leading.once("second")
        assert not one.leading.leads
        assert [told[:2] for told in stage.told] == [(0, True), (0, False)]

    on_stage(test)


def test_a_device_that_is_shut_out_stops_at_once_and_tries_no_more() -> None:
    async def test(stage: Stage) -> None:
        one, running = stage.device()
        await asyncio.sleep(1)
        stage.server.revoked.add(0)
        await asyncio.sleep(RENEW_S + 1)
        assert not one.leading.leads
        assert running.done()

    on_stage(test)


def test_an_effect_whose_answer_is_lost_is_no_yes() -> None:
    async def test(stage: Stage) -> None:
        one, _ = stage.device()
        await asyncio.sleep(1)
        one.line.at_step = lambda step: setattr(one.line, "dead", step == "answered")
        with pytest.raises(StorageError):
            await one.leading.once("first")
        one.line.at_step = lambda _: None
        one.line.dead = False
        assert not await one.leading.once("first")

    on_stage(test)


def test_no_schedule_lets_two_devices_lead_or_a_stale_one_write() -> None:
    report = LeaseReport()
    for seed in range(60):
        run_schedule(seed, report)
    assert (report.stale, report.twice, report.both) == (0, 0, 0)
    assert report.done > 60
    assert report.changes > 60


def test_another_device_takes_over_within_the_lease_and_five_seconds() -> None:
    report = LeaseReport()
    for seed in range(60):
        run_takeover(seed, report)
    assert len(report.takeovers_s) == 60
    assert max(report.takeovers_s) <= LEASE_S + 5
    assert (report.stale, report.twice, report.both) == (0, 0, 0)


def test_the_simulator_sees_a_device_that_believes_for_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    report = LeaseReport()
    monkeypatch.setattr("assistant.sync.leading.MARGIN_S", -30.0)
    for seed in range(10):
        run_schedule(seed, report)
    assert report.both
