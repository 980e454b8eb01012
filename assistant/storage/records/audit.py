"""The audit log in the database: one row for each tool call (X-07)."""

import sqlite3
from datetime import timedelta
from typing import Any

from assistant.core.clock import Clock
from assistant.core.records.audit import HTTP, AuditedCall, AuditedEnd, StoredCall
from assistant.storage.database import Database
from assistant.storage.instants import shown, stored

KEPT_DAYS = 90
"""Days for which a call is kept."""
_INSERT = """
INSERT INTO audit (at, conversation, turn, tool, category, arguments, digest, decision, reason, answer)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_SELECT = """
SELECT id, at, conversation, turn, tool, category, arguments, digest, decision, reason, answer, outcome, result, took_ms
FROM audit
"""


class AuditStore:
    """Implements ``AuditLog`` with the database.

    Every method raises ``StorageError`` when the database cannot be read or written.

    Args:
        database: the open database.
        clock: gives the time of each row and the user's time zone.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def begin(self, call: AuditedCall, *, durable: bool) -> int:
        """Record a call and return its number."""
        row = (
            stored(self._clock.now()),
            call.conversation,
            call.turn,
            call.tool,
            call.category,
            call.arguments,
            call.digest,
            call.decision,
            call.reason,
            call.answer,
        )
        return await self._database.write(
            lambda connection: connection.execute(_INSERT, row).lastrowid or 0, durable=durable
        )

    async def answer(self, number: int, answer: str, *, durable: bool) -> None:
        """Record the user's answer."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("UPDATE audit SET answer = ? WHERE id = ?", (answer, number))

        await self._database.write(work, durable=durable)

    async def end(self, number: int, end: AuditedEnd) -> None:
        """Record how the call ended. A power cut may lose it; a crash of Sori does not."""
        row = (end.outcome, end.result, end.took_ms, number)

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("UPDATE audit SET outcome = ?, result = ?, took_ms = ? WHERE id = ?", row)

        await self._database.write(work, durable=False)

    async def newest(self, limit: int, *, http: bool = False, before: int = 0) -> tuple[StoredCall, ...]:
        """The newest ``limit`` calls, oldest first: of tools, or with ``http`` those of other programs.

        With ``before``, only those whose number is smaller.
        """
        of_kind = f"category {'=' if http else '<>'} '{HTTP}' AND (? = 0 OR id < ?)"

        def work(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
            wanted = f"{_SELECT} WHERE {of_kind} ORDER BY id DESC LIMIT ?"
            return connection.execute(wanted, (before, before, limit)).fetchall()

        return tuple(self._call(row) for row in reversed(await self._database.read(work)))

    async def find(self, number: int) -> StoredCall | None:
        """The call with that ``id``, or ``None``."""

        def work(connection: sqlite3.Connection) -> tuple[Any, ...] | None:
            row: tuple[Any, ...] | None = connection.execute(f"{_SELECT} WHERE id = ?", (number,)).fetchone()
            return row

        row = await self._database.read(work)
        return None if row is None else self._call(row)

    async def forget(self, conversation: str) -> None:
        """Remove the arguments and results of calls in a deleted conversation. That they happened stays recorded."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("UPDATE audit SET arguments = '', result = '' WHERE conversation = ?", (conversation,))

        await self._database.write(work)

    async def prune(self) -> None:
        """Delete the calls that are older than ``KEPT_DAYS``."""
        oldest = stored(self._clock.now() - timedelta(days=KEPT_DAYS))

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM audit WHERE at < ?", (oldest,))

        await self._database.write(work, durable=False)

    def _call(self, row: tuple[Any, ...]) -> StoredCall:
        number, at, conversation, turn, tool, category, arguments, digest, decision, reason, answer, *end = row
        outcome, result, took_ms = end
        return StoredCall(
            id=number,
            at=shown(at, self._clock),
            call=AuditedCall(
                conversation=conversation,
                turn=turn,
                tool=tool,
                category=category,
                arguments=arguments,
                digest=digest,
                decision=decision,
                reason=reason,
                answer=answer,
            ),
            end=AuditedEnd(outcome=outcome, result=result, took_ms=took_ms) if outcome else None,
        )
