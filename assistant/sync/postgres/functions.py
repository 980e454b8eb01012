"""Which functions the server has, and what the login of this device may do there."""

from dataclasses import dataclass
from typing import Any, Final

from assistant.core.errors import StorageError
from assistant.core.records.egress import DataClass
from assistant.storage.postgres.server import Connection, PostgresServer
from assistant.sync.postgres.schema import EMPTIED, LATEST
from assistant.sync.store import EmptiedError

COLUMNS: Final = "number, current_setting('transaction_read_only')::bool, rolcreaterole OR rolsuper"
"""What ``ServerFunctions.of`` reads."""
TABLES: Final = "sori_sync.version, pg_catalog.pg_roles WHERE rolname = current_user"
"""From where; both tables have the row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFunctions:
    """The functions of a server.

    Attributes:
        version: their version. A newer one has all of the older ones that a Sori calls.
        read_only: whether the server may only be read, as a copy of another one.
        makes_logins: whether this login may make others, so that it may do more than a device needs.
    """

    version: int
    read_only: bool = False
    makes_logins: bool = False

    @classmethod
    def of(cls, row: tuple[Any, ...]) -> "ServerFunctions":
        """From a row with ``COLUMNS``."""
        version, read_only, makes_logins = row
        return cls(version=version, read_only=read_only, makes_logins=makes_logins)

    @property
    def older(self) -> bool:
        """Whether this Sori has newer functions."""
        return self.version < LATEST

    @property
    def newer(self) -> bool:
        """Whether the server has functions that this Sori does not know."""
        return self.version > LATEST


def read_functions(connection: Connection) -> ServerFunctions:
    """The functions of the server; ``psycopg.Error`` where it has none of Sori's."""
    row = connection.execute(f"SELECT {COLUMNS} FROM {TABLES}".encode()).fetchone()  # noqa: S608 - constants
    assert row is not None  # noqa: S101
    return ServerFunctions.of(row)


async def functions_of(server: PostgresServer) -> ServerFunctions:
    """Ask a server.

    Raises:
        EmptiedError: it has none of Sori's functions.
        StorageError: it cannot be reached.
    """
    try:
        return await server.run(read_functions, data=DataClass.NONE)
    except StorageError as error:
        check_emptied(error)
        raise


def check_emptied(error: StorageError) -> None:
    """Tell a server that has none of Sori's tables apart from all else that it refuses.

    Raises:
        EmptiedError: it has none.
    """
    if getattr(error.__cause__, "sqlstate", None) in EMPTIED:
        detail = "the database has no tables of Sori"
        raise EmptiedError(error.path, detail, message_key="sync_emptied", cause=error) from error
