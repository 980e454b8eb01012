"""Writes the rows that several devices share. No other code writes them.

Such a row has an ``id`` (a UUIDv7), the ``device`` that made it, a ``revision`` that counts its writes, and two stamps
of hybrid logical time: ``added``, which orders the rows, and ``changed``. A deleted row leaves a tombstone with its id,
table, device, revision and time, without its content.

Another table of such rows begins with the columns of ``ROW_COLUMNS`` and is described by a ``SyncedTable``.
"""

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from assistant.core.clock import Clock
from assistant.core.identity.hybrid_time import Stamp
from assistant.storage.database import Database

ROW_COLUMNS = """
    id TEXT NOT NULL PRIMARY KEY,
    device TEXT NOT NULL,
    revision INTEGER NOT NULL,
    added TEXT NOT NULL,
    changed TEXT NOT NULL
"""
ROW_NAMES = frozenset({"device", "revision", "added", "changed"})
"""The columns of ``ROW_COLUMNS`` without ``id``."""
AFTER_ALL = "~"
"""Text that sorts after every stamp."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncedTable:
    """A table of rows that several devices share.

    Attributes:
        name: name of the table.
        fixed: columns that do not change after the row was added.
    """

    name: str
    fixed: frozenset[str]


CONVERSATIONS = SyncedTable(name="conversations", fixed=frozenset({"created_at"}))
MESSAGES = SyncedTable(
    name="messages", fixed=frozenset({"conversation", "origin", "role", "tool_use_id", "created_at"})
)


class Rows:
    """Writes rows within one transaction. ``write_rows`` makes it.

    Args:
        connection: the connection, with a transaction open.
        now_ms: Unix time in milliseconds by the device's clock.

    Attributes:
        connection: for reads in the same transaction and for tables that are not shared.
        device: id of this device.
    """

    def __init__(self, connection: sqlite3.Connection, now_ms: int) -> None:
        self.connection = connection
        self._now_ms = now_ms
        # The last stamp is read from the database each time, because another process of this device may have written.
        self.device, last = connection.execute("SELECT id, last FROM this_device").fetchone()
        self._last = self._begun = Stamp.parse(last)

    def put(self, table: SyncedTable, row: Mapping[str, Any]) -> bool:
        """Add a row, or write over the row with its ``id``; ``False``, writing nothing, when that row was deleted."""
        values = {**row, "device": self.device, "stamp": self._stamp()}
        over, add = _put(table, tuple(row))
        # Most writes update text that grows, and an UPDATE takes half the time of an upsert.
        if self.connection.execute(over, values).rowcount:
            return True
        return self.connection.execute(add, values).rowcount > 0

    def change(self, table: SyncedTable, identity: str, values: Mapping[str, Any]) -> bool:
        """Write some columns of a row; ``False`` when no row has that id."""
        row = {**values, "id": identity, "stamp": self._stamp()}
        return self.connection.execute(_change(table, tuple(values)), row).rowcount > 0

    def delete(self, table: SyncedTable, identity: str) -> bool:
        """Delete a row and the rows that refer to it, and add a tombstone; ``False`` when no row has that id.

        The referring rows get no tombstones: the tombstone of a conversation covers its messages.
        """
        row = {"id": identity, "table": table.name, "stamp": self._stamp()}
        if self.connection.execute(_bury(table), row).rowcount == 0:
            return False
        self.connection.execute(_delete(table), row)
        return True

    def finish(self) -> None:
        """Save the last stamp for the next transaction."""
        if self._last != self._begun:
            self.connection.execute("UPDATE this_device SET last = ?", (str(self._last),))

    def _stamp(self) -> str:
        self._last = self._last.next(self._now_ms)
        return str(self._last)


async def write_rows(
    database: Database, clock: Clock, work: Callable[[Rows], Result], *, durable: bool = True
) -> Result:
    """Run ``work`` in one transaction, as ``Database.write`` does.

    Raises:
        StorageError: the file cannot be written; nothing has changed.
    """
    now_ms = int(clock.now().timestamp() * 1000)

    def transaction(connection: sqlite3.Connection) -> Result:
        rows = Rows(connection, now_ms)
        result = work(rows)
        rows.finish()
        return result

    return await database.write(transaction, durable=durable)


# The names in these statements come from this program only, never from a user or a model.


@cache
def _put(table: SyncedTable, columns: tuple[str, ...]) -> tuple[str, str]:
    """Two statements: the first writes over a row, the second adds it unless it was deleted."""
    names = ", ".join(("device", "revision", "added", "changed", *columns))
    values = ", ".join((":device", "1", ":stamp", ":stamp", *(f":{name}" for name in columns)))
    unless_deleted = "WHERE NOT EXISTS (SELECT 1 FROM tombstones WHERE id = :id)"
    changing = tuple(name for name in columns if name != "id" and name not in table.fixed)
    return _change(table, changing), " ".join(("INSERT INTO", table.name, f"({names}) SELECT {values}", unless_deleted))


@cache
def _change(table: SyncedTable, columns: tuple[str, ...]) -> str:
    return " ".join(("UPDATE", table.name, _assigned(columns), "WHERE id = :id"))


@cache
def _bury(table: SyncedTable) -> str:
    select = "INSERT INTO tombstones SELECT id, :table, device, revision + 1, :stamp FROM"
    return " ".join((select, table.name, "WHERE id = :id"))


@cache
def _delete(table: SyncedTable) -> str:
    return " ".join(("DELETE FROM", table.name, "WHERE id = :id"))


def _assigned(columns: Iterable[str]) -> str:
    """The SET clause for these columns; it always counts the revision and sets ``changed``."""
    return ", ".join(("SET revision = revision + 1", "changed = :stamp", *(f"{name} = :{name}" for name in columns)))
