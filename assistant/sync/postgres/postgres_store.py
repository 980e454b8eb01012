"""The store of synced records on a PostgreSQL server, called through the functions of ``schema``."""

import asyncio
import hashlib
import logging
import secrets
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, TypeVar, cast

import psycopg
from psycopg import sql

from assistant.core.errors import StorageError
from assistant.core.records.egress import DataClass, EgressLedger
from assistant.storage.postgres.server import Connection, PostgresServer
from assistant.sync.device_key import DeviceKey
from assistant.sync.device_names import DeviceName
from assistant.sync.postgres.functions import COLUMNS, TABLES, ServerFunctions, check_emptied, functions_of
from assistant.sync.postgres.schema import (
    CHANNEL,
    LATEST,
    LEASES_TOLD,
    NEWER_KEYS,
    OWN_CHANNELS,
    REVOKED,
    SCHEMA,
    STALE,
    UNKNOWN,
    channel_of,
    statements_of,
)
from assistant.sync.sealing import DataKeys, PassphraseWork, UnopenedError
from assistant.sync.store import (
    LEASE_S,
    OFFLINE_S,
    AccountPlace,
    Change,
    HeldLease,
    Lease,
    RevokedError,
    Sealed,
    StaleLeaseError,
    SyncAccount,
    SyncDevice,
)

log = logging.getLogger(__name__)

Result = TypeVar("Result")
_MOST_BYTES: Final = 4_000_000
"""How much is pulled at once."""
_LOCK: Final = 7674031
"""Several devices may make the tables at once."""
_MOST_PASSES: Final = 20
_MOST_MEMORY_KIB: Final = 1 << 20
"""Another user of the server could ask for more than this computer has."""
_ASK_S: Final = 10.0
"""Seconds between two looks for changes while the server has no connection for listening."""
_RETRIED: Final = 3
PLACE: Final = (
    b"SELECT sori_sync.newest(%s, %s, %s), (SELECT seen_at FROM sori_sync.devices(%s, %s, %s, %s) WHERE id = %s)"
)
"""How far the account is, in one question."""
BEAT: Final = f"SELECT now(), {COLUMNS} FROM sori_sync.beat(%s, %s, %s, %s), {TABLES}".encode()  # noqa: S608 - constants
"""``now`` is when the transaction has begun, which is what the function notes."""
_FLAWS: Final = (psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected)


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """How a device takes part in an account. It is kept with the user's keys and never synced.

    Attributes:
        device: id of the device, 16 bytes.
        secret: what the device proves itself with.
        keys: the account's keys.
        private: opens the keys that other devices make later.
    """

    device: bytes
    secret: bytes = field(repr=False)
    keys: DataKeys = field(repr=False)
    private: DeviceKey = field(repr=False)

    @classmethod
    def new(cls, keys: DataKeys, device: bytes) -> "Membership":
        """With secrets of its own."""
        return cls(device=device, secret=secrets.token_bytes(32), keys=keys, private=DeviceKey.new())


def connected(address: str, password: str, ledger: EgressLedger) -> PostgresServer:
    """A connection to the server of an account; see ``PostgresServer``.

    Raises:
        StorageError: the address is none of PostgreSQL.
    """
    return PostgresServer(address, password, ledger, purpose="sync", schema=SCHEMA)


async def make_tables(server: PostgresServer) -> None:
    """Bring the server to the newest version. A user who may not do so succeeds where its functions suffice to join.

    Raises:
        StorageError: the server cannot be reached, or this user may not make what is missing.
    """

    def work(connection: Connection) -> None:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        here = connection.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.version",)).fetchone()
        version = 0
        if here is None or here[0] is None:
            connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(SCHEMA)))
            connection.execute("CREATE TABLE sori_sync.version (number int NOT NULL)")
            connection.execute("INSERT INTO sori_sync.version VALUES (0)")
            # Everybody may read the version, and call the functions, which check the device.
            connection.execute(sql.SQL("GRANT USAGE ON SCHEMA {} TO PUBLIC").format(sql.Identifier(SCHEMA)))
        else:
            version = int(connection.execute("SELECT number FROM sori_sync.version").fetchone()[0])  # type: ignore[index]
        for newer in range(version + 1, LATEST + 1):
            connection.execute(statements_of(newer))
            connection.execute("UPDATE sori_sync.version SET number = %s", (newer,))

    try:
        await server.run(work, data=DataClass.NONE)
    except StorageError as error:
        if not isinstance(error.__cause__, psycopg.errors.InsufficientPrivilege):
            raise
        try:
            here = (await functions_of(server)).version
        except StorageError:
            here = 0
        if here < NEWER_KEYS:
            detail = "the tables are missing or old, and this user may not make them"
            key = "sync_tables" if here else "sync_no_tables"
            raise StorageError(server.name, detail, message_key=key, cause=error) from error


