"""Devices that compete for a lease on one virtual clock, through crashes, pauses, partitions and wrong clocks."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from assistant.core.errors import StorageError
from assistant.sync.leading import Leading
from assistant.sync.store import LEASE_S, HeldLease, Lease, RevokedError, StaleLeaseError
from assistant.tasks import TaskSupervisor
from tests.fakes.clock import FakeClock
from tests.fakes.sync.account import MemoryAccount
from tests.fakes.virtual_loop import run_virtually

WORK = "telegram"
Result = TypeVar("Result")


@dataclass
class Grant:
    """A lease as the server has given it, by the virtual clock."""

    device: int
    token: int
    since: float
    until: float


class LeaseServer:
    """Leases and effects as ``server-1.sql`` has them.

    Attributes:
        grants: all leases of the one work, oldest first. Only the last one may be valid.
        noted: when which effect was accepted, from whom and with which token.
    """

    def __init__(self) -> None:
        self.grants: list[Grant] = []
        self.noted: list[tuple[float, int, int, str]] = []
        self.revoked: set[int] = set()
        self._effects: set[str] = set()

    def lease(self, device: int, work: str) -> Lease | None:
        self._check(device)
        now, last = _now(), self.grants[-1] if self.grants else None
        if last is not None and last.until > now:
            if last.device != device:
                return None
            last.until = now + LEASE_S
            return Lease(work=work, token=last.token)
        self.grants.append(Grant(device, last.token + 1 if last else 1, now, now + LEASE_S))
        return Lease(work=work, token=self.grants[-1].token)

    def give_back(self, device: int, lease: Lease) -> None:
        self._check(device)
        if self._holds(device, lease):
            self.grants[-1].until = _now()

    def once(self, device: int, lease: Lease, effect: str) -> bool:
        self._check(device)
        if not self._holds(device, lease):
            raise StaleLeaseError
        if effect in self._effects:
            return False
        self._effects.add(effect)
        self.noted.append((_now(), device, lease.token, effect))
        return True

    def _holds(self, device: int, lease: Lease) -> bool:
        last = self.grants[-1] if self.grants else None
        return last is not None and (last.device, last.token) == (device, lease.token) and last.until > _now()

    def _check(self, device: int) -> None:
        if device in self.revoked:
            raise RevokedError


class SkewedClock(FakeClock):
    """The clock of a device: wrong, too fast or too slow, and standing while the device is paused."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self._skew_s, self._start_s = chance.uniform(-300, 300), chance.uniform(0, 1e6)
        self._rate = chance.uniform(0.99, 1.01)
        self.paused_until = 0.0

    def now(self) -> datetime:
        return datetime(2026, 11, 27, tzinfo=UTC) + timedelta(seconds=_now() * self._rate + self._skew_s)

    def monotonic(self) -> float:
        raise AssertionError("it does not count a suspended computer's time")

    def uptime(self) -> float:
        return self._start_s + _now() * self._rate

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(max(0.0, seconds) / self._rate)
        await self.awake()

    async def awake(self) -> None:
        """Return when the device is not paused."""
        if (left_s := self.paused_until - _now()) > 0:
            await asyncio.sleep(left_s)
            await self.awake()


@dataclass
class LeaseLine(MemoryAccount):
    """The way of one device to the server. Requests go one after another.

    Attributes:
        slow_s: longest way there, and back.
        cut_until: when it reaches the server again.
        at_step: told the step of a request: ``sent``, ``done`` on the server, ``answered``. It may crash the device.
    """

    server: LeaseServer
    device: int
    clock: SkewedClock
    chance: random.Random
    slow_s: float = 0.5
    cut_until: float = 0.0
    at_step: Callable[[str], None] = lambda _: None
    dead: bool = False
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def lease(self, work: str) -> Lease | None:
        return await self._ask(lambda: self.server.lease(self.device, work))

    async def give_back(self, lease: Lease) -> None:
        await self._ask(lambda: self.server.give_back(self.device, lease))

    async def leases(self) -> list[HeldLease]:
        raise NotImplementedError

    async def once(self, lease: Lease, effect: str) -> bool:
        return await self._ask(lambda: self.server.once(self.device, lease, effect))

    async def _ask(self, what: Callable[[], Result]) -> Result:
        async with self._turn:
            self._step("sent")
            await self._way()
            answer = what()
            self._step("done")
            await self._way()
            self._step("answered")
            await self.clock.awake()
            return answer

    def _step(self, step: str) -> None:
        self.at_step(step)
        if self.dead:
            raise StorageError("postgresql://server", "the device has crashed")

    async def _way(self) -> None:
        await asyncio.sleep(self.chance.uniform(0, self.slow_s))
        if self.cut_until > _now():
            await asyncio.sleep(5)
            raise StorageError("postgresql://server", "the server is away")


