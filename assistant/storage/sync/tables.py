"""Which tables are synced, and the triggers that note what this device writes in them.

The triggers exist only while the device is in an account. They run in the transaction of the write, so no change is
lost and none waits that was not made. Rows of other devices are not noted: ``changed_by`` names who wrote a row.
"""

import sqlite3
from collections.abc import Collection
from typing import Final

from assistant.storage.rows import THIS_DEVICE
from assistant.storage.sync.device_notes import clear_texts
from assistant.storage.sync.flow_offers import leave

SYNCED: Final = ("conversations", "messages", "people", "base_prompts")
"""In the order in which they are sent, so that a conversation comes before its messages."""
_NOTE = (
    "INSERT INTO sync_outbox (id, of_table, changed) VALUES (new.id, '{table}', new.changed)"
    " ON CONFLICT (id) DO UPDATE SET of_table = excluded.of_table, changed = excluded.changed"
)
_WHOLE = {"messages": " AND new.completion <> 'streaming'"}
"""An answer that is being written is sent when it is whole."""
_EVENTS = {"INSERT": "INSERT", "UPDATE": "UPDATE OF revision, changed"}
_TRIGGERS = tuple(
    (f"sync_{table}_{event.lower()}", table, event)
    for table, event in (*((table, event) for table in SYNCED for event in _EVENTS), ("tombstones", "INSERT"))
)


def begin(connection: sqlite3.Connection) -> None:
    """Note what is written from now on. Triggers that a migration took away with their table are made anew."""
    for name, table, event in _TRIGGERS:
        when = f"new.changed_by = {THIS_DEVICE}{_WHOLE.get(table, '')}"
        head = f"CREATE TRIGGER IF NOT EXISTS {name} AFTER {_EVENTS[event]} ON {table} WHEN {when}"
        connection.execute(f"{head} BEGIN {_NOTE.format(table=table)}; END")


def note_all(connection: sqlite3.Connection) -> None:
    """Note all that is here, for an account that has none of it yet."""
    for table in SYNCED:
        whole = _WHOLE.get(table, "").replace("new.", "")
        select = f"SELECT id, '{table}', changed FROM {table} WHERE 1 {whole}"  # noqa: S608 - constants
        connection.execute(f"INSERT OR REPLACE INTO sync_outbox (id, of_table, changed) {select}")
    connection.execute(
        "INSERT OR REPLACE INTO sync_outbox (id, of_table, changed) SELECT id, 'tombstones', changed FROM tombstones"
    )


def end(connection: sqlite3.Connection, own_flows: Collection[str] = ()) -> None:
    """Note nothing any more, and forget all that was noted.

    Args:
        connection: with a transaction open.
        own_flows: ids of the offered flows that this device keeps; see ``flow_offers.leave``.
    """
    for name, _, _ in _TRIGGERS:
        connection.execute(f"DROP TRIGGER IF EXISTS {name}")
    leave(connection, own_flows)
    for table in ("sync_outbox", "sync_numbers", "sync_held", "sync_place"):
        connection.execute(f"DELETE FROM {table}")  # noqa: S608 - constants
    clear_texts(connection)
