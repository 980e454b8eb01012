"""The domain of the account of several devices: joins and leaves it, and keeps this device and it alike."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs, unquote, urlsplit, urlunsplit

from assistant.core import updates as up
from assistant.core.clock import Clock
from assistant.core.configuration.catalogue import Value
from assistant.core.errors import ErrorCode, SoriError, StorageError
from assistant.core.listeners import Listeners
from assistant.core.live_settings import LiveSettings
from assistant.core.records.egress import EgressLedger
from assistant.core.records.sync import SyncStanding, SyncState
from assistant.core.service.requests.sync import account as rq
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.engine.domains.sync.difference_words import shown_difference
from assistant.engine.domains.sync.kept_membership import AccountKeys, KeptAccount
from assistant.engine.serving.table import Domain, serves
from assistant.storage.database import Database
from assistant.storage.sync.differences import SyncDifferences
from assistant.storage.sync.inbox import SyncInbox, Taken
from assistant.storage.sync.outbox import SyncOutbox
from assistant.storage.sync.text_bases import TextKind
from assistant.tasks import TaskSupervisor

if TYPE_CHECKING:
    from assistant.storage.postgres.server import PostgresServer
    from assistant.sync.postgres.postgres_store import Membership, PostgresStore
    from assistant.sync.sealing import DataKeys
    from assistant.sync.values import ValueSource

_LANE: Final = "sync"
_SHORTEST: Final = 12
"""Characters of a passphrase. Whoever has the server can try as many as they like."""
_SECRET_OPTIONS: Final = frozenset({"password", "sslpassword", "passfile"})
_ABOUT: Final = "sync"
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
        sources: the values that are synced beside rows and files.
        arrived: told the tables in which something has come.
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
    sources: "Sequence[ValueSource]" = ()
    arrived: Listeners[[frozenset[str]], None] = field(default_factory=Listeners, init=False)
    _state: SyncState = field(default_factory=SyncState, init=False)
    _open: "_Open | None" = field(default=None, init=False)
    _tasks: TaskSupervisor = field(default_factory=TaskSupervisor, init=False)
    _opening: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    async def follow(self, _: Settings) -> None:
        """Begin or end to sync, as the settings say.

        Raises:
            StorageError: the address is none of PostgreSQL.
        """
        async with self._opening:
            await self._end()
            settings = self.live.current.sync
            if not settings.server:
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
                self._stand(SyncState(standing=SyncStanding.PAUSED, waiting=await self._outbox.count()))
            else:
                self._tasks.start(self._sync(self._open), name="sync with other devices")

    async def close(self) -> None:
        """Sync no more."""
        async with self._opening:
            await self._end()

    @serves()
    async def _read(self, _: rq.ReadSync) -> rq.SyncView:
        return await self._view()

    @serves(lane=_LANE)
    async def _set_up(self, request: rq.SetUpSync) -> rq.SyncView:
        """Join an account, or make one.

        Raises:
            SoriError: the passphrase is too short or another one, or the keys cannot be kept.
            StorageError: the server cannot be reached, or refuses.
        """
        if len(request.passphrase) < _SHORTEST:
            detail = f"a passphrase has at least {_SHORTEST} characters"
            raise SoriError(
                ErrorCode.INVALID_REQUEST, detail, message_key="sync_short", values={"most": str(_SHORTEST)}
            )
        address, password = without_password(request.address.strip())
        device = request.device.strip() or socket.gethostname()
        member = await self._member(address, password, request, device)
        await self.keys.keep(KeptAccount(password=password, name=device, member=member), in_file=request.in_file)
        if self.live.current.sync.server == address and not self.live.current.sync.paused:
            await self.follow(self.live.current)
        else:
            await self.change({"sync.server": address, "sync.paused": False})
        return await self._view()

    @serves(lane=_LANE)
    async def _leave(self, _: rq.LeaveSync) -> bool:
        from assistant.sync.store import RevokedError

        async with self._opening:
            if (opened := self._open) is not None:
                # Its secret is worth nothing from then on. A server that is away is left without that.
                with suppress(StorageError, RevokedError):
                    await opened.store.revoke(opened.member.device)
            await self._end()
        here = bool(self.live.current.sync.server)
        await self.change({"sync.server": None, "sync.paused": None})
        await self._outbox.end()
        await self.keys.drop()
        return here

    @serves(lane=_LANE)
    async def _pause(self, request: rq.PauseSync) -> None:
        await self.change({"sync.paused": request.paused})

    @serves(lane=_LANE)
    async def _revoke(self, request: rq.RevokeSyncDevice) -> None:
        """Shut a device out.

        Raises:
            SoriError: this device is in no account.
            StorageError: the server cannot be reached.
        """
        if self._open is None:
            detail = "this device is in no account"
            raise SoriError(ErrorCode.INVALID_REQUEST, detail, message_key="sync_not_set_up")
        await self._open.store.revoke(bytes.fromhex(request.device))
        self.publish(up.SyncChanged())

    @serves()
    async def _put_away(self, request: rq.PutAwayDifference) -> bool:
        gone = await SyncDifferences(self.database).put_away(request.difference)
        self.publish(up.SyncChanged())
        return gone

    async def _member(self, address: str, password: str, request: rq.SetUpSync, device: str) -> "Membership":
        from assistant.sync.postgres import postgres_store as postgres
        from assistant.sync.sealing import UnopenedError

        server = postgres.connected(address, password, self.ledger)
        try:
            await postgres.make_tables(server)
            accounts = [] if request.new else await postgres.accounts_on(server)
            for account in accounts:
                with suppress(UnopenedError):
                    return await postgres.join_account(server, account, request.passphrase, device)
            if accounts:
                detail = "the passphrase opens no account of this server"
                raise SoriError(ErrorCode.PERMISSION, detail, message_key="sync_other_passphrase")
            return await postgres.found_account(server, request.passphrase, device)
        finally:
            await server.close()

    async def _sync(self, opened: "_Open") -> None:
        from assistant.sync.comparing import Comparison
        from assistant.sync.syncing import Syncing
        from assistant.sync.texts import SharedTexts
        from assistant.sync.values import SharedValues

        syncing = Syncing(
            opened.store,
            opened.keys,
            outbox=self._outbox,
            inbox=SyncInbox(self.database, self.clock),
            shared=(
                Comparison(TextKind.FILE, SharedTexts(self.home, self.clock), self.database, self.clock),
                Comparison(TextKind.VALUE, SharedValues(self.sources), self.database, self.clock),
            ),
            clock=self.clock,
            device=opened.keys.seal(opened.member.device, opened.name.encode()),
        )
        self._stand(syncing.state)
        syncing.changed.add(self._stand)
        syncing.taken.add(self._taken)
        try:
            await syncing.run()
        except Exception:
            # The supervisor tells of it; the page must not go on saying that all is well.
            self._stand(SyncState(standing=SyncStanding.STUCK))
            raise

    @property
    def _outbox(self) -> SyncOutbox:
        return SyncOutbox(self.database, self.clock)

    async def _end(self) -> None:
        opened, self._open = self._open, None
        if opened is not None:
            opened.store.stop_waiting()
        self._tasks.cancel()
        await self._tasks.close()
        self._tasks = TaskSupervisor()
        if opened is not None:
            await opened.store.close()

    def _stand(self, state: SyncState) -> None:
        before, self._state = self._state, state
        if state == before:
            return
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
        differences = await SyncDifferences(self.database).all()
        return rq.SyncView(
            state=self._state,
            words=self.texts(f"sync.state.{self._state.standing}", count=str(self._state.waiting)),
            server=self.live.current.sync.server,
            devices=await self._devices(),
            differences=tuple(shown_difference(each, self.texts) for each in differences),
        )

    async def _devices(self) -> tuple[rq.ShownDevice, ...]:
        from assistant.sync.sealing import UnopenedError
        from assistant.sync.store import RevokedError

        opened = self._open
        if opened is None:
            return ()
        shown = []
        with suppress(StorageError, RevokedError):
            leases = await opened.store.leases()
            for each in await opened.store.devices():
                try:
                    name = opened.keys.open(each.identity, each.name).decode()
                except UnopenedError:
                    name = "?"
                shown.append(
                    rq.ShownDevice(
                        id=each.identity.hex(),
                        name=name,
                        seen_at=each.seen_at.astimezone().isoformat(),
                        online=each.online,
                        revoked=each.revoked,
                        here=each.identity == opened.member.device,
                        leads=tuple(lease.work for lease in leases if lease.device == each.identity),
                    )
                )
        return tuple(shown)


@dataclass(frozen=True, slots=True)
class _Open:
    """The account while this device is in it."""

    member: "Membership"
    name: str
    store: "PostgresStore"

    @property
    def keys(self) -> "DataKeys":
        return self.member.keys

    @classmethod
    def to(cls, address: str, kept: KeptAccount, ledger: EgressLedger) -> "_Open":
        """Connect lazily.

        Raises:
            StorageError: the address is none of PostgreSQL.
        """
        from assistant.sync.postgres.postgres_store import PostgresStore, connected

        def server() -> "PostgresServer":
            return connected(address, kept.password, ledger)

        return cls(kept.member, kept.name, PostgresStore(server(), server(), kept.member))


def without_password(address: str) -> tuple[str, str]:
    """An address without its password, and the password; empty for none.

    Raises:
        StorageError: it is not a URL of PostgreSQL, or hides a password elsewhere.
    """
    try:
        parts = urlsplit(address)
        options, password = parse_qs(parts.query), unquote(parts.password or "")
    except ValueError:
        parts, options, password = urlsplit(""), {}, ""
    if parts.scheme not in ("postgresql", "postgres") or options.keys() & _SECRET_OPTIONS:
        raise StorageError("postgresql", "malformed address", message_key="postgres_address")
    if not parts.password:
        return address, ""
    user, _, host = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{user.partition(':')[0]}@{host}")), password
