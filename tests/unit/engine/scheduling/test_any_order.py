"""Three devices that change, remove and carry out scheduled requests in any order, apart and together."""

import random
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant.chat.run_states import finished
from assistant.storage.timers import Job, RunOutcome, StoredTimer
from tests.fakes.sync.account import Home, MemoryAccount
from tests.unit.engine.scheduling.test_several_devices import Device, Server, pass_time

TIMES = ("매일 아침 8시", "매일 오후 5시", "매일 밤 9시")


class Life:
    """What happens on the devices.

    Attributes:
        begun: each run that was told, by the request and its time.
    """

    def __init__(self, devices: list[Device], server: Server, seed: int) -> None:
        self.devices, self._server, self._chance = devices, server, random.Random(seed)
        self.begun: list[tuple[str, datetime]] = []

    async def goes_on(self) -> None:
        """Let one thing happen on one device."""
        device = self._chance.choice(self.devices)
        every = await device.book.every()
        one = self._chance.choice(every) if every else await self._added(device)
        acts: tuple[Callable[[], Awaitable[object]], ...] = (
            lambda: self._added(device),
            lambda: device.changes.change_request(one.id, name=f"할 일 {self._chance.random()}"),
            lambda: device.changes.pause(one.id, paused=not (one.job or Job()).paused),
            lambda: device.changes.put(device.book.moved(one, device.book.said(self._chance.choice(TIMES)))),
            lambda: device.changes.cancel(one.id),
            *[lambda: self._time_passes(device)] * 6,
            lambda: self._led_by(device),
            lambda: self._starts_anew(device),
            *[device.home.sync] * 4,
        )
        await self._chance.choice(acts)()

    async def _added(self, device: Device) -> StoredTimer:
        return await device.book.add_at("할 일", self._chance.choice(TIMES), "ko")

    async def _led_by(self, device: Device) -> None:
        self._server.leader = device.lead._name
        await self._looks(device)

    async def _starts_anew(self, device: Device) -> None:
        device.start()

    async def _time_passes(self, device: Device) -> None:
        now = device.home.clock.now()
        soon = min((at - now for at in (await self._due(device)).values() if at > now), default=timedelta())
        pass_time(soon + timedelta(minutes=self._chance.choice((1, 9, 60, 300))), *self.devices)
        await self._looks(device)

    async def _looks(self, device: Device) -> None:
        due = await self._due(device)
        await device.look()
        self.begun += [(each.id, due[each.id]) for each in device.states if _runs(each)]
        for each in await device.book.every():
            if _runs(each) and (each.job or Job()).turn in device.due._runs and self._chance.random() < 0.8:
                await device.timers.put(finished(each, RunOutcome.DONE))

    async def _due(self, device: Device) -> dict[str, datetime]:
        return {each.id: each.due_at.astimezone(UTC) for each in await device.book.every()}


def _runs(request: StoredTimer) -> bool:
    return (request.job or Job()).outcome is RunOutcome.RUNNING


@pytest.mark.parametrize("seed", range(8))
async def test_they_end_alike_and_nothing_runs_twice(tmp_path: Path, seed: int) -> None:
    server, account, devices = Server(), MemoryAccount(), list[Device]()
    for name in ("laptop", "desktop", "tablet"):
        home = await Home.open(tmp_path / name, account)
        devices.append(Device(home, server, name))
        await home.join(account)
    life = Life(devices, server, seed)
    for _ in range(150):
        await life.goes_on()
    for each in devices * 3:
        await each.home.sync()
    first, *others = [await each.shared.all() for each in devices]
    assert others == [first, first]
    assert len(life.begun) == len(set(life.begun)) > 0
    for each in devices:
        await each.home.database.close()
