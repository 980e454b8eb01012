"""The domain of the account of several devices: joins and leaves it, and keeps this device and it alike."""

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from assistant.core import updates as up
from assistant.core.clock import Clock
from assistant.core.configuration.catalogue import Value
from assistant.core.display.reading import local_time
from assistant.core.errors import ErrorCode, SoriError, StorageError
from assistant.core.listeners import Listeners
from assistant.core.live_settings import LiveSettings
from assistant.core.records.egress import EgressLedger
from assistant.core.records.sync import SyncStanding, SyncState
from assistant.core.service.requests.sync import account as rq
from assistant.core.service.requests.sync import keys as kq
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.engine.checks.server_advice import advice
from assistant.engine.domains.sync.difference_words import shown_difference
from assistant.engine.domains.sync.joining import (
    Former,
    Joined,
    check_passphrase,
    check_password,
    is_local,
    join_by_code,
    join_by_passphrase,
    without_password,
)
from assistant.engine.domains.sync.kept_membership import AccountKeys, KeptAccount
from assistant.engine.domains.sync.leadership import Leadership
from assistant.engine.domains.sync.shown_devices import shown_devices
from assistant.engine.serving.table import Domain, serves
from assistant.storage.database import Database
from assistant.storage.sync.device_notes import BegunDevices
from assistant.storage.sync.differences import SyncDifferences
from assistant.storage.sync.flow_offers import ThisDevice
from assistant.storage.sync.inbox import SyncInbox, Taken
from assistant.storage.sync.outbox import SyncOutbox
from assistant.storage.sync.text_bases import TextKind
from assistant.tasks import TaskSupervisor

if TYPE_CHECKING:
    from assistant.storage.postgres.server import PostgresServer
    from assistant.sync.flow_claims import AccountFlows
    from assistant.sync.postgres.postgres_store import Membership, PostgresStore
    from assistant.sync.sealing import DataKeys
    from assistant.sync.syncing import Syncing
    from assistant.sync.values import ValueSource

log = logging.getLogger(__name__)

_LANE: Final = "sync"
_ABOUT: Final = "sync"
_SILENCE_S: Final = 5.0
"""How long the user waits for a server that is silent, in seconds, where the rest can be had without it."""
_TOLD: Final = frozenset({SyncStanding.REVOKED, SyncStanding.OUTDATED, SyncStanding.UNOPENED})


