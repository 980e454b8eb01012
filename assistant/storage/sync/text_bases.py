"""What the account had of each synced text when this device and it were last alike."""

import sqlite3
from dataclasses import dataclass
from enum import StrEnum

from assistant.core.clock import Clock
from assistant.storage.database import Database
from assistant.storage.instants import stored
from assistant.storage.sync.differences import note


class TextKind(StrEnum):
    """Which texts are meant. In the table, all but files have the kind and a colon before their name."""

    FILE = "file"
    VALUE = "value"
    HELD = "held"
    """What has come and cannot be taken over yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextBase:
    """A text as the account has it.

    Attributes:
        number: its number there; 0 for not yet.
        text: its content; empty for one that is not there.
    """

    number: int = 0
    text: str = ""


class TextBases:
    """Every method raises ``StorageError`` when the database cannot be read or written.

    Args:
        database: keeps them.
        clock: tells when a difference was noticed.
        kind: which texts.
    """

    def __init__(self, database: Database, clock: Clock, kind: TextKind) -> None:
        self._database, self._clock, self._kind = database, clock, kind

    async def all(self) -> dict[str, TextBase]:
        """By name."""

        def work(connection: sqlite3.Connection) -> dict[str, TextBase]:
            rows = connection.execute("SELECT path, number, base FROM sync_texts")
            named = ((*_parts(path), TextBase(number=number, text=base)) for path, number, base in rows)
            return {name: base for kind, name, base in named if kind is self._kind}

        return await self._database.read(work)

    async def keep(self, name: str, base: TextBase) -> None:
        """Note what the account has."""
        row = (self._path(name), base.number, base.text)
        await self._database.write(
            lambda connection: connection.execute("INSERT OR REPLACE INTO sync_texts VALUES (?, ?, ?)", row)
        )

    async def drop(self, name: str) -> None:
        """Forget one."""
        path = self._path(name)
        await self._database.write(
            lambda connection: connection.execute("DELETE FROM sync_texts WHERE path = ?", (path,))
        )

    async def differ(self, name: str, ours: str, theirs: str) -> None:
        """Keep both forms of a text that was changed on two devices, for the user to look at.

        Args:
            name: its name.
            ours: what was here.
            theirs: the other form.
        """
        at = stored(self._clock.now())
        await self._database.write(
            lambda connection: note(connection, at, self._kind.value, name, {"text": ours}, {"text": theirs})
        )

    def _path(self, name: str) -> str:
        return name if self._kind is TextKind.FILE else f"{self._kind}:{name}"


def _parts(path: str) -> tuple[TextKind, str]:
    kind, colon, name = path.partition(":")
    return (TextKind(kind), name) if colon and kind in (TextKind.VALUE, TextKind.HELD) else (TextKind.FILE, path)


def hold(connection: sqlite3.Connection, sort: str) -> None:
    """Set values of a sort aside that this device forgets. They stay on the other devices, and may be taken over again.

    Args:
        connection: with a transaction open.
        sort: the sort of values.
    """
    value = f"{TextKind.VALUE}:{sort}/"
    held = f"{TextKind.HELD}:{value}"
    renamed = "UPDATE OR REPLACE sync_texts SET path = ? || substr(path, ?) WHERE substr(path, 1, ?) = ?"
    connection.execute(renamed, (held, len(value) + 1, len(value), value))
