"""Keeps this device and the account of several devices alike, from joining it to leaving it."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from assistant.core import updates as up
from assistant.core.clock import Clock
from assistant.core.configuration.catalogue import Value
from assistant.core.errors import ErrorCode, SoriError, StorageError
from assistant.core.listeners import Listeners
from assistant.core.live_settings import LiveSettings
from assistant.core.records.egress import EgressLedger
from assistant.core.records.sync import SyncStanding, SyncState
from assistant.core.settings import Settings
from assistant.engine.domains.sync.joining import Joined
from assistant.engine.domains.sync.kept_membership import AccountKeys, KeptAccount
from assistant.engine.domains.sync.leadership import Leadership
from assistant.engine.domains.sync.open_account import OpenAccount
from assistant.storage.database import Database
from assistant.storage.sync.flow_offers import ThisDevice
from assistant.storage.sync.inbox import SyncInbox, Taken
from assistant.storage.sync.outbox import SyncOutbox
from assistant.storage.sync.text_bases import TextKind
from assistant.tasks import TaskSupervisor

if TYPE_CHECKING:
    from assistant.sync.flow_claims import AccountFlows
    from assistant.sync.sealing import DataKeys
    from assistant.sync.syncing import Syncing
    from assistant.sync.values import ValueSource

log = logging.getLogger(__name__)

_ABOUT: Final = "sync"
SILENCE_S: Final = 5.0
"""How long the user waits for a server that is silent, in seconds, where the rest can be had without it."""
_TOLD: Final = frozenset({SyncStanding.REVOKED, SyncStanding.OUTDATED, SyncStanding.UNOPENED})


@dataclass(kw_only=True, eq=False)
class AccountSync:
    """Syncs while the settings name a server. Use it on the engine's loop.

    Attributes:
        database: what is synced.
        home: the user's folder with the shared files.
        ledger: takes what leaves.
        keys: keeps what this device needs to reach the account.
        live: the settings.
        change: changes settings.
        publish: takes events.
        clock: tells the time.
        flows: claims guided flows in the account.
        sources: the values that are synced beside rows and files.
        carries_out: whether this process carries out scheduled requests.
        arrived: told the tables in which something has come.
        telegram: whether this device answers Telegram.
        schedule: whether this device carries out scheduled requests.
        state: how the syncing stands.
        opened: the account while this device is in it; ``None`` also while the settings change.
    """

    database: Database
    home: Path
    ledger: EgressLedger
    keys: AccountKeys
    live: LiveSettings
    change: Callable[[dict[str, Value]], Awaitable[None]]
    publish: up.Publish
    clock: Clock
    flows: "AccountFlows"
    sources: "Sequence[ValueSource]" = ()
    carries_out: bool = False
    arrived: Listeners[[frozenset[str]], None] = field(default_factory=Listeners, init=False)
    telegram: Leadership = field(init=False)
    schedule: Leadership = field(init=False)
    state: SyncState = field(init=False)
    opened: OpenAccount | None = field(default=None, init=False)
    _syncing: "Syncing | None" = field(default=None, init=False)
    _tasks: TaskSupervisor = field(default_factory=TaskSupervisor, init=False)
    _opening: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)
    _renewing: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)
    _leaving: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        """Until the account is open nobody leads."""
        here = bool(self.live.current.sync.server)
        self.state = SyncState(standing=SyncStanding.STARTING if here else SyncStanding.OFF)
        self.telegram = Leadership("telegram", free=not here)
        self.schedule = Leadership("schedule", free=not here, wanted=self.carries_out)
        for each in self._leaderships:
            each.changed.add(lambda: self.publish(up.SyncChanged()))

    async def follow(self, _: Settings) -> None:
        """Begin or end to sync, as the settings say.

        Raises:
            StorageError: the address is none of PostgreSQL.
        """
        if not self._leaving and await self.outbox.has_left():
            try:
                await self._finish_leaving()
            except SoriError as error:
                log.warning("leaving the account waits for the next start: %s", error)
        async with self._opening:
            await self._end()
            settings = self.live.current.sync
            if not settings.server:
                for each in self._leaderships:
                    await each.leave(free=True)
                self._stand(SyncState(standing=SyncStanding.OFF))
                return
            kept = await asyncio.to_thread(self.keys.read)
            if kept is None:
                self._stand(SyncState(standing=SyncStanding.NO_KEYS))
                return
            self.opened = OpenAccount.to(settings.server, kept, self.ledger)
            if settings.paused:
                # What is changed meanwhile is noted all the same.
                await self.outbox.begin(kept.member.keys.account.hex())
                self._stand(SyncState(standing=SyncStanding.PAUSED))
            else:
                for each in self._leaderships:
                    await each.join(self.opened.leases, self.clock)
                syncing = self._made(self.opened)
                self.flows.join(syncing, ThisDevice(id=self.opened.member.device.hex(), name=self.opened.name))
                self._tasks.start(self._sync(syncing), name="sync with other devices")

    async def close(self) -> None:
        """Sync no more."""
        async with self._opening:
            await self._end()

    async def joined(self) -> OpenAccount:
        """The open account.

        Raises:
            SoriError: this device is in no account.
        """
        async with self._opening:  # While the settings change, it is closed for a moment.
            opened = self.opened
        if opened is None:
            detail = "this device is in no account"
            raise SoriError(ErrorCode.INVALID_REQUEST, detail, message_key="sync_not_set_up")
        return opened

    async def learn(self, opened: OpenAccount) -> "DataKeys":
        """The account's keys with those that other devices have made.

        Raises:
            StorageError: the server failed.
            RevokedError: this device was shut out.
        """
        from assistant.sync.postgres.account_keys import newer_keys

        await opened.store.bring_up_to_date()
        keys = await newer_keys(opened.store, opened.member)
        if keys.epoch > opened.keys.epoch:
            await self.renew(opened, keys)
        return opened.keys

    async def renew(self, opened: OpenAccount, keys: "DataKeys") -> None:
        """Keep newer keys. Where that fails, they are asked for again at the next start."""
        async with self._renewing:
            if keys.epoch <= opened.keys.epoch:
                return  # Newer ones came meanwhile.
            opened.take_keys(keys)
            try:
                await self.keys.renew(KeptAccount(password=opened.password, name=opened.name, member=opened.member))
            except SoriError as error:
                log.warning("the account's newer keys were not kept: %s", error)

    async def keep_password(self, opened: OpenAccount, password: str) -> None:
        """Keep another password of the server, and connect anew.

        Raises:
            SoriError: it cannot be kept.
        """
        async with self._renewing:
            await self.keys.renew(KeptAccount(password=password, name=opened.name, member=opened.member))
        await self.follow(self.live.current)

    async def enter(self, joined: Joined, device: str, *, in_file: bool) -> None:
        """Begin to sync with an account that this device has just joined.

        Args:
            joined: the account.
            device: the name of this device.
            in_file: whether the keys are kept in a file.

        Raises:
            SoriError: the keys or the settings cannot be kept.
        """
        kept = KeptAccount(password=joined.password, name=device, member=joined.member)
        await self.keys.keep(kept, in_file=in_file)
        await self.outbox.settle_leaving()
        if joined.last_seen is not None:
            await self.outbox.compare_seen(joined.last_seen)
        if self.live.current.sync.server == joined.address and not self.live.current.sync.paused:
            await self.follow(self.live.current)
        else:
            await self.change({"sync.server": joined.address, "sync.paused": False})

    async def leave(self) -> bool:
        """Leave the account. What is here stays.

        Returns:
            Whether this device was in one.

        Raises:
            SoriError: it cannot be noted, or the settings or the keys cannot be changed.
        """
        here = bool(self.live.current.sync.server)
        async with self._opening:
            own_flows = await self.flows.take_along()
            await self._end()
            await self.outbox.end(own_flows)
        await self._finish_leaving()
        return here

    async def _finish_leaving(self) -> None:
        """Do the rest once it is noted that this device has left. If Sori ends in between, the next start does it."""
        from assistant.sync.store import RevokedError

        self._leaving = True
        try:
            server, kept = self.live.current.sync.server, await asyncio.to_thread(self.keys.read)
            if server and kept is not None:
                opened = OpenAccount.to(server, kept, self.ledger)
                # Its secret is worth nothing from then on. A server that is away is left without that.
                with suppress(StorageError, RevokedError, TimeoutError):
                    async with asyncio.timeout(SILENCE_S):
                        await opened.store.beat(opened.sealed_name(left=True))
                        await opened.store.revoke(opened.member.device)
                await opened.close()
            await self.change({"sync.server": None, "sync.paused": None})
            await self.keys.drop()
            await self.outbox.settle_leaving()
        finally:
            self._leaving = False

    async def share(self) -> None:
        """Take what has come, and send what waits, now.

        Raises:
            StorageError: the server, the database or a file failed, or this device does not sync.
        """
        from assistant.sync.sealing import UnopenedError
        from assistant.sync.store import RevokedError

        if self._syncing is None:
            raise StorageError("postgresql", "this device does not sync")
        sharing = self._tasks.start(self._syncing.round(), name="share with other devices now", handled=True)
        await asyncio.wait({sharing})
        try:
            sharing.result()
        except (asyncio.CancelledError, RevokedError, UnopenedError) as error:
            raise StorageError("postgresql", f"this device does not sync any more: {error!r}") from error

    def hasten(self) -> None:
        """Send what was changed here soon."""
        if self._syncing is not None:
            self._syncing.hasten()

    def note_silence(self) -> None:
        """A request for the user has waited for the server in vain."""
        if self._syncing is not None:
            self._syncing.note_silence()

    def note_revoked(self) -> None:
        """This device was shut out. The syncing itself learns it at its next exchange."""
        self._stand(replace(self.state, standing=SyncStanding.REVOKED))

    @property
    def outbox(self) -> SyncOutbox:
        """What waits to leave."""
        return SyncOutbox(self.database, self.clock)

    def _made(self, opened: OpenAccount) -> "Syncing":
        from assistant.sync.comparing import TextComparison
        from assistant.sync.syncing import Syncing
        from assistant.sync.texts import SharedTexts
        from assistant.sync.values import SharedValues

        return Syncing(
            opened.store,
            opened.keys,
            outbox=self.outbox,
            inbox=SyncInbox(self.database, self.clock),
            shared=(
                TextComparison(TextKind.FILE, SharedTexts(self.home, self.clock), self.database, self.clock),
                TextComparison(TextKind.VALUE, SharedValues(self.sources), self.database, self.clock),
            ),
            clock=self.clock,
            device=opened.sealed_name(),
            identity=opened.member.device,
            learn=partial(self.learn, opened),
        )

    async def _sync(self, syncing: "Syncing") -> None:
        self._syncing = syncing
        self._stand(syncing.state)
        syncing.changed.add(self._stand)
        syncing.taken.add(self._taken)
        try:
            await syncing.run()
        except Exception:
            # The supervisor tells of it; the page must not go on saying that all is well.
            self._stand(SyncState(standing=SyncStanding.STUCK))
            raise
        finally:
            self._syncing = None

    async def _end(self) -> None:
        for each in self._leaderships:
            await each.leave(free=False)
        self.flows.leave(paused=self.live.current.sync.paused)
        opened, self.opened = self.opened, None
        if opened is not None:
            opened.store.stop_waiting()
        self._tasks.cancel()
        await self._tasks.close()
        self._tasks = TaskSupervisor()
        if opened is not None:
            await opened.close()

    @property
    def _leaderships(self) -> tuple[Leadership, ...]:
        return self.telegram, self.schedule

    def _stand(self, state: SyncState) -> None:
        before, self.state = self.state, state
        if state == before:
            return
        if state.standing is not before.standing:
            for each in self._leaderships:
                self._tasks.start(each.stand(state.standing), name="lead, or let another device")
        self.publish(up.SyncChanged())
        if state.standing in _TOLD and state.standing is not before.standing:
            self.publish(
                up.NoticePosted(key=f"notice.sync_{state.standing}", severity=up.Severity.WARNING, about=_ABOUT)
            )

    def _taken(self, taken: Taken) -> None:
        if taken.tables:
            self.arrived.tell(frozenset(taken.tables))
        if taken.differences:
            values = {"count": str(taken.differences)}
            self.publish(up.NoticePosted(key="notice.sync_differences", values=values, about=_ABOUT))
            self.publish(up.SyncChanged())
        if taken.refused:
            self.publish(up.NoticePosted(key="notice.sync_set_back", severity=up.Severity.WARNING, about=_ABOUT))
