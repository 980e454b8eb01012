"""Devices that share guided flows, on lines to an account that may fail at any point."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from assistant.core.errors import StorageError
from assistant.core.messages import Message, Role
from assistant.core.records.flows import FlowHindered, FlowSession, FlowStanding, StepOutcome, StepStatus
from assistant.storage.database import Database
from assistant.storage.flows import FlowStore
from assistant.storage.identities import new_id
from assistant.storage.sync.flow_offers import FlowOffers, ThisDevice
from assistant.sync.flow_claims import AccountFlows
from assistant.sync.shared_flows import SharedFlows
from assistant.sync.store import AccountPlace, Change, RevokedError, Sealed, SyncDevice
from tests.fakes.sync.account import Home, MemoryAccount

SERVICE = "transfer"
Result = TypeVar("Result")


class KilledError(Exception):
    """The device was killed at this point."""


class Fuse:
    """Kills a device after so many of its writes and requests; ``left`` is below 0 for never."""

    def __init__(self) -> None:
        self.left = -1

    def burn(self) -> None:
        if self.left == 0:
            self.left = -1
            raise KilledError
        self.left -= self.left > 0


class FusedDatabase(Database):
    """A database whose device may be killed before a write. Make it of an open one by ``fused``."""

    fuse: Fuse

    @classmethod
    def fused(cls, database: Database, fuse: Fuse) -> None:
        database.__class__ = cls
        database.fuse = fuse  # type: ignore[attr-defined]

    async def write(self, work: Callable[..., Result], *, durable: bool = True) -> Result:
        self.fuse.burn()
        return await super().write(work, durable=durable)


class DeviceLine(MemoryAccount):
    """The way of one device to an account.

    Attributes:
        offline: whether the server cannot be reached.
        lost: how many answers to changes get lost.
    """

    def __init__(self, account: MemoryAccount, fuse: Fuse) -> None:
        super().__init__()
        self._account, self._fuse = account, fuse
        self.offline, self.lost = False, 0

    async def place(self, device: bytes) -> AccountPlace:
        self._reach()
        return await self._account.place(device)

    async def pull(self, after: int, limit: int) -> list[Sealed]:
        self._reach()
        return await self._account.pull(after, limit)

    async def push(self, changes: Sequence[Change]) -> list[int | None]:
        self._reach()
        numbers = await self._account.push(changes)
        self._fuse.burn()
        if self.lost:
            self.lost -= 1
            raise StorageError("postgresql://account", "the connection was lost before the answer")
        return numbers

    async def beat(self, name: bytes) -> datetime:
        return await self._account.beat(name)

    async def devices(self) -> list[SyncDevice]:
        self._reach()
        return await self._account.devices()

    def _reach(self) -> None:
        self._fuse.burn()
        if self.revoked:
            raise RevokedError
        if self.offline:
            raise StorageError("postgresql://account", "the server is away")


class FlowDevice:
    """A device with flows that run one step each. Make it with ``open``.

    Attributes:
        home: its database.
        line: its way to the account.
        fuse: kills it.
        executed: the keys of the steps that devices have run, in order; all devices may have one list.
    """

    def __init__(self, home: Home, account: MemoryAccount, name: str, executed: list[str]) -> None:
        self.home, self.name, self.executed = home, name, executed
        self.fuse = Fuse()
        FusedDatabase.fused(home.database, self.fuse)
        self._account, self.line = account, DeviceLine(account, self.fuse)
        self.begun: list[str] = []
        self.identity = name

    @classmethod
    async def open(cls, path: Path, account: MemoryAccount, executed: list[str]) -> "FlowDevice":
        device = cls(await Home.open(path, account), account, path.name, executed)
        await device.start()
        return device

    async def start(self) -> None:
        """Begin in the account, as at each start after a kill."""
        self.store = FlowStore(self.home.database, self.home.clock)
        self.offers = FlowOffers(self.home.database)
        self.flows = AccountFlows(self.offers)
        self.home.sources[:] = [SharedFlows(self.offers, lambda: self.flows.device)]
        await self.home.join(self.line)
        self.flows.join(self.home.syncing, ThisDevice(id=self.identity.encode().hex(), name=self.name))

    async def leave(self) -> bool:
        """Leave the account; whether flows went with this device."""
        own = await self.flows.take_along()
        self.flows.leave()
        await self.home.outbox.end(own)
        self.be_shut_out()
        return bool(own)

    def be_shut_out(self) -> None:
        """Have the account take nothing from this device any more."""
        self.line.revoked = True
        self._account.shut_out.add(self.identity.encode())

    async def join_again(self) -> None:
        """Join as a new device of the account."""
        self.identity = new_id()
        self.line.revoked = False
        await self.start()

    async def begin(self) -> str:
        """Begin a flow in a conversation of its own; its id."""
        conversation = await self.home.conversations.create()
        await self.home.conversations.add(conversation, Message(role=Role.USER, text="보내 줘"))
        await self._save(conversation, FlowStanding.ACTIVE, {"key": new_id()})
        return conversation

    async def begin_again(self, session: str) -> FlowHindered | None:
        """Begin another flow where one was before."""
        hindered = await self.flows.claim(session, SERVICE, lambda _: True)
        if hindered is None:
            await self._save(session, FlowStanding.ACTIVE, {"key": new_id()})
        return hindered

    async def standing(self, session: str) -> FlowStanding | None:
        found = await self.store.load(session, SERVICE)
        return None if found is None else found.standing

    async def park(self, session: str) -> None:
        found = await self.store.load(session, SERVICE)
        if found is not None and found.standing is FlowStanding.ACTIVE:
            await self.store.save(replace(found, standing=FlowStanding.PARKED))

    async def go_on(self, session: str, *, take_over: bool = False) -> FlowHindered | None:
        """Say "continue", or "continue here", and nothing more."""
        return await self._may(session, self._goes_on, take_over=take_over)

    async def confirm(self, session: str) -> FlowHindered | None:
        """Say yes: the step runs, unless it did."""
        return await self._may(session, self._executes)

    async def _may(
        self, session: str, then: Callable[[FlowSession], Awaitable[None]], *, take_over: bool = False
    ) -> FlowHindered | None:
        hindered = await self.flows.claim(session, SERVICE, lambda _: True, take_over=take_over)
        if hindered is not None:
            await self.park(session)
            return hindered
        found = await self.store.load(session, SERVICE)
        if found is not None and found.standing is not FlowStanding.OVER:
            await then(found)
        await self.flows.settled(session, SERVICE)
        return None

    async def _goes_on(self, found: FlowSession) -> None:
        await self.store.save(replace(found, standing=FlowStanding.ACTIVE))

    async def _executes(self, found: FlowSession) -> None:
        key, session = found.state["key"], found.session
        begun = await self.store.find(key)
        if begun is None:
            await self._save(session, FlowStanding.ACTIVE, {**found.state, "executing": key})
            if await self.store.begin(key, session=session, service=SERVICE, step="send", digest=""):
                self.begun.append(key)
                self.fuse.burn()
                self.executed.append(key)
                await self.store.end(key, StepOutcome(StepStatus.DONE, "sent"))
        await self._save(session, FlowStanding.OVER, found.state)

    async def _save(self, session: str, standing: FlowStanding, state: dict[str, Any]) -> None:
        await self.store.save(
            FlowSession(
                session=session, service=SERVICE, standing=standing, state=state, changed_at=self.home.clock.now()
            )
        )
