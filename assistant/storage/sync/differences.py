"""What was changed on two devices at once: both forms, until the user has looked at them (S-04)."""

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from assistant.storage.database import Database

FILE = "file"
"""In place of a table's name: the form of a shared file."""
FOLDER = "folder"
"""In place of a table's name: a folder of shared files that was removed on one device and changed on the other."""
VALUE = "value"
"""In place of a table's name: a setting, a project or a flow."""
_TITLES = {
    "conversations": """SELECT CASE title WHEN '' THEN COALESCE((SELECT text FROM messages WHERE conversation = c.id
        AND shown = 1 AND role = 'user' AND text <> '' ORDER BY added, id LIMIT 1), '') ELSE title END
        FROM conversations c WHERE id = ?""",
    "messages": "SELECT text FROM messages WHERE id = ?",
    "people": "SELECT name FROM people WHERE id = ?",
    "base_prompts": "SELECT language FROM base_prompts WHERE id = ?",
}
"""What a user calls a row, whose id says nothing."""
_ADD = """INSERT INTO sync_differences (at, of_table, name, ours, theirs) SELECT ?1, ?2, ?3, ?4, ?5
    WHERE NOT EXISTS (SELECT 1 FROM sync_differences WHERE (of_table, name, ours, theirs) = (?2, ?3, ?4, ?5))"""

Form = Mapping[str, object]
"""The columns that differ, or ``text`` of a file or a value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncDifference:
    """A row, a file or a value that was changed on two devices.

    Attributes:
        id: its number here.
        at: when it was noticed, ISO 8601 with offset.
        table: the table's name; ``FILE``, ``FOLDER`` or ``VALUE`` for what is no row.
        name: what the row is called here, of a prompt the language; the path of a file or folder below the home, or a
            value's name.
        ours: what this device had; of a folder the paths of its files, a line each, and nothing where it was removed.
        theirs: what the other device had.
    """

    id: int
    at: str
    table: str
    name: str
    ours: Form
    theirs: Form


def note(connection: sqlite3.Connection, at: str, table: str, name: str, ours: Form, theirs: Form) -> bool:
    """Keep both forms; ``False`` if they are kept already."""
    forms = (json.dumps(each, ensure_ascii=False) for each in (ours, theirs))
    return connection.execute(_ADD, (at, table, name, *forms)).rowcount > 0


class SyncDifferences:
    """Every method raises ``StorageError`` when the database cannot be read or written."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def all(self) -> tuple[SyncDifference, ...]:
        """Those that the user has not put away, newest first."""

        def work(connection: sqlite3.Connection) -> tuple[SyncDifference, ...]:
            rows = connection.execute(
                "SELECT id, at, of_table, name, ours, theirs FROM sync_differences ORDER BY id DESC"
            )
            return tuple(
                SyncDifference(
                    id=row[0],
                    at=row[1],
                    table=row[2],
                    name=_name(connection, row[2], row[3]),
                    ours=json.loads(row[4]),
                    theirs=json.loads(row[5]),
                )
                for row in rows
            )

        return await self._database.read(work)

    async def put_away(self, difference: int) -> bool:
        """Forget the other form; ``False`` if there is none."""
        return await self._database.write(
            lambda connection: (
                connection.execute("DELETE FROM sync_differences WHERE id = ?", (difference,)).rowcount > 0
            )
        )


def _name(connection: sqlite3.Connection, table: str, name: str) -> str:
    """What a row is called; empty for one that is gone. Other names stay."""
    if table not in _TITLES:
        return name
    found = connection.execute(_TITLES[table], (name,)).fetchone()
    return "" if found is None else str(found[0])
