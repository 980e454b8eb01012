"""The form in which a row, with its stamps and its files, travels between devices."""

import base64
import sqlite3
from collections.abc import Mapping
from typing import Any, Final

from assistant.storage.migrations.steps import LATEST

Content = dict[str, Any]
"""A row as JSON: ``table``, ``schema``, ``id``, the stamps, ``row`` (other columns), ``files``; or ``deleted``.

The deletion of a conversation names the messages that the device did not have, see ``SPARED``.
"""
SPARED: Final = "spared"
"""Ids of messages that came only after this device had deleted their conversation. Who wrote them saves them."""

STAMPS: Final = ("device", "revision", "added", "changed", "changed_by")
_SPARED = "SELECT id FROM sync_held WHERE awaits = ? ORDER BY number"
_TOMBSTONE = "SELECT of_table, device, revision, changed, changed_by FROM tombstones WHERE id = ?"


def content_of(connection: sqlite3.Connection, table: str, identity: str) -> Content | None:
    """The content of a row, or of the tombstone that is left of it; ``None`` if there is neither."""
    if table == "tombstones":
        return _deletion(connection, identity)
    found = connection.execute(f"SELECT * FROM {table} WHERE id = ?", (identity,))  # noqa: S608 - our names
    values = found.fetchone()
    if values is None:
        return _deletion(connection, identity)
    row = dict(zip((column[0] for column in found.description), values, strict=True))
    del row["id"]
    stamps = {name: row.pop(name) for name in STAMPS}
    for name in ("device", "changed_by"):
        stamps[name] = _device(connection, stamps[name])
    content = {"table": table, "schema": LATEST, "id": identity, **stamps, "row": row}
    return {**content, "files": _files(connection, identity)} if table == "messages" else content


def deletion(table: str, identity: str, changed: int, changed_by: str, *, revision: int = 0) -> Content:
    """The content of a deleted row."""
    return {
        "table": table,
        "schema": LATEST,
        "id": identity,
        "device": changed_by,
        "revision": revision,
        "changed": changed,
        "changed_by": changed_by,
        "deleted": True,
    }


def number_of(connection: sqlite3.Connection, device: str) -> int:
    """The number of a device in this file; a new one where it is not known."""
    found = connection.execute("SELECT number FROM devices WHERE id = ?", (device,)).fetchone()
    if found is None:
        return int(connection.execute("INSERT INTO devices (id) VALUES (?) RETURNING number", (device,)).fetchone()[0])
    return int(found[0])


def put_files(connection: sqlite3.Connection, message: str, files: list[Mapping[str, Any]]) -> None:
    """Keep the files of a message, unless they are here."""
    for each in files:
        connection.execute(
            "INSERT INTO attachments (message, position, mime_type, name, data) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT DO NOTHING",
            (message, each["position"], each["mime_type"], each["name"], base64.b64decode(each["data"])),
        )


def _deletion(connection: sqlite3.Connection, identity: str) -> Content | None:
    found = connection.execute(_TOMBSTONE, (identity,)).fetchone()
    if found is None:
        return None
    table, device, revision, changed, changed_by = found
    made = deletion(table, identity, changed, _device(connection, changed_by), revision=revision)
    kept = _spared(connection, identity)
    return {**made, "device": _device(connection, device), **({SPARED: kept} if kept else {})}


def _spared(connection: sqlite3.Connection, conversation: str) -> list[str]:
    """The ids of the messages that a deletion spares."""
    return [identity for (identity,) in connection.execute(_SPARED, (conversation,))]


def _device(connection: sqlite3.Connection, number: int) -> str:
    return str(connection.execute("SELECT id FROM devices WHERE number = ?", (number,)).fetchone()[0])


def _files(connection: sqlite3.Connection, message: str) -> list[dict[str, Any]]:
    select = "SELECT position, mime_type, name, data FROM attachments WHERE message = ? ORDER BY position"
    return [
        {"position": position, "mime_type": mime_type, "name": name, "data": base64.b64encode(data).decode()}
        for position, mime_type, name, data in connection.execute(select, (message,))
    ]
