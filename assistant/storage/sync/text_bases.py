"""What the account had of each synced file when this device and it were last alike."""

import sqlite3
from dataclasses import dataclass

from assistant.core.clock import Clock
from assistant.storage.database import Database
from assistant.storage.instants import stored
from assistant.storage.sync.differences import FILE, note


@dataclass(frozen=True, slots=True, kw_only=True)
class TextBase:
    """A file as the account has it.

    Attributes:
        number: its number there; 0 for not yet.
        text: its content; empty for a file that is not there.
    """

    number: int = 0
    text: str = ""


class TextBases:
    """Every method raises ``StorageError`` when the database cannot be read or written."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database, self._clock = database, clock

    async def all(self) -> dict[str, TextBase]:
        """By path."""

        def work(connection: sqlite3.Connection) -> dict[str, TextBase]:
            rows = connection.execute("SELECT path, number, base FROM sync_texts")
            return {path: TextBase(number=number, text=base) for path, number, base in rows}

        return await self._database.read(work)

    async def keep(self, path: str, base: TextBase) -> None:
        """Note what the account has."""
        row = (path, base.number, base.text)
        await self._database.write(
            lambda connection: connection.execute("INSERT OR REPLACE INTO sync_texts VALUES (?, ?, ?)", row)
        )

    async def differ(self, path: str, ours: str, theirs: str) -> None:
        """Keep both forms of a file that was changed on two devices, for the user to look at."""
        at = stored(self._clock.now())
        await self._database.write(
            lambda connection: note(connection, at, FILE, path, {"text": ours}, {"text": theirs})
        )
