"""The sessions and execution steps of guided flows in the database (F-01)."""

import json
import sqlite3
from datetime import datetime
from typing import Any

from assistant.core.clock import Clock
from assistant.core.records.flows import FlowSession, FlowStanding, StepOutcome, StepStatus, UnclaimedFlowError
from assistant.storage.database import Database
from assistant.storage.instants import stored
from assistant.storage.sync import flow_offers
from assistant.storage.sync.flow_rows import PUT_SESSION

_COLUMNS = "session, service, standing, state, memory, changed_at"
_LOAD = f"SELECT {_COLUMNS} FROM flow_sessions WHERE session = ? AND service = ?"  # noqa: S608
_OPEN = f"SELECT {_COLUMNS} FROM flow_sessions WHERE standing <> 'over' ORDER BY changed_at DESC"  # noqa: S608
_BEGIN = """
INSERT INTO flow_steps (key, session, service, step, digest, begun_at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO NOTHING
"""
_END = "UPDATE flow_steps SET outcome = ?, text = ? WHERE key = ?"


class FlowStore:
    """Keeps sessions and steps: ``SessionStore`` and ``StepLedger``.

    Every method raises ``StorageError`` when the database cannot be read or written. Every write is durable.

    Args:
        database: the open database.
        clock: gives the times.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database, self._clock = database, clock

    async def load(self, session: str, service: str) -> FlowSession | None:
        """The session; ``None`` if the service was never used in it."""

        def work(connection: sqlite3.Connection) -> tuple[Any, ...] | None:
            row: tuple[Any, ...] | None = connection.execute(_LOAD, (session, service)).fetchone()
            return row

        row = await self._database.read(work)
        return None if row is None else _session(row)

    async def save(self, session: FlowSession) -> None:
        """Keep a session in place of its former form. What is put aside is offered to the devices of the account."""
        row = (
            session.session,
            session.service,
            session.standing.value,
            json.dumps(session.state, ensure_ascii=False),
            json.dumps(session.memory, ensure_ascii=False),
            stored(session.changed_at),
        )

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(PUT_SESSION, row)
            if session.standing is FlowStanding.PARKED:
                flow_offers.offer(connection, session.session, session.service)
            elif session.standing is FlowStanding.OVER:
                flow_offers.end(connection, session.session, session.service)

        await self._database.write(work)

    async def open_ones(self) -> tuple[FlowSession, ...]:
        """All sessions that are active or parked, the one changed last first."""
        rows = await self._database.read(lambda connection: connection.execute(_OPEN).fetchall())
        return tuple(map(_session, rows))

    async def open_sessions(self) -> frozenset[str]:
        """The ids of the sessions in which a service is active or parked."""
        query = "SELECT DISTINCT session FROM flow_sessions WHERE standing <> 'over'"
        rows = await self._database.read(lambda connection: connection.execute(query).fetchall())
        return frozenset(session for (session,) in rows)

    async def find(self, key: str) -> StepOutcome | None:
        """The outcome under this key, ``UNKNOWN`` for a step that has not ended; ``None`` if it has not begun."""

        def work(connection: sqlite3.Connection) -> tuple[str, str] | None:
            query = "SELECT outcome, text FROM flow_steps WHERE key = ?"
            row: tuple[str, str] | None = connection.execute(query, (key,)).fetchone()
            return row

        row = await self._database.read(work)
        return None if row is None else StepOutcome(StepStatus(row[0]), row[1])

    async def begin(self, key: str, *, session: str, service: str, step: str, digest: str) -> bool:
        """Note that a step begins. Returns whether it had not begun before.

        Raises:
            UnclaimedFlowError: the flow was offered, and the account has accepted no claim of this device.
        """
        row = (key, session, service, step, digest, stored(self._clock.now()))

        def work(connection: sqlite3.Connection) -> bool:
            if flow_offers.is_fenced(connection, session, service):
                raise UnclaimedFlowError
            return connection.execute(_BEGIN, row).rowcount == 1

        return await self._database.write(work)

    async def end(self, key: str, outcome: StepOutcome) -> None:
        """Note how it ended."""
        row = (outcome.status.value, outcome.text, key)
        await self._database.write(lambda connection: connection.execute(_END, row))

    async def forget(self, key: str) -> None:
        """Forget a step that did not run after all."""
        query = "DELETE FROM flow_steps WHERE key = ?"
        await self._database.write(lambda connection: connection.execute(query, (key,)))


def _session(row: tuple[Any, ...]) -> FlowSession:
    session, service, standing, state, memory, changed_at = row
    return FlowSession(
        session=session,
        service=service,
        standing=FlowStanding(standing),
        state=json.loads(state),
        memory=json.loads(memory),
        changed_at=datetime.fromisoformat(changed_at),
    )
