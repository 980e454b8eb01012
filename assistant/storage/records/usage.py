"""Stores the usage of models: one row for each exchange (P-22)."""

import sqlite3
from dataclasses import fields, replace
from datetime import datetime
from typing import Any

from assistant.core.clock import Clock
from assistant.core.errors import StorageError
from assistant.core.records.usage import Exchange
from assistant.storage.database import Database
from assistant.storage.identities import new_id
from assistant.storage.instants import shown, stored

_RECORD = """
INSERT INTO exchanges (uid, at, conversation, provider, model, input, output, cached, total, partial, first_token_ms,
                       total_ms, requests, tool_calls, outcome, cost)
VALUES (:id, :at, :conversation, :provider, :model, :input, :output, :cached, :total, :partial, :first_token_ms,
        :total_ms, :requests, :tool_calls, :outcome, :cost)
ON CONFLICT (uid) DO UPDATE SET
    input = :input, output = :output, cached = :cached, total = :total, partial = :partial,
    first_token_ms = :first_token_ms, total_ms = :total_ms, requests = :requests, tool_calls = :tool_calls,
    outcome = :outcome, cost = :cost
"""
_SELECT = """
SELECT uid AS id, at, conversation, provider, exchanges.model, input, output, cached, total, partial, first_token_ms,
       total_ms, requests, tool_calls, outcome, cost, COALESCE(workspace || '/' || agent, '') AS agent
FROM exchanges LEFT JOIN conversations ON conversations.id = conversation WHERE at >= ? ORDER BY at, exchanges.id
"""
_FIELDS = tuple(each.name for each in fields(Exchange))


class UsageStore:
    """Reads and writes exchanges. The exchanges of a deleted conversation stay.

    Every method raises ``StorageError`` when the database cannot be read or written.

    Args:
        database: the open database.
        clock: gives the time of each exchange and the user's time zone.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def record(self, exchange: Exchange) -> Exchange:
        """Add an exchange, or update the one with the same ``id``; returns it with ``id`` and ``at``.

        A power cut may lose it; a crash of Sori does not.
        """
        kept = replace(exchange, id=exchange.id or new_id(), at=exchange.at or self._clock.now().isoformat())
        await self._database.write(lambda connection: put_exchange(connection, kept), durable=False)
        return kept

    async def exchanges(self, since: datetime | None = None) -> tuple[Exchange, ...]:
        """The exchanges from ``since`` on, oldest first, with times in the user's time zone."""

        def work(connection: sqlite3.Connection) -> list[dict[str, Any]]:
            cursor = connection.execute(_SELECT, (stored(since),))
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor]

        rows = await self._database.read(work)
        try:
            return tuple(
                Exchange(**{**row, "at": shown(row["at"], self._clock), "partial": bool(row["partial"])})
                for row in rows
            )
        except ValueError as error:
            detail = f"a row of the table exchanges cannot be read: {error}"
            raise StorageError(str(self._database.path), detail, cause=error) from error


def put_exchange(connection: sqlite3.Connection, exchange: Exchange) -> None:
    """Add an exchange with its ``id`` and ``at``, or update the one with the same ``id``, within a transaction."""
    # ``asdict`` copies in depth, which takes longer than the write.
    row = {name: getattr(exchange, name) for name in _FIELDS}
    connection.execute(_RECORD, {**row, "at": stored(datetime.fromisoformat(exchange.at))})
