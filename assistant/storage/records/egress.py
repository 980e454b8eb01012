"""The egress ledger in the database: one row for each outbound request (P-25)."""

import sqlite3
from datetime import datetime
from typing import Any

from assistant.core.clock import Clock
from assistant.core.errors import StorageError
from assistant.core.records.egress import DataClass, Egress
from assistant.storage.database import Database
from assistant.storage.instants import shown, stored

_INSERT = (
    "INSERT INTO egress (at, destination, local, purpose, provider, bytes, data, shape) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_SELECT = """
SELECT id, at, destination, local, purpose, provider, bytes, data, shape FROM egress
WHERE at >= ? AND (local = 0 OR ?) AND (? = 0 OR id < ?) ORDER BY id DESC LIMIT ?
"""
_BETWEEN = ","


class EgressStore:
    """Implements ``EgressLedger`` with the database.

    Every method raises ``StorageError`` when the database cannot be read or written.

    Args:
        database: the open database.
        clock: gives the time of each row and the user's time zone.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def record(self, egress: Egress) -> None:
        """Save a request durably."""
        at = datetime.fromisoformat(egress.at) if egress.at else self._clock.now()
        row = (
            stored(at),
            egress.destination,
            int(egress.local),
            egress.purpose,
            egress.provider,
            egress.size,
            _BETWEEN.join(each.value for each in egress.data),
            egress.shape,
        )
        await self._database.write(lambda connection: connection.execute(_INSERT, row))

    async def rows(
        self, since: datetime | None = None, *, local: bool = False, limit: int = 0, before: int = 0
    ) -> tuple[Egress, ...]:
        """The requests from ``since`` on, in the order in which they were recorded, with times in the user's time zone.

        Args:
            since: the earliest time; ``None`` for all requests.
            local: whether to include requests to this machine.
            limit: the most, the newest ones of all; 0 for no limit.
            before: the number of the request before which they end; 0 for the newest one.
        """

        def work(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
            return connection.execute(_SELECT, (stored(since), local, before, before, limit or -1)).fetchall()

        try:
            return tuple(self._egress(row) for row in reversed(await self._database.read(work)))
        except ValueError as error:
            detail = f"a row of the table egress cannot be read: {error}"
            raise StorageError(str(self._database.path), detail, cause=error) from error

    def _egress(self, row: tuple[Any, ...]) -> Egress:
        number, at, destination, local, purpose, provider, size, data, shape = row
        return Egress(
            number=number,
            at=shown(at, self._clock),
            destination=destination,
            local=bool(local),
            purpose=purpose,
            provider=provider,
            size=size,
            data=tuple(DataClass(each) for each in data.split(_BETWEEN)),
            shape=shape,
        )
