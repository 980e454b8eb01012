"""A new database of the newest version, made by the migrations once for each test process and copied from then on."""

import sqlite3
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from assistant.core.clock import Clock
from assistant.storage.database import Database
from assistant.storage.migrations.migrate import migrate


async def open_database(path: Path, clock: Clock) -> Database:
    """Open the database at ``path``. A file that is not there is copied, because all migrations take 17 ms.

    Tests of opening and of migrations use ``Database.open``.
    """
    _lay_down(path)
    return await Database.open(path, clock)


def _lay_down(path: Path) -> None:
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_migrated())


@cache
def _migrated() -> bytes:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        migrate(connection, datetime(2026, 1, 1, tzinfo=UTC))
        return connection.serialize()
    finally:
        connection.close()
