"""What this device notes of its own way into the account and out of it. It stays known when Sori ends in between.

The notes stand among the texts' bases, under a kind of their own.
"""

import sqlite3
from typing import Final

from assistant.storage.sync.text_bases import TextKind

JOINS: Final = "joins"
"""This device has not yet met all that the account has."""


def put(connection: sqlite3.Connection, name: str, text: str = "") -> None:
    """Note something, in place of what was noted under this name."""
    connection.execute("INSERT OR REPLACE INTO sync_texts VALUES (?, 0, ?)", (_path(name), text))


def get(connection: sqlite3.Connection, name: str) -> str | None:
    """What was noted; ``None`` for nothing."""
    found = connection.execute("SELECT base FROM sync_texts WHERE path = ?", (_path(name),)).fetchone()
    return None if found is None else str(found[0])


def drop(connection: sqlite3.Connection, name: str) -> None:
    """Forget what was noted."""
    connection.execute("DELETE FROM sync_texts WHERE path = ?", (_path(name),))


def _path(name: str) -> str:
    return f"{TextKind.NOTE}:{name}"
