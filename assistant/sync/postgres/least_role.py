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
_REMARK: Final = "Sori: devices of the database "
_UNUSED: Final = """
    SELECT l.name FROM sori_sync.logins l JOIN pg_catalog.pg_roles r ON r.rolname = l.name
    WHERE l.name <> %s AND l.made_at < now() - interval '1 hour'
    AND NOT EXISTS (
        SELECT 1 FROM sori_sync.devices d WHERE NOT d.revoked AND (d.login IS NULL OR d.login = l.name)
    )
    AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_stat_activity a WHERE a.usename = l.name)
    AND NOT EXISTS (SELECT 1 FROM sori_sync.invitations i WHERE i.until > now())
"""
_UNKNOWN: Final = """
    SELECT r.rolname FROM pg_catalog.pg_roles r
    WHERE r.rolname LIKE %s AND r.rolname <> %s
    AND coalesce(pg_catalog.shobj_description(r.oid, 'pg_authid'), %s) = %s
    AND NOT EXISTS (SELECT 1 FROM sori_sync.devices d WHERE NOT d.revoked AND d.login = r.rolname)
    AND NOT EXISTS (
        SELECT 1 FROM sori_sync.logins l WHERE l.name = r.rolname AND l.made_at >= now() - interval '1 hour'
    ) ORDER BY r.rolname
"""


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
        # Without a method libpq would ask for it in a call that holds up every thread until the server answers.
        row = connection.execute("SHOW password_encryption").fetchone()
        method = b"scram-sha-256" if row is None else str(row[0]).encode()
        verifier = connection.pgconn.encrypt_password(password.encode(), name.encode(), method).decode()
        with connection.transaction():
            connection.execute(
                sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(sql.Identifier(name), sql.Literal(verifier))
            )
            connection.execute("INSERT INTO sori_sync.logins (name) VALUES (%s)", (name,))
            # Logins are the server's, not the database's.
            remark = sql.Literal(f"{_REMARK}{connection.info.dbname}")
            connection.execute(sql.SQL("COMMENT ON ROLE {} IS {}").format(sql.Identifier(name), remark))
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


async def has_role(server: PostgresServer, name: str) -> bool:
    """Whether the server has a login that Sori has made, by its name.

    Raises:
        StorageError: the server cannot be reached.
    """
    asked = "SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = %s"
    found = await server.run(lambda connection: connection.execute(asked, (name,)).fetchone(), data=DataClass.NONE)
    return name.startswith(_PREFIX) and found is not None


async def drop_unused_roles(server: PostgresServer, used: str) -> list[str]:
    """Remove the logins that no device uses; returns those of which that cannot be known, and which stay.

    A login is removed only if it was made for this database an hour ago or more, every device that is not shut out has
    told which login it uses, none uses this one, nobody is connected by it, and no code is open that may hold it.

    Args:
        server: for the user who makes logins.
        used: the login that the caller's device uses from now on.

    Raises:
        StorageError: the server cannot be reached.
    """

    def work(connection: Connection) -> list[str]:
        unused = [name for (name,) in connection.execute(_UNUSED, (used,)).fetchall()]
        for name in unused:
            with suppress(psycopg.Error), connection.transaction():
                connection.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(name)))
                connection.execute("DELETE FROM sori_sync.logins WHERE name = %s", (name,))
        remark = f"{_REMARK}{connection.info.dbname}"
        rows = connection.execute(_UNKNOWN, (f"{_PREFIX}%", used, remark, remark)).fetchall()
        return [name for (name,) in rows]

    return await server.run(work, data=DataClass.NONE)


async def works(server: PostgresServer) -> bool:
    """Whether a login reaches Sori's functions."""
    asked = "SELECT number FROM sori_sync.version"
    try:
        await server.run(lambda connection: connection.execute(asked), data=DataClass.NONE)
    except StorageError:
        return False
    return True