class LeaseDevice:
    """A device that does numbered pieces of work while it leads.

    Attributes:
        did: the pieces that it has done, with their times.
    """

    def __init__(self, server: LeaseServer, number: int, chance: random.Random) -> None:
        self.clock, self._chance, self.did = SkewedClock(chance), chance, list[tuple[float, str]]()
        self.line = LeaseLine(server, number, self.clock, chance)
        self.leading = Leading(self.line, WORK, self.clock)
        self.crash_s = 0.0
        self._end = asyncio.Event()

    def crash(self) -> None:
        """End without a word, in the midst of whatever runs."""
        self.line.dead = True
        self._end.set()

    async def live(self) -> None:
        """Run; after each crash rest for a while, and begin anew."""
        while True:
            async with TaskSupervisor() as tasks:
                tasks.start(self.leading.run(), name="lead")
                tasks.start(self._work(), name="work")
                await self._end.wait()
            await asyncio.sleep(self.crash_s)
            former = self.line
            self._end.clear()
            self.line = LeaseLine(former.server, former.device, self.clock, self._chance, former.slow_s)
            self.line.at_step = former.at_step
            self.leading = Leading(self.line, WORK, self.clock)

    async def _work(self) -> None:
        while True:
            await self.clock.sleep(self._chance.uniform(1, 5))
            if not self.leading.leads:
                continue
            # Another device may be about to do the very same piece.
            effect = str(int(_now() / 7))
            try:
                new = await self.leading.once(effect)
            except (StorageError, StaleLeaseError):
                continue
            if new and self.leading.leads:
                self.did.append((_now(), effect))


@dataclass
class LeaseReport:
    """What has come of schedules.

    Attributes:
        stale: effects that were accepted although another device had taken the lease.
        twice: pieces of work that were done twice.
        both: moments at which two devices believed that they led.
        done: pieces of work.
        changes: how often the lease changed hands.
        takeovers_s: seconds from a crash until another device led.
    """

    stale: int = 0
    twice: int = 0
    both: int = 0
    done: int = 0
    changes: int = 0
    takeovers_s: list[float] = field(default_factory=list)

    def add(self, server: LeaseServer, devices: list[LeaseDevice]) -> None:
        """Count what a schedule has left."""
        for at, _, token, _ in server.noted:
            self.stale += any(each.token > token and each.since <= at for each in server.grants)
        did = [effect for device in devices for _, effect in device.did]
        self.twice += len(did) - len(set(did))
        self.done += len(did)
        self.changes += len(server.grants) - 1


async def _watch(devices: list[LeaseDevice], report: LeaseReport, seconds: float) -> None:
    """Look four times a second whether two devices lead."""
    until = _now() + seconds
    while _now() < until:
        await asyncio.sleep(0.25)
        report.both += sum(each.leading.leads for each in devices) > 1


def _trouble(device: LeaseDevice, chance: random.Random) -> None:
    """Let one thing go wrong at a device, now or at its next request."""
    match chance.choice(("pause", "cut", "slow", "fast", "sent", "done", "answered")):
        case "pause":
            device.clock.paused_until = _now() + chance.uniform(1, 150)
        case "cut":
            device.line.cut_until = _now() + chance.uniform(1, 150)
        case "slow":
            device.line.slow_s = chance.uniform(5, 60)
        case "fast":
            device.line.slow_s = 0.5
        case step:
            device.crash_s = chance.uniform(1, 120)

            def crash(reached: str) -> None:
                if reached == step and not device.line.dead:
                    device.line.at_step = lambda _: None
                    device.crash()

            device.line.at_step = crash


def run_schedule(seed: int, report: LeaseReport, seconds: float = 600) -> None:
    """Run devices through random troubles for so many virtual seconds."""

    async def run() -> None:
        chance, server = random.Random(seed), LeaseServer()
        devices = [LeaseDevice(server, number, chance) for number in range(chance.randint(2, 4))]

        async def trouble() -> None:
            while True:
                await asyncio.sleep(chance.expovariate(1 / 20))
                _trouble(chance.choice(devices), chance)

        await _among(devices, _watch(devices, report, seconds), trouble())
        report.add(server, devices)

    run_virtually(run())


def run_takeover(seed: int, report: LeaseReport) -> None:
    """Let the leader crash in a random step, while the others are well."""

    async def run() -> None:
        chance, server = random.Random(seed), LeaseServer()
        devices = [LeaseDevice(server, number, chance) for number in range(chance.randint(2, 4))]

        async def takeover() -> None:
            await asyncio.sleep(chance.uniform(5, 120))
            leader = next(each for each in devices if each.leading.leads)
            taken = asyncio.Event()
            for each in devices:
                each.leading.changed.add(lambda leads: taken.set() if leads else None)
            leader.crash_s = 1000
            leader.crash()
            crashed_at = _now()
            await taken.wait()
            report.takeovers_s.append(_now() - crashed_at)

        await _among(devices, takeover())
        report.add(server, devices)

    run_virtually(run())


async def _among(devices: list[LeaseDevice], work: Awaitable[None], *beside: Awaitable[None]) -> None:
    async with TaskSupervisor() as tasks:
        for each in [*(device.live() for device in devices), *beside]:
            tasks.start(_awaited(each), name="schedule")
        await work
        for device in devices:
            device.crash()


async def _awaited(work: Awaitable[None]) -> None:
    await work


def _now() -> float:
    return asyncio.get_running_loop().time()
