"""What models have used, one row an exchange (P-22)."""

import sqlite3
from dataclasses import asdict, replace
from datetime import UTC, datetime, tzinfo
from typing import Any

from assistant.core.clock import Clock
from assistant.core.usage import Exchange
from assistant.storage.database import Database

_INSERT = """
INSERT INTO exchanges (at, conversation, provider, model, input, output, cached, total, first_token_ms, total_ms,
                       requests, tool_calls, outcome, cost)
VALUES (:at, :conversation, :provider, :model, :input, :output, :cached, :total, :first_token_ms, :total_ms,
        :requests, :tool_calls, :outcome, :cost)
"""
_SELECT = "SELECT * FROM exchanges WHERE at >= ? ORDER BY at, id"


class UsageStore:
    """Reads and writes exchanges; what happened before a conversation was deleted stays counted.

    Every method raises ``StorageError`` when the database cannot be read or written.

    Args:
        database: the open database.
        clock: dates what is added, and knows the user's time zone.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def record(self, exchange: Exchange) -> Exchange:
        """Keep an exchange; returns it with ``at``. A power cut may lose it, a crash of Sori cannot."""
        kept = replace(exchange, at=exchange.at or self._clock.now().isoformat())
        # Instants in one time zone are in order as texts too.
        row = {**asdict(kept), "at": datetime.fromisoformat(kept.at).astimezone(UTC).isoformat()}
        await self._database.write(lambda connection: connection.execute(_INSERT, row), durable=False)
        return kept

    async def exchanges(self, since: datetime | None = None) -> tuple[Exchange, ...]:
        """The exchanges from ``since`` on, oldest first, dated in the user's time zone."""
        start = "" if since is None else since.astimezone(UTC).isoformat()

        def work(connection: sqlite3.Connection) -> list[dict[str, Any]]:
            cursor = connection.execute(_SELECT, (start,))
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor]

        zone = self._clock.now().tzinfo
        rows = await self._database.read(work)
        return tuple(
            Exchange(**{name: value for name, value in row.items() if name not in ("id", "at")}, at=_local(row, zone))
            for row in rows
        )


def _local(row: dict[str, Any], zone: tzinfo | None) -> str:
    return datetime.fromisoformat(row["at"]).astimezone(zone).isoformat()
