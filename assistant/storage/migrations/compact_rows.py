"""Step 7: shared rows hold their times as integers and their devices as numbers of the table ``devices``.

Before this step both were texts. The texts made each row 135 bytes longer and the index of messages twice as large.
Opening the file took a fifth longer, because opening checks the whole file. Every row keeps its id, device, revision
and times.
"""

import sqlite3

from assistant.core.identity.hybrid_time import Stamp

_DEVICES = "CREATE TABLE devices (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE) STRICT"
_COMMON = """
    id TEXT NOT NULL PRIMARY KEY,
    device INTEGER NOT NULL REFERENCES devices(number),
    revision INTEGER NOT NULL,
    added INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    changed_by INTEGER NOT NULL REFERENCES devices(number)
"""
_TABLES = (
    f"""CREATE TABLE conversations_new ({_COMMON},
    created_at TEXT NOT NULL,
    model TEXT NOT NULL DEFAULT '',
    summary TEXT NOT NULL DEFAULT '',
    summarised_until TEXT NOT NULL DEFAULT '',
    title TEXT NOT NULL DEFAULT '',
    titled_by TEXT NOT NULL DEFAULT '',
    deleted_at TEXT NOT NULL DEFAULT ''
) STRICT""",
    f"""CREATE TABLE messages_new ({_COMMON},
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
    signatures TEXT NOT NULL DEFAULT '[]',
    superseded INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL
) STRICT""",
    """CREATE TABLE tombstones_new (
    id TEXT NOT NULL PRIMARY KEY,
    of_table TEXT NOT NULL,
    device INTEGER NOT NULL REFERENCES devices(number),
    revision INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    changed_by INTEGER NOT NULL REFERENCES devices(number)
) STRICT""",
    """CREATE TABLE timers_new (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    language TEXT NOT NULL,
    duration_s REAL NOT NULL,
    due_at TEXT NOT NULL,
    created_at TEXT NOT NULL,
    rang_at TEXT NOT NULL DEFAULT '',
    device INTEGER NOT NULL REFERENCES devices(number)
) STRICT""",
    "CREATE TABLE hybrid_clock (one INTEGER PRIMARY KEY CHECK (one = 1), last INTEGER NOT NULL) STRICT",
)
_COPIES = (
    "INSERT INTO hybrid_clock (one, last) SELECT 1, time_of(last) FROM this_device",
    """INSERT INTO conversations_new
    SELECT id, number_of(device), revision, time_of(added), time_of(changed), number_of(device_of(changed)),
        created_at, model, summary, summarised_until, title, titled_by, deleted_at
    FROM conversations ORDER BY added""",
    """INSERT INTO messages_new
    SELECT id, number_of(device), revision, time_of(added), time_of(changed), number_of(device_of(changed)),
        conversation, origin, role, text, reasoning, heard, completion, error, provider, model, tool_uses, tool_use_id,
        usage, signatures, superseded, created_at
    FROM messages ORDER BY added""",
    """INSERT INTO tombstones_new SELECT id, of_table, number_of(device), revision, time_of(changed),
    number_of(device_of(changed)) FROM tombstones""",
    """INSERT INTO timers_new SELECT id, name, language, duration_s, due_at, created_at, rang_at, number_of(device)
    FROM timers""",
)
_REPLACED = ("messages", "conversations", "tombstones", "timers")
_INDEXES = (
    "CREATE INDEX messages_conversation ON messages(conversation, added)",
    "CREATE INDEX messages_streaming ON messages(completion) WHERE completion = 'streaming'",
)


def make_rows_compact(connection: sqlite3.Connection) -> None:
    """Run step 7. The tables ``attachments``, ``opened`` and ``traces`` are not changed."""
    connection.execute(_DEVICES)
    numbers = _number_devices(connection)
    connection.create_function("number_of", 1, numbers.__getitem__, deterministic=True)
    connection.create_function("time_of", 1, lambda text: Stamp.parse(text).time, deterministic=True)
    connection.create_function("device_of", 1, lambda text: Stamp.parse(text).device, deterministic=True)
    for statement in (*_TABLES, *_COPIES):
        connection.execute(statement)
    for table in _REPLACED:
        connection.execute(" ".join(("DROP TABLE", table)))
        connection.execute(" ".join(("ALTER TABLE", f"{table}_new", "RENAME TO", table)))
    connection.execute("DROP TABLE this_device")
    for statement in _INDEXES:
        connection.execute(statement)


def _number_devices(connection: sqlite3.Connection) -> dict[str, int]:
    """Give each device in the rows a number, 1 for this device; returns the numbers by device id."""
    ((this_device,),) = connection.execute("SELECT id FROM this_device").fetchall()
    found = {str(this_device): 1}
    for table in ("conversations", "messages", "tombstones"):
        for device, changed in connection.execute(" ".join(("SELECT device, changed FROM", table))):
            for each in (device, Stamp.parse(changed).device):
                found.setdefault(each, len(found) + 1)
    for (device,) in connection.execute("SELECT device FROM timers"):
        found.setdefault(device, len(found) + 1)
    connection.executemany("INSERT INTO devices (id, number) VALUES (?, ?)", found.items())
    return found
