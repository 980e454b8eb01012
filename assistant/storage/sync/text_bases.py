"""What the account had of each synced text when this device and it were last alike."""

import sqlite3
from dataclasses import dataclass
from enum import StrEnum

from assistant.core.clock import Clock
from assistant.storage.database import Database
from assistant.storage.instants import stored
from assistant.storage.sync.differences import FOLDER, note


class TextKind(StrEnum):
    """Which texts are meant. In the table, all but files have the kind and a colon before their name."""

    FILE = "file"
    VALUE = "value"
    HELD = "held"
    """What has come and cannot be taken over yet."""
    LAST = "last"
    """What the account had before a removal; see ``TextBase.last``."""
    NOTE = "note"
    """No text; see ``device_notes.py``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextBase:
    """A text as the account has it.

    Attributes:
        number: its number there; 0 for not yet.
        text: its content; empty for one that is not there.
        last: its content before it was removed there, as long as it may stay here or come back.
    """

    number: int = 0
    text: str = ""
    last: str = ""

    @property
    def last_text(self) -> str:
        """What the account has, or had before a removal that may not count: what both forms have come from."""
        return self.text or self.last


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
            rows = connection.execute("SELECT path, number, base FROM sync_texts").fetchall()
            texts = {path: base for path, _, base in rows}
            named = (
                (*_parts(path), TextBase(number=number, text=base, last=texts.get(_last(path), "")))
                for path, number, base in rows
            )
            return {name: base for kind, name, base in named if kind is self._kind}

        return await self._database.read(work)

    async def keep(self, name: str, base: TextBase) -> None:
        """Note what the account has."""
        path = self._path(name)
        rows = [(path, base.number, base.text), *([(_last(path), base.number, base.last)] if base.last else [])]

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM sync_texts WHERE path = ?", (_last(path),))
            connection.executemany("INSERT OR REPLACE INTO sync_texts VALUES (?, ?, ?)", rows)

        await self._database.write(work)

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
        kind = self._kind.value
        await self._database.write(
            lambda connection: note(connection, at, kind, name, {"text": ours}, {"text": theirs})
        )

    async def differ_in_removal(self, folder: str, ours: str, theirs: str) -> bool:
        """Note a folder that was removed on one device and changed on the other.

        Args:
            folder: its name.
            ours: its texts here, as the user is shown them; empty where it had been removed here.
            theirs: the same of the other device.

        Returns:
            Whether this was not noted already.
        """
        at = stored(self._clock.now())
        return await self._database.write(
            lambda connection: note(connection, at, FOLDER, folder, {"text": ours}, {"text": theirs})
        )

    def _path(self, name: str) -> str:
        return name if self._kind is TextKind.FILE else f"{self._kind}:{name}"


def _parts(path: str) -> tuple[TextKind, str]:
    kind, colon, name = path.partition(":")
    named = colon and kind in (TextKind.VALUE, TextKind.HELD, TextKind.LAST, TextKind.NOTE)
    return (TextKind(kind), name) if named else (TextKind.FILE, path)


def _last(path: str) -> str:
    return f"{TextKind.LAST}:{path}"


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
