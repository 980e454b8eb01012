"""Keeps what was read from the database until the database changes."""

import sqlite3
from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Kept(Generic[Value]):
    """A value that is read again after the database has changed. While a user types, each letter is a search.

    Only the database's thread uses it.

    Args:
        read: reads the value.
    """

    def __init__(self, read: Callable[[sqlite3.Connection], Value]) -> None:
        self._read = read
        self._known: tuple[tuple[int, int], Value] | None = None

    def value(self, connection: sqlite3.Connection) -> Value:
        """The value for the present content of the database."""
        (changes_by_others,) = connection.execute("PRAGMA data_version").fetchone()
        version = (int(changes_by_others), connection.total_changes)
        if self._known is None or self._known[0] != version:
            self._known = version, self._read(connection)
        return self._known[1]

    def forget(self) -> None:
        """Drop the value from memory."""
        self._known = None