async def accounts_on(server: PostgresServer) -> list[SyncAccount]:
    """The accounts that the server has.

    Raises:
        StorageError: the server cannot be reached.
    """
    rows = await server.run(lambda connection: connection.execute(call("accounts", 0)).fetchall(), data=DataClass.NONE)
    return [
        SyncAccount(identity=bytes(row[0]), salt=bytes(row[1]), passes=row[2], memory_kib=row[3], keys=bytes(row[4]))
        for row in rows
    ]


async def found_account(server: PostgresServer, passphrase: str, name: str, device: bytes) -> Membership:
    """Make an account and join it with this device, whose id is given.

    Raises:
        StorageError: the server cannot be reached or refuses.
    """
    keys, derived = DataKeys.new(secrets.token_bytes(16)), PassphraseWork.new()
    key = await asyncio.to_thread(derived.key, passphrase)
    made = (keys.account, derived.salt, derived.passes, derived.memory_kib, keys.wrapped(key), proof_of(key))
    await server.run(lambda connection: connection.execute(call("found", 6), made), data=DataClass.NONE)
    return await _joined_as(server, Membership.new(keys, device), key, name)


async def join_account(
    server: PostgresServer,
    account: SyncAccount,
    passphrase: str,
    name: str,
    device: bytes,
    former: Membership | None = None,
) -> Membership:
    """Join an account with this device.

    Args:
        server: has the account.
        account: the account.
        passphrase: opens it.
        name: this device's name.
        device: this device's id, unless the account has it under the former one. It may have joined before.
        former: how this device took part before. In the same account it stays the same device, unless shut out.

    Raises:
        UnopenedError: the passphrase is another one, or the account asks for work that none of Sori's asks for.
        StorageError: the server cannot be reached or refuses.
    """
    if account.passes > _MOST_PASSES or account.memory_kib > _MOST_MEMORY_KIB:
        raise UnopenedError("the account was not made by Sori")
    derived = PassphraseWork(salt=account.salt, passes=account.passes, memory_kib=account.memory_kib)
    key = await asyncio.to_thread(derived.key, passphrase)
    keys = DataKeys.unwrapped(account.identity, key, account.keys)
    members = [Membership.new(keys, device)]
    if former is not None and former.keys.account == account.identity:
        members.insert(0, replace(former, keys=keys))
    for member in members:
        try:
            return await _joined_as(server, member, key, name)
        except StorageError as error:
            if getattr(error.__cause__, "sqlstate", "") != REVOKED:
                raise
    return await _joined_as(server, Membership.new(keys, secrets.token_bytes(16)), key, name)


async def _joined_as(server: PostgresServer, member: Membership, key: bytes, name: str) -> Membership:
    keys, device = member.keys, member.device
    joining = (keys.account, device, member.secret, proof_of(key), DeviceName(name=name).sealed(keys, device))
    public = (keys.account, device, member.secret, member.private.told(keys, device))

    def work(connection: Connection) -> None:
        connection.execute(call("join_account", 5), joining)
        connection.execute(call("set_public_key", 4), public)

    await server.run(work, data=DataClass.NONE)
    return member


async def last_seen(server: PostgresServer, member: Membership) -> datetime | None:
    """When an account has seen a device last, by the server's clock; ``None`` where that cannot be known."""
    who = (member.keys.account, member.device, member.secret)
    asked = (*who, OFFLINE_S)
    try:
        rows = await server.run(
            lambda connection: connection.execute(call("devices", 4), asked).fetchall(), data=DataClass.NONE
        )
    except StorageError as error:
        log.info("whether the account has seen this device: %s", error)
        return None
    return next((row[2] for row in rows if bytes(row[0]) == member.device), None)


