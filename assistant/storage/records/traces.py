"""Stores the trace of each turn, so that it can be shown and exported (V-22)."""

import json
import sqlite3
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from assistant.core.clock import Clock
from assistant.core.machine.states import TurnId
from assistant.core.records.traces import StoredTrace
from assistant.storage.database import Database
from assistant.storage.instants import shown, stored

KEPT_DAYS = 30
"""Days for which a trace is kept."""
_SELECT = "SELECT id, saved_at, conversation, turn, events FROM traces"


class TraceStore:
    """Saves and finds the traces of turns.

    A trace is a list of ``{"t": seconds of audio time, "event": name, …}``.

    Args:
        database: the open database.
        clock: gives the time of each trace and the user's time zone.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def save(self, conversation: str, turn: TurnId, events: Sequence[dict[str, Any]]) -> None:
        """Save the trace of one turn. A power cut may lose it; a crash of Sori does not.

        Raises:
            StorageError: the database cannot be written.
            TypeError: an event holds a value that JSON cannot represent.
        """
        row = (conversation, turn, stored(self._clock.now()), json.dumps(list(events), ensure_ascii=False))

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT INTO traces (conversation, turn, saved_at, events) VALUES (?, ?, ?, ?)", row)

        await self._database.write(work, durable=False)

    async def newest(self, limit: int, *, before: int = 0) -> tuple[StoredTrace, ...]:
        """The newest ``limit`` traces, oldest first; with ``before``, only those whose number is smaller.

        Raises:
            StorageError: the database cannot be read.
        """

        def work(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
            wanted = f"{_SELECT} WHERE (? = 0 OR id < ?) ORDER BY id DESC LIMIT ?"
            return connection.execute(wanted, (before, before, limit)).fetchall()

        return tuple(self._trace(row) for row in reversed(await self._database.read(work)))

    async def find(self, number: int) -> StoredTrace | None:
        """The trace with that ``id``, or ``None``.

        Raises:
            StorageError: the database cannot be read.
        """

        def work(connection: sqlite3.Connection) -> tuple[Any, ...] | None:
            row: tuple[Any, ...] | None = connection.execute(f"{_SELECT} WHERE id = ?", (number,)).fetchone()
            return row

        row = await self._database.read(work)
        return None if row is None else self._trace(row)

    async def prune(self) -> None:
        """Delete the traces that are older than ``KEPT_DAYS``.

        Raises:
            StorageError: the database cannot be written.
        """
        oldest = stored(self._clock.now() - timedelta(days=KEPT_DAYS))

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM traces WHERE saved_at < ?", (oldest,))

        await self._database.write(work, durable=False)

    def _trace(self, row: tuple[Any, ...]) -> StoredTrace:
        number, at, conversation, turn, events = row
        return StoredTrace(
            id=number,
            at=shown(at, self._clock),
            conversation=conversation,
            turn=turn,
            events=tuple(json.loads(events)),
        )
