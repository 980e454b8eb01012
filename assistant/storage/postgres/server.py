"""One connection to a PostgreSQL server, on a thread of its own."""

import asyncio
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from functools import partial
from typing import Any, Final, LiteralString, TypeVar

import psycopg
from psycopg import Notify, sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from assistant.core.addresses import is_local_host
from assistant.core.errors import StorageError
from assistant.core.records.egress import DataClass, Egress, EgressLedger, not_recorded
from assistant.storage.postgres.answered import ANSWER_S, CLOSING_S, AnsweredConnection
from assistant.storage.postgres.refusal import PasswordRefusedError
from assistant.storage.postgres.roots import roots_for

Result = TypeVar("Result")
Connection = psycopg.Connection[tuple[Any, ...]]

_CONNECT_S: Final = 10
_LOOK_S: Final = 1.0
"""Whoever waits to be told looks so often whether the connection is to be closed."""
_OPTIONS: Final = "-c statement_timeout=60000 -c search_path={},public"
"""A server that hangs ends a statement after a minute."""

_REFUSED: Final = {"25006": "postgres_read_only", "53100": "postgres_full"}
"""The words for what a server refuses, by SQLSTATE."""


class PostgresServer:
    """Runs work in transactions. A connection that was lost is made again by the next work.

    A server that is silent for longer than ``ANSWER_S`` is one whose connection was lost.

    Args:
        address: ``postgresql://user@host:port/database``.
        password: the password; empty for none.
        ledger: takes a record of each transaction that sends something of the user's, and of each new connection.
        purpose: what it is used for, as the ledger tells it.
        schema: the schema in which its tables are.
        begin: statements that each new connection runs first, in one transaction.

    Raises:
        StorageError: the address is none of PostgreSQL.
    """

    def __init__(
        self,
        address: str,
        password: str,
        ledger: EgressLedger,
        *,
        purpose: str,
        schema: str,
        begin: Sequence[LiteralString] = (),
    ) -> None:
        try:
            parts = conninfo_to_dict(address)
        except psycopg.Error as error:
            # What libpq says of it may repeat the address with its password.
            raise StorageError("postgresql", "malformed address", message_key="postgres_address") from error
        host, port = str(parts.get("host") or ""), parts.get("port") or 5432
        self.name = f"postgresql://{host or 'localhost'}:{port}"
        self._local = not host or host.startswith("/") or is_local_host(host)
        self._address = make_conninfo(address, **roots_for(parts))
        self._password, self._ledger = password, ledger
        self._purpose, self._options, self._begin = purpose, _OPTIONS.format(schema), begin
        self._connection: AnsweredConnection | None = None
        self._closing = self._resting = False
        self._thread = ThreadPoolExecutor(1, "postgresql")

    @property
    def silent_s(self) -> float:
        """For how many seconds an answer has been waited for without a sign of the server."""
        since = None if self._connection is None else self._connection.silent_since
        return 0.0 if since is None else time.monotonic() - since

    async def run(
        self, work: Callable[[Connection], Result], *, size: int = 0, data: DataClass = DataClass.DOCUMENT
    ) -> Result:
        """Run work in one transaction. All of it happens or nothing.

        Args:
            work: what to do.
            size: about how many bytes of the user's text it sends.
            data: the kind of that text.

        Raises:
            PasswordRefusedError: the server has asked for a password and has not let the user in.
            StorageError: the server cannot be reached or refuses; or what it would be sent cannot be recorded.
        """
        connection = self._connection
        if data is not DataClass.NONE or connection is None or (connection.closed and not self._resting):
            # A sign of life every half a minute would hide in the ledger what matters.
            await self._record(size, data)
        return await self._on_thread(partial(self._run, work))

    async def _on_thread(self, work: Callable[[], Result]) -> Result:
        try:
            running = self._thread.submit(work)
        except RuntimeError as error:  # ``close`` was called meanwhile.
            raise StorageError(self.name, "the connection is closed", cause=error) from error
        return await asyncio.wrap_future(running)

    async def _record(self, size: int, data: DataClass) -> None:
        try:
            await self._ledger.record(
                Egress(destination=self.name, local=self._local, purpose=self._purpose, size=size, data=(data,))
            )
        except StorageError as error:
            raise not_recorded(error) from error

    async def told(self, channel: str, payload: str, check: Callable[[Connection], bool], timeout_s: float) -> None:
        """Return when the check succeeds. It is made at once, and again whenever somebody notifies the channel so.

        Args:
            channel: the channel of NOTIFY.
            payload: what the notification says; any other one is for somebody else.
            check: asks the server.
            timeout_s: return after so many seconds at the latest.

        Raises:
            StorageError: the server cannot be reached or refuses.
        """

        def work(connection: Connection) -> None:
            # Listening comes first. A change between a check and it would be missed.
            connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
            until = time.monotonic() + timeout_s
            while not check(connection):
                told: list[Notify] = []
                while not any(each.payload == payload for each in told):
                    left_s = until - time.monotonic()
                    if left_s <= 0 or self._closing:
                        return
                    told = list(connection.notifies(timeout=min(left_s, _LOOK_S), stop_after=1))

        if self._connection is None or self._connection.closed:
            await self._record(0, DataClass.NONE)
        await self._on_thread(partial(self._run, work, whole=False))

    def stop_waiting(self) -> None:
        """Let ``told`` return within a second, and from now on at once."""
        self._closing = True

    async def rest(self) -> None:
        """Give the connection back after the work that runs. The next work connects anew, as a part of the same use."""
        self._resting = True
        await self._on_thread(self._end)

    async def close(self) -> None:
        """End the connection after the work that runs, or once the server is silent for a few seconds."""
        self._closing = True
        if self._connection is not None:
            self._connection.longest_s = CLOSING_S
        ended = self._thread.submit(self._end)
        self._thread.shutdown(wait=False)  # Work that came after the end would connect anew.
        await asyncio.shield(asyncio.wrap_future(ended))  # A caller that is cancelled would take back the end.

    def _end(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def _run(self, work: Callable[[Connection], Result], *, whole: bool = True) -> Result:
        """Do work in a transaction, or each statement in its own."""
        try:
            connection = self._connected()
            with connection.transaction() if whole else nullcontext():
                return work(connection)
        except (psycopg.Error, OSError) as error:
            raise self._told(error) from error

    def _connected(self) -> Connection:
        if self._connection is None or self._connection.closed:
            self._connection = AnsweredConnection.connect(
                self._address,
                password=self._password or None,
                connect_timeout=_CONNECT_S,
                keepalives_idle=15,
                keepalives_interval=5,
                keepalives_count=3,
                tcp_user_timeout=30_000,  # A connection that went dead, as after a change of the network, ends then.
                options=self._options,
                autocommit=True,
                prepare_threshold=None,  # Behind a pooler the next transaction may have another connection.
            )
            self._connection.longest_s = CLOSING_S if self._closing else ANSWER_S
            with self._connection.transaction():
                for statement in self._begin:
                    self._connection.execute(statement)
        return self._connection

    def _told(self, error: psycopg.Error | OSError) -> StorageError:
        """An error with the words for it, and what the server or the system says."""
        detail, key = str(error).strip(), "postgres_server"
        if isinstance(error, psycopg.Error):
            if error.sqlstate is not None:
                # A statement was refused. What follows on its first part tells of Sori's functions, or holds rows.
                detail = error.diag.message_primary or detail
                key = _REFUSED.get(error.sqlstate, "postgres_refuses")
            elif (failed := error.pgconn) is not None and (failed.used_password or failed.needs_password):
                # There is no SQLSTATE while it connects, and the server's words are in the server's language.
                return PasswordRefusedError(self.name, detail, message_key="postgres_password", cause=error)
            elif "certificate" in detail:
                key = "postgres_certificate"
        return StorageError(self.name, detail, message_key=key, cause=error)