@dataclass(kw_only=True, eq=False)
class SyncedDevices(Domain):
    """Owns the requests for the account, and syncs while the settings name a server.

    Attributes:
        database: what is synced.
        home: the user's folder with the shared files.
        ledger: takes what leaves.
        keys: keeps what this device needs to reach the account.
        live: the settings.
        change: changes settings.
        texts: the user's words.
        publish: takes events.
        clock: tells the time.
        flows: claims guided flows in the account.
        sources: the values that are synced beside rows and files.
        carries_out: whether this process carries out scheduled requests.
        arrived: told the tables in which something has come.
        telegram: whether this device answers Telegram.
        schedule: whether this device carries out scheduled requests.
    """

    database: Database
    home: Path
    ledger: EgressLedger
    keys: AccountKeys
    live: LiveSettings
    change: Callable[[dict[str, Value]], Awaitable[None]]
    texts: Texts
    publish: up.Publish
    clock: Clock
    flows: "AccountFlows"
    sources: "Sequence[ValueSource]" = ()
    carries_out: bool = False
    arrived: Listeners[[frozenset[str]], None] = field(default_factory=Listeners, init=False)
    telegram: Leadership = field(init=False)
    schedule: Leadership = field(init=False)
    _state: SyncState = field(init=False)
    _open: "_Open | None" = field(default=None, init=False)
    _syncing: "Syncing | None" = field(default=None, init=False)
    _tasks: TaskSupervisor = field(default_factory=TaskSupervisor, init=False)
    _opening: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)
    _renewing: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)
    _leaving: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        """Until the account is open nobody leads."""
        here = bool(self.live.current.sync.server)
        self._state = SyncState(standing=SyncStanding.STARTING if here else SyncStanding.OFF)
        self.telegram = Leadership("telegram", free=not here)
        self.schedule = Leadership("schedule", free=not here, wanted=self.carries_out)
        for each in self._leaderships:
            each.changed.add(lambda: self.publish(up.SyncChanged()))

    async def follow(self, _: Settings) -> None:
        """Begin or end to sync, as the settings say.

        Raises:
            StorageError: the address is none of PostgreSQL.
        """
        if not self._leaving and await self._outbox.has_left():
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
            self._open = _Open.to(settings.server, kept, self.ledger)
            if settings.paused:
                # What is changed meanwhile is noted all the same.
                await self._outbox.begin(kept.member.keys.account.hex())
                self._stand(SyncState(standing=SyncStanding.PAUSED))
            else:
                for each in self._leaderships:
                    await each.join(self._open.leases, self.clock)
                syncing = self._made(self._open)
                self.flows.join(syncing, ThisDevice(id=self._open.member.device.hex(), name=self._open.name))
                self._tasks.start(self._sync(syncing), name="sync with other devices")

    async def close(self) -> None:
        """Sync no more."""
        async with self._opening:
            await self._end()

    @serves()
    async def _read(self, _: rq.ReadSync) -> rq.SyncView:
        return await self._view()

    @serves()
    async def _list_devices(self, _: rq.ListSyncDevices) -> tuple[rq.ShownDevice, ...]:
        """The devices.

        Raises:
            SoriError: this device is in no account, or was shut out.
            StorageError: the server cannot be reached.
        """
        opened = await self._joined()
        with _told_when_revoked():
            return await self._listed(opened)

    @serves(lane=_LANE)
    async def _set_up(self, request: rq.SetUpSync) -> rq.SyncView:
        """Join an account, or make one.

        Raises:
            SoriError: the passphrase is too short or another one, or the keys cannot be kept.
            StorageError: the server cannot be reached, or refuses.
        """
        check_passphrase(request.passphrase)
        address, password = without_password(request.address.strip())
        device = request.device.strip() or socket.gethostname()
        async with self.keys.room(in_file=request.in_file):
            joined = await join_by_passphrase(
                self._connect,
                address,
                password,
                request.passphrase,
                device,
                new=request.new,
                identity=await self._begun.again(),
                former=(former := await self._former()),
            )
        view = await self._enter(joined, device, former, in_file=request.in_file)
        notes = [self.texts("sync.own_rights")] if joined.own_rights else []
        if joined.left_logins:
            drops = "; ".join(f"DROP ROLE {name}" for name in joined.left_logins)
            notes.append(self.texts("sync.left_logins", drops=drops))
        return replace(view, note="\n".join([*notes, *self._here_only()]))

    async def _former(self) -> Former | None:
        kept = await asyncio.to_thread(self.keys.read)
        user = urlsplit(self.live.current.sync.server).username
        return None if kept is None else Former(user=user or "", kept=kept)

    @serves(lane=_LANE)
    async def _upgrade(self, request: rq.UpgradeSyncServer) -> rq.SyncView:
        """Bring the server's functions up to date with another login, which is not kept.

        Raises:
            StorageError: the server cannot be reached, or the login may not do that.
        """
        from assistant.sync.postgres.functions import functions_of
        from assistant.sync.postgres.postgres_store import make_tables

        opened = await self._joined()
        server = self._connect(*without_password(request.address.strip()))
        try:
            await make_tables(server)
            functions = await functions_of(server)
        finally:
            await server.close()
        if functions.older:
            detail = "this login may not change Sori's functions"
            raise StorageError(server.name, detail, message_key="sync_tables")
        await opened.store.beat(opened.sealed_name())
        self.publish(up.SyncChanged())
        return await self._view()

    @serves(lane=_LANE)
    async def _join_by_code(self, request: kq.JoinByCode) -> rq.SyncView:
        """Join an account by another device's code.

        Raises:
            SoriError: the code is mistyped, of another version, used or too old, or the keys cannot be kept.
            StorageError: the server cannot be reached, or refuses.
        """
        device = request.device.strip() or socket.gethostname()
        former = await self._former()
        async with self.keys.room(in_file=request.in_file):  # A code is good for one try.
            joined = await join_by_code(self._connect, request.code, device, await self._begun.new())
        return await self._enter(joined, device, former, in_file=request.in_file)

    @serves(lane=_LANE)
    async def _invite(self, _: kq.InviteDevice) -> kq.InvitedDevice:
        """Make a code for another device.

        Raises:
            SoriError: this device is in no account, or was shut out.
            StorageError: the server cannot be reached.
        """
        from assistant.sync.invitation import Invitation
        from assistant.sync.postgres.account_keys import invite

        opened = await self._joined()
        invitation = Invitation.new(self.live.current.sync.server, opened.password)
        with _told_when_revoked():
            await self._learn(opened)
            until = await invite(opened.store, opened.keys, invitation)
        note = "\n".join(self._here_only())
        return kq.InvitedDevice(code=invitation.code, until=until.astimezone().isoformat(), note=note)

    @serves(lane=_LANE)
    async def _rotate(self, request: kq.RotateKeys) -> None:
        """Give the account a new key.

        Raises:
            SoriError: the passphrase is too short, this device is in no account, or was shut out.
            StorageError: the server cannot be reached, or holds devices that are none of the account's.
        """
        await self._make_key(request.passphrase)

    async def _make_key(self, passphrase: str, without: bytes | None = None) -> None:
        from assistant.sync.postgres.account_keys import rotate
        from assistant.sync.sealing import UnopenedError

        check_passphrase(passphrase)
        opened = await self._joined()
        try:
            with _told_when_revoked():
                await self._renew(opened, await rotate(opened.store, opened.member, passphrase, without))
        except UnopenedError as error:
            raise StorageError("postgresql", str(error), cause=error) from error

    @serves(lane=_LANE)
    async def _change_password(self, request: kq.ChangeServerPassword) -> rq.SyncView:
        """Use another password for the server.

        Raises:
            SoriError: this device is in no account, or the password cannot be kept.
            StorageError: the server does not let this device in with it, or cannot be reached.
        """
        opened = await self._joined()
        await check_password(self._connect, self.live.current.sync.server, request.password)
        async with self._renewing:
            kept = KeptAccount(password=request.password, name=opened.name, member=opened.member)
            await self.keys.renew(kept)
        await self.follow(self.live.current)
        return await self._view()

    def _connect(self, address: str, password: str) -> "PostgresServer":
        from assistant.sync.postgres.postgres_store import connected

        return connected(address, password, self.ledger)

    async def _enter(self, joined: Joined, device: str, former: Former | None, *, in_file: bool) -> rq.SyncView:
        kept = KeptAccount(password=joined.password, name=device, member=joined.member)
        await self.keys.keep(kept, in_file=in_file)
        await self._outbox.settle_leaving()
        if joined.last_seen is not None:
            await self._outbox.compare_seen(joined.last_seen)
        if self.live.current.sync.server == joined.address and not self.live.current.sync.paused:
            await self.follow(self.live.current)
        else:
            await self.change({"sync.server": joined.address, "sync.paused": False})
        await self._shut_out_others(former)
        return await self._view()

    async def _shut_out_others(self, former: Former | None) -> None:
        """Shut out this computer under any other id: a former one, or one of a setup that the end of Sori cut off."""
        if (opened := self._open) is None:
            return
        others = {*await self._begun.all()}
        if former is not None and former.kept.member.keys.account == opened.keys.account:
            others.add(former.kept.member.device)
        with suppress(StorageError, SoriError), _told_when_revoked():
            for each in others - {opened.member.device}:
                await opened.store.revoke(each)
            await self._begun.forget()

    def _here_only(self) -> list[str]:
        """Why other devices do not reach the server at its address."""
        return [self.texts("sync.local_server")] if is_local(self.live.current.sync.server) else []

    async def _joined(self) -> "_Open":
        async with self._opening:  # While the settings change, it is closed for a moment.
            opened = self._open
        if opened is None:
            detail = "this device is in no account"
            raise SoriError(ErrorCode.INVALID_REQUEST, detail, message_key="sync_not_set_up")
        return opened

    async def _learn(self, opened: "_Open") -> "DataKeys":
        """The account's keys with those that other devices have made."""
        from assistant.sync.postgres.account_keys import newer_keys

        await opened.store.bring_up_to_date()
        keys = await newer_keys(opened.store, opened.member)
        if keys.epoch > opened.keys.epoch:
            await self._renew(opened, keys)
        return opened.keys

    async def _renew(self, opened: "_Open", keys: "DataKeys") -> None:
        """Keep newer keys. Where that fails, they are asked for again at the next start."""
        async with self._renewing:
            if keys.epoch <= opened.keys.epoch:
                return  # Newer ones came meanwhile.
            opened.member = replace(opened.member, keys=keys)
            try:
                await self.keys.renew(KeptAccount(password=opened.password, name=opened.name, member=opened.member))
            except SoriError as error:
                log.warning("the account's newer keys were not kept: %s", error)

    @serves(lane=_LANE)
    async def _leave(self, _: rq.LeaveSync) -> bool:
        here = bool(self.live.current.sync.server)
        async with self._opening:
            own_flows = await self.flows.take_along()
            await self._end()
            await self._outbox.end(own_flows)
        await self._finish_leaving()
        return here

    async def _finish_leaving(self) -> None:
        """Do the rest once it is noted that this device has left. If Sori ends in between, the next start does it."""
        from assistant.sync.store import RevokedError

        self._leaving = True
        try:
            server, kept = self.live.current.sync.server, await asyncio.to_thread(self.keys.read)
            if server and kept is not None:
                opened = _Open.to(server, kept, self.ledger)
                # Its secret is worth nothing from then on. A server that is away is left without that.
                with suppress(StorageError, RevokedError, TimeoutError):
                    async with asyncio.timeout(_SILENCE_S):
                        await opened.store.beat(opened.sealed_name(left=True))
                        await opened.store.revoke(opened.member.device)
                await opened.close()
            await self.change({"sync.server": None, "sync.paused": None})
            await self.keys.drop()
            await self._outbox.settle_leaving()
        finally:
            self._leaving = False

    @serves(lane=_LANE)
    async def _pause(self, request: rq.PauseSync) -> None:
        """Pause, or go on.

        Raises:
            SoriError: this device is in no account.
        """
        await self._joined()
        await self.change({"sync.paused": request.paused})

    @serves(lane=_LANE)
    async def _revoke(self, request: rq.RevokeSyncDevice) -> None:
        """Shut a device out, and give the account a new key if a passphrase is given.

        Raises:
            SoriError: the passphrase is too short, this device is in no account, or was shut out.
            StorageError: the server cannot be reached. Nothing has changed then.
        """
        opened, device = await self._joined(), bytes.fromhex(request.device)
        if request.passphrase:
            await self._make_key(request.passphrase, device)
        else:
            with _told_when_revoked():
                await opened.store.revoke(device)
        self.publish(up.SyncChanged())

    @serves()
    async def _put_away(self, request: rq.PutAwayDifference) -> bool:
        gone = await SyncDifferences(self.database).put_away(request.difference)
        self.publish(up.SyncChanged())
        return gone

    def _made(self, opened: "_Open") -> "Syncing":
        from assistant.sync.comparing import TextComparison
        from assistant.sync.syncing import Syncing
        from assistant.sync.texts import SharedTexts
        from assistant.sync.values import SharedValues

        return Syncing(
            opened.store,
            opened.keys,
            outbox=self._outbox,
            inbox=SyncInbox(self.database, self.clock),
            shared=(
                TextComparison(TextKind.FILE, SharedTexts(self.home, self.clock), self.database, self.clock),
                TextComparison(TextKind.VALUE, SharedValues(self.sources), self.database, self.clock),
            ),
            clock=self.clock,
            device=opened.sealed_name(),
            identity=opened.member.device,
            learn=partial(self._learn, opened),
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

    @property
    def _begun(self) -> BegunDevices:
        return BegunDevices(self.database)

    @property
    def _outbox(self) -> SyncOutbox:
        return SyncOutbox(self.database, self.clock)

    async def _end(self) -> None:
        for each in self._leaderships:
            await each.leave(free=False)
        self.flows.leave(paused=self.live.current.sync.paused)
        opened, self._open = self._open, None
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
        before, self._state = self._state, state
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

    async def _view(self) -> rq.SyncView:
        devices = await self._devices()  # They may tell that this one was shut out.
        differences, state = await SyncDifferences(self.database).all(), self._state
        projects = await self._project_names() if differences else {}
        if state.standing is SyncStanding.PAUSED:  # Nobody counts meanwhile.
            state = replace(state, waiting=await self._outbox.count())
        return rq.SyncView(
            state=state,
            words=self.texts(
                f"sync.state.{state.standing}", count=str(state.waiting), since=local_time(state.since, seconds=True)
            ),
            server=self.live.current.sync.server,
            devices=devices,
            differences=tuple(shown_difference(each, self.texts, projects) for each in differences),
            advice="\n".join(self._advice()),
        )

    async def _project_names(self) -> Mapping[str, str]:
        """By id; none in a process that has no projects."""
        found = next((each for each in self.sources if each.sort == "project"), None)
        return {} if found is None else await found.names()

    def _advice(self) -> list[str]:
        if self._state.standing is SyncStanding.OFFLINE:
            return [self.texts("sync.password_advice" if self._state.asks_password else "sync.offline_advice")]
        functions = None if self._open is None else self._open.store.functions
        return [] if functions is None else advice(functions, self.live.current.sync.server, self.texts)

    async def _devices(self) -> tuple[rq.ShownDevice, ...]:
        from assistant.sync.store import RevokedError

        opened = self._open
        if opened is None or self._state.standing is SyncStanding.OFFLINE:
            return ()  # A server that is away would let the user wait until the connection's time is over.
        try:
            async with asyncio.timeout(_SILENCE_S):
                return await self._listed(opened)
        except RevokedError:
            # The syncing itself learns it at its next exchange.
            self._stand(replace(self._state, standing=SyncStanding.REVOKED))
        except StorageError as error:
            log.info("the devices of the account: %s", error)
        except TimeoutError:
            log.info("the devices of the account: the server is silent")
            if self._syncing is not None:
                self._syncing.note_silence()
        return ()

    async def _listed(self, opened: "_Open") -> tuple[rq.ShownDevice, ...]:
        return await shown_devices(opened.store, opened.member, self.clock.now())


@contextmanager
def _told_when_revoked() -> Iterator[None]:
    from assistant.sync.store import RevokedError

    try:
        yield
    except RevokedError as error:
        detail = "another device has shut this one out"
        raise SoriError(ErrorCode.PERMISSION, detail, message_key="sync_revoked", cause=error) from error


@dataclass(slots=True)
class _Open:
    """The account while this device is in it."""

    member: "Membership"
    name: str
    password: str
    store: "PostgresStore"
    leases: "PostgresStore"
    """Has connections of its own, so that a lease is renewed while much is sent."""

    @property
    def keys(self) -> "DataKeys":
        return self.member.keys

    async def close(self) -> None:
        """End its connections."""
        await asyncio.gather(self.store.close(), self.leases.close())

    def sealed_name(self, *, left: bool = False) -> bytes:
        from assistant.sync.device_names import DeviceName

        return DeviceName(name=self.name, left=left).sealed(self.keys, self.member.device)

    @classmethod
    def to(cls, address: str, kept: KeptAccount, ledger: EgressLedger) -> "_Open":
        """Connect lazily.

        Raises:
            StorageError: the address is none of PostgreSQL.
        """
        from assistant.sync.postgres.postgres_store import PostgresStore, connected

        def server() -> "PostgresServer":
            return connected(address, kept.password, ledger)

        def store() -> PostgresStore:
            return PostgresStore(server(), server(), kept.member)

        return cls(kept.member, kept.name, kept.password, store(), store())
