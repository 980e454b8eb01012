"""Stores the timers of this device, set or ringing, so that they survive a restart.

Rows of other devices are neither read nor changed: a timer rings only on the device on which it was set.
"""

import sqlite3
from dataclasses import dataclass
from datetime import datetime

from assistant.core.settings import Language
from assistant.storage.database import Database
from assistant.storage.rows import THIS_DEVICE

_ADD = """
INSERT INTO timers (id, name, language, duration_s, due_at, created_at, device)
VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_REMOVE = "DELETE FROM timers WHERE id = ? AND device = ?"
_MARK_RUNG = "UPDATE timers SET rang_at = ? WHERE id = ? AND device = ?"
_ALL = """
SELECT id, name, language, duration_s, due_at, created_at, rang_at FROM timers
WHERE device = ?
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTimer:
    """One timer.

    Attributes:
        name: the user's name for it, often empty.
        language: language in which it was set and is announced.
        duration_s: seconds from setting to ringing.
        due_at: when it rings, with time zone.
        created_at: when it was set, with time zone.
        rang_at: when it began to ring, with time zone; ``None`` before.
    """

    id: str
    name: str
    language: Language
    duration_s: float
    due_at: datetime
    created_at: datetime
    rang_at: datetime | None = None


class TimerStore:
    """Keeps timers. Every method raises ``StorageError`` when the database cannot be read or written.

    Args:
        database: the open database.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, timer: StoredTimer) -> None:
        """Save a timer durably."""
        row = (
            timer.id,
            timer.name,
            timer.language,
            timer.duration_s,
            timer.due_at.isoformat(),
            timer.created_at.isoformat(),
            THIS_DEVICE,
        )
        await self._database.write(lambda connection: connection.execute(_ADD, row))

    async def remove(self, timer_id: str) -> bool:
        """Delete a timer; ``False`` when this device has no timer of that id."""

        def work(connection: sqlite3.Connection) -> bool:
            return connection.execute(_REMOVE, (timer_id, THIS_DEVICE)).rowcount > 0

        return await self._database.write(work)

    async def mark_rung(self, timer_id: str, at: datetime) -> bool:
        """Record that a timer rings since ``at``; ``False`` when this device has no timer of that id."""
        row = (at.isoformat(), timer_id, THIS_DEVICE)
        return await self._database.write(lambda connection: connection.execute(_MARK_RUNG, row).rowcount > 0)

    async def all(self) -> tuple[StoredTimer, ...]:
        """Every timer of this device, including ringing ones, sorted by ``due_at``."""

        def work(connection: sqlite3.Connection) -> list[StoredTimer]:
            rows = connection.execute(_ALL, (THIS_DEVICE,))
            return [
                StoredTimer(
                    id=timer_id,
                    name=name,
                    language="en" if language == "en" else "ko",
                    duration_s=duration_s,
                    due_at=datetime.fromisoformat(due_at),
                    created_at=datetime.fromisoformat(created_at),
                    rang_at=datetime.fromisoformat(rang_at) if rang_at else None,
                )
                for timer_id, name, language, duration_s, due_at, created_at, rang_at in rows
            ]

        return tuple(sorted(await self._database.read(work), key=lambda timer: timer.due_at))