def proof_of(key: bytes) -> bytes:
    """Proves to the server that the passphrase is known, without telling it."""
    return hashlib.blake2b(b"sori-sync-join", key=key, digest_size=32).digest()


class PostgresStore:
    """See ``SyncStore``.

    Args:
        server: for everything that is asked.
        listening: a second connection, which waits to be told of changes. While the server has none left, such as at
            its limit of connections, the first one asks from time to time and is given back in between.
        member: this device.

    Attributes:
        functions: what the server has, as it was told last; ``None`` before it was asked.
    """

    def __init__(self, server: PostgresServer, listening: PostgresServer, member: Membership) -> None:
        self._server, self._listening = server, listening
        self._who = (member.keys.account, member.device, member.secret)
        self._stopped = asyncio.Event()
        self.functions: ServerFunctions | None = None

    @property
    def silent_s(self) -> float:
        """See ``SyncStore``."""
        return max(self._server.silent_s, self._listening.silent_s)

    def stop_waiting(self) -> None:
        """Let ``wait`` return soon, from now on at once."""
        self._listening.stop_waiting()
        self._stopped.set()

    async def close(self) -> None:
        """End both connections."""
        await asyncio.gather(self._server.close(), self._listening.close())

    async def place(self, device: bytes) -> AccountPlace:
        """See ``SyncStore``."""
        values = (*self._who, *self._who, OFFLINE_S, device)
        ((newest, seen_at),) = await self._fetched(PLACE, values)
        return AccountPlace(newest=newest, seen_at=seen_at)

    async def pull(self, after: int, limit: int) -> list[Sealed]:
        """See ``SyncStore``."""
        rows = await self._rows("pull", after, limit, _MOST_BYTES)
        return [Sealed(identity=bytes(each[0]), number=each[1], content=bytes(each[2])) for each in rows]

    async def push(self, changes: Sequence[Change]) -> list[int | None]:
        """See ``SyncStore``."""
        arguments = (
            [each.identity for each in changes],
            [each.based_on for each in changes],
            [each.content for each in changes],
        )
        size = sum(len(each.content) for each in changes)
        ((numbers,),) = await self._rows("push", *arguments, size=size, data=DataClass.CONVERSATION)
        return list(numbers)

    async def wait(self, after: int, timeout_s: float) -> None:
        """See ``SyncStore``."""

        def check(connection: Connection) -> bool:
            newest = connection.execute(call("newest", 3), self._who).fetchone()
            return newest is not None and newest[0] > after

        try:
            account = self._who[0]
            own = (await self.known_functions()).version >= OWN_CHANNELS
            channel, payload = (channel_of(account), "") if own else (CHANNEL, account.hex())
            await self._translated(lambda: self._listening.told(channel, payload, check, timeout_s))
        except StorageError as error:
            if not isinstance(error.__cause__, psycopg.OperationalError):
                raise
            log.info("the account is asked for changes, because listening failed: %s", error)
            await self._ask_for(after, timeout_s)

    async def _ask_for(self, after: int, timeout_s: float) -> None:
        """Return when the account has a greater number, or after a time, without a connection of its own.

        Raises:
            StorageError: the server has no connection left, or cannot be reached.
            RevokedError: this device was shut out.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                while await self._newest() <= after and not self._stopped.is_set():
                    await self._server.rest()
                    # ``wait_for`` would lose a cancellation that comes as it stops: Python 3.11.
                    with suppress(TimeoutError):
                        async with asyncio.timeout(_ASK_S):
                            await self._stopped.wait()

    async def _newest(self) -> int:
        ((newest,),) = await self._rows("newest")
        return int(newest)

    async def beat(self, name: bytes) -> datetime:
        """See ``SyncStore``."""
        # Another device may have brought the functions up to date.
        ((seen_at, *functions),) = await self._fetched(BEAT, (*self._who, name))
        self.functions = ServerFunctions.of(tuple(functions))
        return cast("datetime", seen_at)

    async def devices(self) -> list[SyncDevice]:
        """See ``SyncStore``."""
        rows = await self._rows("devices", OFFLINE_S)
        return [
            SyncDevice(identity=bytes(row[0]), name=bytes(row[1]), seen_at=row[2], online=row[3], revoked=row[4])
            for row in rows
        ]

    async def revoke(self, device: bytes) -> None:
        """See ``SyncStore``."""
        await self._rows("revoke", device)

    async def lease(self, work: str) -> Lease | None:
        """See ``SyncStore``."""
        ((token,),) = await self._rows("lease", work, LEASE_S)
        return None if token is None else Lease(work=work, token=token)

    async def give_back(self, lease: Lease) -> None:
        """See ``SyncStore``."""
        await self._rows("give_back", lease.work, lease.token)

    async def leases(self) -> list[HeldLease]:
        """See ``SyncStore``."""
        if (await self.known_functions()).version < LEASES_TOLD:
            return []
        return [HeldLease(work=work, device=bytes(device)) for work, device in await self._rows("leases")]

    async def once(self, lease: Lease, effect: str) -> bool:
        """See ``SyncStore``."""
        ((new,),) = await self._rows("once", lease.work, lease.token, effect)
        return bool(new)

    async def known_functions(self) -> ServerFunctions:
        """What the server has.

        Raises:
            StorageError: it cannot be reached.
        """
        if self.functions is None:
            self.functions = await functions_of(self._server)
        return self.functions

    async def bring_up_to_date(self) -> None:
        """Give the server this Sori's functions where they are newer and this login may; all goes on otherwise.

        Raises:
            StorageError: it cannot be reached.
        """
        if (await self.known_functions()).older:
            with suppress(StorageError):
                await make_tables(self._server)
            self.functions = await functions_of(self._server)

    async def ask(self, function: str, *arguments: Any) -> list[tuple[Any, ...]]:
        """The rows of a function that is called as this device, and gets nothing that the user wrote.

        Raises:
            RevokedError: this device was shut out.
            StorageError: the server cannot be reached or refuses.
        """
        return await self._rows(function, *arguments)

    async def ask_together(self, *asked: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        """The rows of the last of several functions that are called in one transaction; see ``ask``.

        Args:
            asked: the name of each function with its arguments.
        """

        def work(connection: Connection) -> list[tuple[Any, ...]]:
            rows: list[tuple[Any, ...]] = []
            for function, *arguments in asked:
                statement = call(function, len(self._who) + len(arguments))
                rows = connection.execute(statement, (*self._who, *arguments)).fetchall()
            return rows

        return await self._translated(lambda: self._server.run(work, data=DataClass.NONE))

    async def _rows(
        self, function: str, *arguments: Any, size: int = 0, data: DataClass = DataClass.NONE
    ) -> list[tuple[Any, ...]]:
        values = (*self._who, *arguments)
        return await self._fetched(call(function, len(values)), values, size=size, data=data)

    async def _fetched(
        self,
        statement: bytes | sql.Composed,
        values: tuple[Any, ...],
        *,
        size: int = 0,
        data: DataClass = DataClass.NONE,
    ) -> list[tuple[Any, ...]]:
        def work(connection: Connection) -> list[tuple[Any, ...]]:
            return connection.execute(statement, values).fetchall()

        return await self._translated(lambda: self._server.run(work, size=size, data=data))

    async def _translated(self, asked: Callable[[], Awaitable[Result]]) -> Result:
        """The answer of the server. What other devices hindered for a moment is asked again.

        Raises:
            RevokedError: this device was shut out.
            StaleLeaseError: the lease has ended.
            EmptiedError: the database has no tables of Sori.
            StorageError: all else.
        """
        for left in reversed(range(_RETRIED)):
            try:
                return await asked()
            except StorageError as error:
                cause = error.__cause__
                if isinstance(cause, _FLAWS) and left:
                    continue
                state = getattr(cause, "sqlstate", "")
                if state == REVOKED:
                    raise RevokedError from error
                if state == STALE:
                    raise StaleLeaseError from error
                if state == UNKNOWN:
                    raise StorageError(error.path, str(cause), message_key="sync_functions", cause=error) from error
                check_emptied(error)
                raise
        raise AssertionError("a loop that always returns or raises")


def call(function: str, arguments: int) -> sql.Composed:
    """The statement that calls a function of the server."""
    places = sql.SQL(", ").join([sql.Placeholder()] * arguments)
    return sql.SQL("SELECT * FROM {}.{}({})").format(sql.Identifier(SCHEMA), sql.Identifier(function), places)
