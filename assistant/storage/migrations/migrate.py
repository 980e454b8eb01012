"""Runs the migration steps that a database lacks, and refuses a database of a newer version."""

import sqlite3
from datetime import datetime

from assistant.core.errors import StorageError
from assistant.storage.migrations.steps import LATEST, MIGRATIONS, Migration


def version_of(connection: sqlite3.Connection) -> int:
    """Number of the last step that was run on the database; 0 for an empty database."""
    known = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migrations'").fetchone()
    if known is None:
        return 0
    (number,) = connection.execute("SELECT COALESCE(MAX(number), 0) FROM migrations").fetchone()
    return int(number)


def refuse_newer(connection: sqlite3.Connection, path: str, latest: int = LATEST) -> int:
    """The version of the database.

    Raises:
        StorageError: a newer Sori wrote the database. It is not changed.
    """
    version = version_of(connection)
    if version > latest:
        detail = f"a newer version of Sori wrote it (schema {version}; this version knows {latest}). Update Sori"
        raise StorageError(path, detail, message_key="storage_newer")
    return version


def migrate(
    connection: sqlite3.Connection, now: datetime, migrations: tuple[Migration, ...] = MIGRATIONS
) -> tuple[int, ...]:
    """Run every missing step, each in its own transaction; in a new file all steps in one.

    Two processes may do this at once: the version is read again inside each transaction. Foreign keys are off
    meanwhile, because dropping a table that a step replaces would delete the rows that refer to it.

    Returns:
        The numbers of the steps that were run.
    """
    connection.execute("PRAGMA foreign_keys = OFF")
    try:
        return _migrate(connection, now, migrations)
    finally:
        connection.execute("PRAGMA foreign_keys = ON")


def _migrate(connection: sqlite3.Connection, now: datetime, migrations: tuple[Migration, ...]) -> tuple[int, ...]:
    connection.execute(
        """CREATE TABLE IF NOT EXISTS migrations (
            number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL
        ) STRICT"""
    )
    taken: list[int] = []
    # A new file loses nothing if all steps fail together, and one transaction is written faster than one for each step.
    together = [migrations] if version_of(connection) == 0 else [(step,) for step in migrations]
    for steps in together:
        connection.execute("BEGIN IMMEDIATE")
        try:
            for step in steps:
                if version_of(connection) < step.number:
                    _take(connection, step, now)
                    taken.append(step.number)
            connection.execute("COMMIT")
        except BaseException:
            # SQLite has already rolled back after some errors, a full disk among them.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
    return tuple(taken)


def _take(connection: sqlite3.Connection, step: Migration, now: datetime) -> None:
    for statement in step.statements:
        connection.execute(statement)
    if step.convert is not None:
        step.convert(connection)
    connection.execute("INSERT INTO migrations VALUES (?, ?, ?)", (step.number, step.name, now.isoformat()))
