"""A login of the server that may call Sori's functions and nothing else, for the daily work of devices."""

import secrets
from contextlib import suppress
from typing import Final

import psycopg
from psycopg import sql

from assistant.core.errors import StorageError
from assistant.core.records.egress import DataClass
from assistant.storage.postgres.server import Connection, PostgresServer

_PREFIX: Final = "sori_device_"


async def make_role(server: PostgresServer) -> tuple[str, str] | None:
    """Make a login without rights of its own; its name and password, ``None`` where this user may not make one.

    Everybody may call the functions, which ask for the secret of a device of the account.

    Raises:
        StorageError: the server cannot be reached.
    """
    name, password = _PREFIX + secrets.token_hex(6), secrets.token_urlsafe(24)

    def work(connection: Connection) -> bool:
        allowed = connection.execute(
            "SELECT rolcreaterole OR rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user"
        ).fetchone()
        if allowed is None or not allowed[0]:
            return False
        # The server's log of statements gets what the password is checked with, not the password.
        verifier = connection.pgconn.encrypt_password(password.encode(), name.encode()).decode()
        with connection.transaction():
            connection.execute(
                sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(sql.Identifier(name), sql.Literal(verifier))
            )
        return True

    try:
        made = await server.run(work, data=DataClass.NONE)
    except StorageError as error:
        if isinstance(error.__cause__, psycopg.errors.InsufficientPrivilege):
            return None
        raise
    return (name, password) if made else None


async def drop_role(server: PostgresServer, name: str) -> None:
    """Remove a login that does not work, as where the server lets in listed users only."""
    statement = sql.SQL("DROP ROLE {}").format(sql.Identifier(name))
    with suppress(StorageError):
        await server.run(lambda connection: connection.execute(statement), data=DataClass.NONE)


async def works(server: PostgresServer) -> bool:
    """Whether a login reaches Sori's functions."""
    try:
        await server.run(lambda connection: connection.execute("SELECT number FROM version"), data=DataClass.NONE)
    except StorageError:
        return False
    return True
