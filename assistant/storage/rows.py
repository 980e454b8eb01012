"""Writes the rows that several devices share. No other code writes them, except for those of other devices.

The latter are taken over by ``storage/sync``.

Such a row has an ``id`` (a UUIDv7), the ``device`` that made it, a ``revision`` that counts its writes, and two hybrid
logical times: ``added``, and ``changed`` by the device ``changed_by``. ``added`` orders the rows. The id decides where
two times are equal, so that the order is the same on every device. A deleted row leaves a tombstone with its id, table,
devices, revision and time, without its content.

The table ``devices`` names devices by UUIDs and gives each a number. Rows hold these numbers. A number is valid in its
file only; number 1 is this device.

Another table of such rows begins with the columns of ``ROW_COLUMNS`` and is described by a ``SyncedTable``.
"""

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from assistant.core.clock import Clock
from assistant.core.identity.hybrid_time import COUNTER_BITS, next_time
from assistant.storage.database import Database

ROW_COLUMNS = """
    id TEXT NOT NULL PRIMARY KEY,
    device INTEGER NOT NULL REFERENCES devices(number),
    revision INTEGER NOT NULL,
    added INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    changed_by INTEGER NOT NULL REFERENCES devices(number)
"""
THIS_DEVICE = 1
"""Number of this device in the table ``devices``."""
_UNDONE_MS = 24 * 3600 * 1000
AFTER_ALL = (1 << 63) - 1
"""Greater than every time."""

Result = TypeVar("Result")
Row = dict[str, Any]
"""The columns of a row."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
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
    name="messages",
    fixed=frozenset({"conversation", "origin", "role", "tool_use_id", "created_at", "parent", "shown", "turn"}),
)


class Rows:
    """Writes rows within one transaction. ``write_rows`` makes it.

    Args:
        connection: the connection, with a transaction open.
        now_ms: Unix time in milliseconds by the device's clock.

    Attributes:
        connection: for reads in the same transaction and for tables that are not shared.
    """

    def __init__(self, connection: sqlite3.Connection, now_ms: int) -> None:
        self.connection = connection
        self._now_ms = now_ms
        self._last: int | None = None

    def add(self, table: SyncedTable, row: Mapping[str, Any], *, added: int | None = None) -> None:
        """Add a row. Its ``id`` must be new: no row and no tombstone may have it.

        Args:
            table: the table.
            row: its columns.
            added: the hybrid time that gives the row its place; now by default.
        """
        time = self.time()
        place = time if added is None else added
        self.connection.execute(_add(table, tuple(row)), (place, time, *row.values()))

    def put(
        self, table: SyncedTable, row: Mapping[str, Any], *, completed: Callable[[Mapping[str, Any]], Row] = dict
    ) -> bool:
        """Add a row, or write over the row with its ``id``; ``False``, writing nothing, when that row was deleted.

        Args:
            table: the table.
            row: its columns.
            completed: gives the columns of a row that is new, with values that only a new row needs.
        """
        time, identity = self.time(), row["id"]
        over, changing, add = _put(table, tuple(row))
        # Most writes update text that grows, and an UPDATE takes half the time of an upsert.
        if self.connection.execute(over, (time, *[row[name] for name in changing], identity)).rowcount:
            return True
        return self.connection.execute(add, (time, time, *completed(row).values(), identity)).rowcount > 0

    def change(self, table: SyncedTable, identity: str, values: Mapping[str, Any]) -> bool:
        """Write some columns of a row; ``False`` when no row has that id."""
        changed = (self.time(), *values.values(), identity)
        return self.connection.execute(_change(table, tuple(values)), changed).rowcount > 0

    def delete(self, table: SyncedTable, identity: str) -> bool:
        """Delete a row and the rows that refer to it, and add a tombstone; ``False`` when no row has that id.

        The referring rows get no tombstones: the tombstone of a conversation covers its messages.
        """
        if self.connection.execute(_bury(table), (table.name, self.time(), identity)).rowcount == 0:
            return False
        self.connection.execute(_delete(table), (identity,))
        return True

    def finish(self) -> None:
        """Save the last time for the next transaction."""
        if self._last is not None:
            self.connection.execute("UPDATE hybrid_clock SET last = ? WHERE one = 1", (self._last,))

    def see(self, time: int) -> None:
        """Let all later times be greater than one of another device."""
        self._last = max(self._known_last(), time)

    def time(self) -> int:
        """The time of the next write."""
        self._last = next_time(self._known_last(), self._now_ms)
        return self._last

    def _known_last(self) -> int:
        last = self._last
        if last is None:
            # Another process of this device may have written since the last transaction.
            last = int(self.connection.execute("SELECT last FROM hybrid_clock WHERE one = 1").fetchone()[0])
        return last


def until_undone(clock: Clock) -> int:
    """The hybrid time a day ago. What another device has deleted since may be restored there."""
    return (int(clock.now().timestamp() * 1000) - _UNDONE_MS) << COUNTER_BITS


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
def _put(table: SyncedTable, columns: tuple[str, ...]) -> tuple[str, tuple[str, ...], str]:
    """A statement that writes over a row, its columns, and a statement that adds a row unless it was deleted."""
    changing = tuple(name for name in columns if name != "id" and name not in table.fixed)
    names, values = _added(columns)
    unless_deleted = "WHERE NOT EXISTS (SELECT 1 FROM tombstones WHERE id = ?)"
    add = " ".join(("INSERT INTO", table.name, f"({names}) SELECT {values}", unless_deleted))
    return _change(table, changing), changing, add


@cache
def _add(table: SyncedTable, columns: tuple[str, ...]) -> str:
    names, values = _added(columns)
    return " ".join(("INSERT INTO", table.name, f"({names}) VALUES ({values})"))


@cache
def _change(table: SyncedTable, columns: tuple[str, ...]) -> str:
    """The statement that writes these columns; it always counts the revision and sets ``changed``."""
    always = ("SET revision = revision + 1", f"changed_by = {THIS_DEVICE}", "changed = ?")
    return " ".join(("UPDATE", table.name, ", ".join((*always, *(f"{name} = ?" for name in columns))), "WHERE id = ?"))


@cache
def _bury(table: SyncedTable) -> str:
    """The statement that adds the tombstone of a row."""
    select = f"INSERT INTO tombstones SELECT id, ?, device, revision + 1, ?, {THIS_DEVICE} FROM"
    return " ".join((select, table.name, "WHERE id = ?"))


@cache
def _delete(table: SyncedTable) -> str:
    return " ".join(("DELETE FROM", table.name, "WHERE id = ?"))


def _added(columns: Iterable[str]) -> tuple[str, str]:
    """Names and values of a new row: first those of ``ROW_COLUMNS`` without ``id``, then its content."""
    names = ("device", "revision", "changed_by", "added", "changed", *columns)
    values = (str(THIS_DEVICE), "1", str(THIS_DEVICE), *("?" for _ in names[3:]))
    return ", ".join(names), ", ".join(values)
