"""What happened when in each turn, kept so that it can be shown and exported (V-22)."""

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

from assistant.core.clock import Clock
from assistant.core.machine.states import TurnId
from assistant.storage.database import Database


class TraceStore:
    """Saves and finds the traces of turns.

    A trace is a list of ``{"t": seconds of audio time, "event": name, …}``.

    Args:
        database: the open database.
        clock: dates what is saved.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def save(self, conversation: str, turn: TurnId, events: Sequence[dict[str, Any]]) -> None:
        """Keep the trace of one turn.

        Raises:
            StorageError: it cannot be written.
            TypeError: an event holds what JSON cannot.
        """
        row = (conversation, turn, self._clock.now().isoformat(), json.dumps(list(events), ensure_ascii=False))

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT INTO traces (conversation, turn, saved_at, events) VALUES (?, ?, ?, ?)", row)

        await self._database.write(work, durable=False)

    async def of_conversation(self, conversation: str, limit: int = 100) -> tuple[list[dict[str, Any]], ...]:
        """The newest traces of a conversation, oldest of them first.

        Raises:
            StorageError: they cannot be read.
        """

        def work(connection: sqlite3.Connection) -> list[str]:
            cursor = connection.execute(
                "SELECT events FROM traces WHERE conversation = ? ORDER BY id DESC LIMIT ?", (conversation, limit)
            )
            return [str(events) for (events,) in cursor]

        return tuple(json.loads(events) for events in reversed(await self._database.read(work)))
