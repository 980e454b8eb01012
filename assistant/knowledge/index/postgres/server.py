"""One connection to a PostgreSQL server, on a thread of its own."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict

from assistant.core.addresses import is_local_host
from assistant.core.errors import StorageError
from assistant.core.records.egress import DataClass, Egress, EgressLedger, not_recorded
from assistant.knowledge.index.postgres.schema import SCHEMA, TABLES

Result = TypeVar("Result")
Connection = psycopg.Connection[tuple[Any, ...]]

_PURPOSE: Final = "index"
_CONNECT_S: Final = 10
_OPTIONS: Final = f"-c statement_timeout=60000 -c search_path={SCHEMA},public"
"""A server that hangs ends a statement after a minute."""


class PostgresServer:
    """Runs work in transactions. A connection that was lost is made again by the next work.

    Args:
        address: ``postgresql://user@host:port/database``.
        password: the password; empty for none.
        ledger: takes a record of each transaction that sends something to another machine.

    Raises:
        StorageError: the address is none of PostgreSQL.
    """

    def __init__(self, address: str, password: str, ledger: EgressLedger) -> None:
        try:
            parts = conninfo_to_dict(address)
        except psycopg.Error as error:
            raise StorageError("postgresql", str(error), cause=error) from error
        host, port = str(parts.get("host") or ""), parts.get("port") or 5432
        self.name = f"postgresql://{host or 'localhost'}:{port}"
        self._local = not host or host.startswith("/") or is_local_host(host)
        self._address, self._password, self._ledger = address, password, ledger
        self._connection: Connection | None = None
        self._thread = ThreadPoolExecutor(1, "postgresql")

    async def run(
        self, work: Callable[[Connection], Result], *, size: int = 0, data: DataClass = DataClass.DOCUMENT
    ) -> Result:
        """Run work in one transaction. All of it happens or nothing.

        Args:
            work: what to do.
            size: about how many bytes of the user's text it sends.
            data: the kind of that text.

        Raises:
            StorageError: the server cannot be reached or refuses; or what it would be sent cannot be recorded.
        """
        try:
            await self._ledger.record(
                Egress(destination=self.name, local=self._local, purpose=_PURPOSE, size=size, data=(data,))
            )
        except StorageError as error:
            raise not_recorded(error) from error
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._run, work)

    async def close(self) -> None:
        """End the connection after the work that runs."""

        def end() -> None:
            if self._connection is not None:
                self._connection.close()

        await asyncio.get_running_loop().run_in_executor(self._thread, end)
        self._thread.shutdown()

    def _run(self, work: Callable[[Connection], Result]) -> Result:
        try:
            connection = self._connected()
            with connection.transaction():
                return work(connection)
        except (psycopg.Error, OSError) as error:
            raise StorageError(self.name, str(error).strip(), cause=error) from error

    def _connected(self) -> Connection:
        if self._connection is None or self._connection.closed:
            self._connection = psycopg.connect(
                self._address,
                password=self._password or None,
                connect_timeout=_CONNECT_S,
                options=_OPTIONS,
                autocommit=True,
            )
            with self._connection.transaction():
                for statement in TABLES:
                    self._connection.execute(statement)
        return self._connection
