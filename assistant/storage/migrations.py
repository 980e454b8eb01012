"""The shape of the database, as the numbered steps that lead to it.

A step, once released, never changes; a new shape is a new step at the end.
"""

import sqlite3
from dataclasses import dataclass
from datetime import datetime

from assistant.core.errors import StorageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One step: ``statements`` turn shape ``number - 1`` into shape ``number``."""

    number: int
    name: str
    statements: tuple[str, ...]


MIGRATIONS: tuple[Migration, ...] = (
    Migration(
        number=1,
        name="conversations, timers, traces",
        statements=(
            """CREATE TABLE conversations (
                position INTEGER PRIMARY KEY AUTOINCREMENT,
                id TEXT NOT NULL UNIQUE,
                created_at TEXT NOT NULL
            ) STRICT""",
            """CREATE TABLE messages (
                position INTEGER PRIMARY KEY AUTOINCREMENT,
                id TEXT NOT NULL UNIQUE,
                conversation TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
                origin TEXT NOT NULL,
                role TEXT NOT NULL,
                text TEXT NOT NULL,
                reasoning TEXT NOT NULL,
                heard TEXT,
                completion TEXT NOT NULL,
                error TEXT NOT NULL,
                provider TEXT NOT NULL,
                model TEXT NOT NULL,
                tool_uses TEXT NOT NULL,
                tool_use_id TEXT NOT NULL,
                usage TEXT NOT NULL,
                created_at TEXT NOT NULL
            ) STRICT""",
            "CREATE INDEX messages_conversation ON messages(conversation, position)",
            "CREATE INDEX messages_streaming ON messages(completion) WHERE completion = 'streaming'",
            """CREATE TABLE timers (
                id TEXT PRIMARY KEY,
                name TEXT NOT NULL,
                language TEXT NOT NULL,
                duration_s REAL NOT NULL,
                due_at TEXT NOT NULL,
                created_at TEXT NOT NULL
            ) STRICT""",
            """CREATE TABLE traces (
                id INTEGER PRIMARY KEY,
                conversation TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
                turn INTEGER NOT NULL,
                saved_at TEXT NOT NULL,
                events TEXT NOT NULL
            ) STRICT""",
            "CREATE INDEX traces_conversation ON traces(conversation, id)",
        ),
    ),
    Migration(
        number=2,
        name="attachments, signatures, chosen models, summaries, exchanges, egress",
        statements=(
            "ALTER TABLE messages ADD COLUMN signatures TEXT NOT NULL DEFAULT '[]'",
            "ALTER TABLE messages ADD COLUMN superseded INTEGER NOT NULL DEFAULT 0",
            "ALTER TABLE conversations ADD COLUMN model TEXT NOT NULL DEFAULT ''",
            "ALTER TABLE conversations ADD COLUMN summary TEXT NOT NULL DEFAULT ''",
            "ALTER TABLE conversations ADD COLUMN summarised_until TEXT NOT NULL DEFAULT ''",
            """CREATE TABLE attachments (
                message TEXT NOT NULL REFERENCES messages(id) ON DELETE CASCADE,
                position INTEGER NOT NULL,
                mime_type TEXT NOT NULL,
                name TEXT NOT NULL,
                data BLOB NOT NULL,
                PRIMARY KEY (message, position)
            ) STRICT""",
            """CREATE TABLE exchanges (
                id INTEGER PRIMARY KEY,
                at TEXT NOT NULL,
                conversation TEXT NOT NULL,
                provider TEXT NOT NULL,
                model TEXT NOT NULL,
                input INTEGER,
                output INTEGER,
                cached INTEGER,
                total INTEGER,
                first_token_ms REAL,
                total_ms REAL NOT NULL,
                requests INTEGER NOT NULL,
                tool_calls INTEGER NOT NULL,
                outcome TEXT NOT NULL,
                cost REAL
            ) STRICT""",
            "CREATE INDEX exchanges_at ON exchanges(at)",
            """CREATE TABLE egress (
                id INTEGER PRIMARY KEY,
                at TEXT NOT NULL,
                destination TEXT NOT NULL,
                local INTEGER NOT NULL,
                purpose TEXT NOT NULL,
                provider TEXT NOT NULL,
                bytes INTEGER NOT NULL,
                data TEXT NOT NULL
            ) STRICT""",
            "CREATE INDEX egress_at ON egress(at)",
        ),
    ),
    Migration(
        number=3,
        name="exchanges that are kept from their beginning",
        statements=(
            "ALTER TABLE exchanges ADD COLUMN uid TEXT NOT NULL DEFAULT ''",
            "ALTER TABLE exchanges ADD COLUMN partial INTEGER NOT NULL DEFAULT 0",
            "UPDATE exchanges SET uid = lower(hex(randomblob(16)))",
            "CREATE UNIQUE INDEX exchanges_uid ON exchanges(uid)",
        ),
    ),
    Migration(
        number=4,
        name="titles, deleted and opened conversations, timers that ring",
        statements=(
            "ALTER TABLE conversations ADD COLUMN title TEXT NOT NULL DEFAULT ''",
            "ALTER TABLE conversations ADD COLUMN titled_by TEXT NOT NULL DEFAULT ''",
            "ALTER TABLE conversations ADD COLUMN deleted_at TEXT NOT NULL DEFAULT ''",
            "ALTER TABLE conversations ADD COLUMN opened INTEGER NOT NULL DEFAULT 0",
            "ALTER TABLE timers ADD COLUMN rang_at TEXT NOT NULL DEFAULT ''",
        ),
    ),
    Migration(
        number=5,
        name="traces of turns that are named by UUIDs",
        statements=(
            """CREATE TABLE traces_by_uuid (
                id INTEGER PRIMARY KEY,
                conversation TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
                turn TEXT NOT NULL,
                saved_at TEXT NOT NULL,
                events TEXT NOT NULL
            ) STRICT""",
            """INSERT INTO traces_by_uuid (id, conversation, turn, saved_at, events)
                SELECT id, conversation, CAST(turn AS TEXT), saved_at, events FROM traces""",
            "DROP TABLE traces",
            "ALTER TABLE traces_by_uuid RENAME TO traces",
            "CREATE INDEX traces_conversation ON traces(conversation, id)",
        ),
    ),
)

LATEST = MIGRATIONS[-1].number
"""The shape that this program knows."""


def version_of(connection: sqlite3.Connection) -> int:
    """Number of the last step that the database has taken, 0 for an empty one."""
    known = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migrations'").fetchone()
    if known is None:
        return 0
    (number,) = connection.execute("SELECT COALESCE(MAX(number), 0) FROM migrations").fetchone()
    return int(number)


def refuse_newer(connection: sqlite3.Connection, path: str, latest: int = LATEST) -> int:
    """The database's version.

    Raises:
        StorageError: it was written by a newer Sori; it is left untouched.
    """
    version = version_of(connection)
    if version > latest:
        detail = f"was written by a newer version (schema {version}, this one knows {latest})"
        raise StorageError(path, detail, message_key="storage_newer")
    return version


def migrate(
    connection: sqlite3.Connection, now: datetime, migrations: tuple[Migration, ...] = MIGRATIONS
) -> tuple[int, ...]:
    """Take every step that is missing, each in a transaction of its own.

    Two processes may do this at once: each step is looked up again inside its transaction.

    Returns:
        The numbers of the steps taken.
    """
    connection.execute(
        """CREATE TABLE IF NOT EXISTS migrations (
            number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL
        ) STRICT"""
    )
    taken = []
    for step in migrations:
        connection.execute("BEGIN IMMEDIATE")
        try:
            if version_of(connection) < step.number:
                for statement in step.statements:
                    connection.execute(statement)
                connection.execute("INSERT INTO migrations VALUES (?, ?, ?)", (step.number, step.name, now.isoformat()))
                taken.append(step.number)
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
    return tuple(taken)
