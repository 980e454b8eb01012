"""Stores the timers, alarms, reminders and scheduled requests of this device, so that they survive a restart.

Rows of other devices are neither read nor changed: a timer rings only on the device on which it was set. Of a scheduled
request that devices share, each of them has a row of its own.
"""

import json
import sqlite3
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from assistant.core.settings import Language
from assistant.core.times.recurrence import Recurrence
from assistant.storage.database import Database
from assistant.storage.rows import THIS_DEVICE

_ADD = """
INSERT INTO timers (id, name, language, duration_s, due_at, created_at, kind, repeats, job, device)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_REMOVE = "DELETE FROM timers WHERE id = ? AND device = ?"
_MARK_RUNG = "UPDATE timers SET rang_at = ? WHERE id = ? AND device = ?"
_ONLY_ONCE = "UPDATE timers SET repeats = '' WHERE id = ? AND device = ?"
_PUT = """
UPDATE timers SET name = ?, due_at = ?, repeats = ?, job = ? WHERE id = ? AND device = ?
"""
_MOVE = "UPDATE timers SET due_at = ?, rang_at = '' WHERE id = ? AND device = ?"
_ALL = """
SELECT id, name, language, duration_s, due_at, created_at, rang_at, kind, repeats, job FROM timers
WHERE device = ?
"""


class TimerKind(StrEnum):
    """What is due."""

    TIMER = "timer"
    ALARM = "alarm"
    REMINDER = "reminder"
    REQUEST = "request"
    """A request that Sori carries out; it does not ring."""


class RunOutcome(StrEnum):
    """What became of the last run of a scheduled request."""

    NONE = ""
    RUNNING = "running"
    """Written before it runs, so that no start of Sori runs it a second time."""
    DONE = "done"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    """Sori ended while it ran. How far it came is not known."""
    MISSED = "missed"
    """Sori did not run at its time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """How a scheduled request is carried out, and its last run.

    Attributes:
        conversation: id of the conversation that collects the results; empty before the first run.
        flow: the name of the flow that carries it out; empty for an answer of the agent.
        workspace: the workspace of the agent that answers; empty for the current agent at the first run.
        agent: the name of that agent; empty with ``workspace``.
        chat: Telegram's id of the chat that asked for it, which is told the results; 0 for none.
        own: whether its words are the user's own (X-08).
        paused: whether it is not carried out until it is resumed.
        turn: id of the last run's turn; empty without one.
        ran_at: when the last run began or was missed, ISO 8601; empty without one.
        outcome: what became of it.
        asked_at: when the user asked for it to be carried out now, on this device, ISO 8601; empty once it runs.
    """

    conversation: str = ""
    flow: str = ""
    workspace: str = ""
    agent: str = ""
    chat: int = 0
    own: bool = True
    paused: bool = False
    turn: str = ""
    ran_at: str = ""
    outcome: RunOutcome = RunOutcome.NONE
    asked_at: str = ""

    @classmethod
    def parse(cls, text: str) -> "Job | None":
        """Read what ``str`` wrote; ``None`` for an empty text."""
        if not text:
            return None
        values = json.loads(text)
        return cls(**{**values, "outcome": RunOutcome(values["outcome"])})

    def __str__(self) -> str:
        return json.dumps(asdict(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTimer:
    """One timer, alarm, reminder or scheduled request.

    Attributes:
        name: the user's name for it, often empty; of a reminder, what the user is reminded of; of a scheduled request,
            its words.
        language: language in which it was set and is announced.
        duration_s: seconds from setting to ringing.
        due_at: when it rings, with time zone.
        created_at: when it was set, with time zone.
        rang_at: when it began to ring, with time zone; ``None`` before.
        kind: what is due.
        repeats: when it is due again; ``None`` for once.
        job: how a scheduled request is carried out; ``None`` for what rings.
    """

    id: str
    name: str
    language: Language
    duration_s: float
    due_at: datetime
    created_at: datetime
    rang_at: datetime | None = None
    kind: TimerKind = TimerKind.TIMER
    repeats: Recurrence | None = None
    job: Job | None = None


class TimerStore:
    """Keeps timers. Every method raises ``StorageError`` when the database cannot be read or written.

    Args:
        database: the open database.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, timer: StoredTimer) -> None:
        """Save a timer durably."""
        await self._database.write(lambda connection: connection.execute(_ADD, _row(timer)))

    async def add_next(self, timer_id: str, following: StoredTimer) -> None:
        """Let a repeating timer ring only once, and save the one that rings next, in one transaction."""

        def work(connection: sqlite3.Connection) -> None:
            if connection.execute(_ONLY_ONCE, (timer_id, THIS_DEVICE)).rowcount:
                connection.execute(_ADD, _row(following))

        await self._database.write(work)

    async def put(self, timer: StoredTimer) -> bool:
        """Replace name, time, repetition and job of a timer; ``False`` when this device has no timer of its id."""
        row = (timer.name, timer.due_at.isoformat(), str(timer.repeats or ""), str(timer.job or ""), timer.id)
        return await self._database.write(lambda connection: connection.execute(_PUT, (*row, THIS_DEVICE)).rowcount > 0)

    async def swap(self, timer_id: str, before: StoredTimer | None, after: StoredTimer | None) -> bool:
        """Add, replace or remove a scheduled request if it is still as it was; whether it was.

        Args:
            timer_id: its id.
            before: as it was; ``None`` for not there.
            after: as it is from now on; ``None`` for gone.
        """

        def work(connection: sqlite3.Connection) -> bool:
            if {each.id: each for each in _timers(connection)}.get(timer_id) != before:
                return False
            connection.execute(_REMOVE, (timer_id, THIS_DEVICE))
            if after is not None:
                connection.execute(_ADD, _row(after))
            return True

        return await self._database.write(work)

    async def move(self, timer_id: str, due_at: datetime) -> bool:
        """Let a timer ring at ``due_at`` and no longer now; ``False`` when this device has no timer of that id."""
        row = (due_at.isoformat(), timer_id, THIS_DEVICE)
        return await self._database.write(lambda connection: connection.execute(_MOVE, row).rowcount > 0)

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
        return tuple(sorted(await self._database.read(_timers), key=lambda timer: timer.due_at))


def _timers(connection: sqlite3.Connection) -> list[StoredTimer]:
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
            kind=TimerKind(kind),
            repeats=Recurrence.parse(repeats),
            job=Job.parse(job),
        )
        for timer_id, name, language, duration_s, due_at, created_at, rang_at, kind, repeats, job in rows
    ]


def _row(timer: StoredTimer) -> tuple[Any, ...]:
    return (
        timer.id,
        timer.name,
        timer.language,
        timer.duration_s,
        timer.due_at.isoformat(),
        timer.created_at.isoformat(),
        timer.kind,
        str(timer.repeats or ""),
        str(timer.job or ""),
        THIS_DEVICE,
    )
