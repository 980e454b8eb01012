"""What this device notes of its own way into the account and out of it. It stays known when Sori ends in between.

The notes stand among the texts' bases, under a kind of their own.
"""

import secrets
import sqlite3
from typing import Final

from assistant.storage.database import Database
from assistant.storage.sync.text_bases import TextKind

JOINS: Final = "joins"
"""This device has not yet met all that the account has."""
LEFT: Final = "left"
"""This device has left an account, and something of that may be left to do."""
SEEN: Final = "seen"
"""When this device had told the account that it is there, after the last exchange, by the server's clock."""
_BEGUN: Final = "begun/"
"""An id under which this device has begun to join an account."""
_ID_BYTES: Final = 16


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


def clear_texts(connection: sqlite3.Connection) -> None:
    """Forget the texts of the account that this device leaves, and what was noted there."""
    head = _path(_BEGUN)
    connection.execute("DELETE FROM sync_texts WHERE substr(path, 1, ?) <> ?", (len(head), head))


class BegunDevices:
    """The ids under which this device has begun to join an account, until it is clear which of them it has.

    The server may know a device of which nothing is kept here, because Sori ended in between.

    Every method raises ``StorageError`` when the database cannot be read or written.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def again(self) -> bytes:
        """The id to join with by a passphrase, which lets a device join once more: the one that was begun last."""
        begun = await self.all()
        return begun[-1] if begun else await self.new()

    async def new(self) -> bytes:
        """A new id to join with."""
        identity = secrets.token_bytes(_ID_BYTES)
        await self._database.write(lambda connection: put(connection, _BEGUN + identity.hex()))
        return identity

    async def all(self) -> list[bytes]:
        """The ids, in the order in which they were begun."""
        head = _path(_BEGUN)
        select = "SELECT substr(path, ?) FROM sync_texts WHERE substr(path, 1, ?) = ? ORDER BY rowid"
        values = (len(head) + 1, len(head), head)

        def work(connection: sqlite3.Connection) -> list[bytes]:
            return [bytes.fromhex(each) for (each,) in connection.execute(select, values)]

        return await self._database.read(work)

    async def forget(self) -> None:
        """Forget them, because the account has this device under one of them and none of the others."""
        head = _path(_BEGUN)
        await self._database.write(
            lambda connection: connection.execute(
                "DELETE FROM sync_texts WHERE substr(path, 1, ?) = ?", (len(head), head)
            )
        )


def _path(name: str) -> str:
    return f"{TextKind.NOTE}:{name}"
