"""Step 6: conversations and messages get what rows need that several devices share.

The tables are made anew, since SQLite cannot take a table's primary key away. Rows keep their ids: drafts, kept prompts
and backups refer to them. Their times are made from when they were created, in the order in which they stood.
"""

import sqlite3
from datetime import datetime

from assistant.core.identity.hybrid_time import Stamp, beginning
from assistant.storage.identities import new_id

_CONVERSATIONS = """CREATE TABLE conversations_new (
    id TEXT NOT NULL PRIMARY KEY,
    device TEXT NOT NULL,
    revision INTEGER NOT NULL,
    added TEXT NOT NULL,
    changed TEXT NOT NULL,
    created_at TEXT NOT NULL,
    model TEXT NOT NULL DEFAULT '',
    summary TEXT NOT NULL DEFAULT '',
    summarised_until TEXT NOT NULL DEFAULT '',
    title TEXT NOT NULL DEFAULT '',
    titled_by TEXT NOT NULL DEFAULT '',
    deleted_at TEXT NOT NULL DEFAULT ''
) STRICT"""
_MESSAGES = """CREATE TABLE messages_new (
    id TEXT NOT NULL PRIMARY KEY,
    device TEXT NOT NULL,
    revision INTEGER NOT NULL,
    added TEXT NOT NULL,
    changed TEXT NOT NULL,
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
) STRICT"""
_AROUND = (
    """CREATE TABLE this_device (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        id TEXT NOT NULL,
        last TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE tombstones (
        id TEXT NOT NULL PRIMARY KEY,
        of_table TEXT NOT NULL,
        device TEXT NOT NULL,
        revision INTEGER NOT NULL,
        changed TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE opened (
        conversation TEXT NOT NULL PRIMARY KEY REFERENCES conversations(id) ON DELETE CASCADE,
        number INTEGER NOT NULL
    ) STRICT""",
)
_AFTERWARDS = (
    "INSERT INTO opened (conversation, number) SELECT id, opened FROM conversations WHERE opened > 0",
    "DROP TABLE messages",
    "DROP TABLE conversations",
    "ALTER TABLE conversations_new RENAME TO conversations",
    "ALTER TABLE messages_new RENAME TO messages",
    "CREATE INDEX messages_conversation ON messages(conversation, added)",
    "CREATE INDEX messages_streaming ON messages(completion) WHERE completion = 'streaming'",
    "ALTER TABLE timers ADD COLUMN device TEXT NOT NULL DEFAULT ''",
    "UPDATE timers SET device = (SELECT id FROM this_device)",
)
_LATER_COLUMNS = (
    ("messages", "superseded", "ALTER TABLE messages ADD COLUMN superseded INTEGER NOT NULL DEFAULT 0"),
    ("conversations", "summary", "ALTER TABLE conversations ADD COLUMN summary TEXT NOT NULL DEFAULT ''"),
    (
        "conversations",
        "summarised_until",
        "ALTER TABLE conversations ADD COLUMN summarised_until TEXT NOT NULL DEFAULT ''",
    ),
)
"""What step 2 was at first without; databases of that day have taken it and lack these."""
_COPY_CONVERSATION = """
INSERT INTO conversations_new (id, device, revision, added, changed, created_at, model, summary, summarised_until,
                               title, titled_by, deleted_at)
VALUES (:id, :device, 1, :stamp, :stamp, :created_at, :model, :summary, :summarised_until, :title, :titled_by,
        :deleted_at)
"""
_COPY_MESSAGE = """
INSERT INTO messages_new (id, device, revision, added, changed, conversation, origin, role, text, reasoning, heard,
                          completion, error, provider, model, tool_uses, tool_use_id, usage, signatures, superseded,
                          created_at)
VALUES (:id, :device, 1, :stamp, :stamp, :conversation, :origin, :role, :text, :reasoning, :heard, :completion, :error,
        :provider, :model, :tool_uses, :tool_use_id, :usage, :signatures, :superseded, :created_at)
"""


def give_rows_identities(connection: sqlite3.Connection) -> None:
    """Take step 6; every row counts as written once, by this device. Files of messages stay where they are."""
    device = new_id()
    for statement in (*_AROUND, _CONVERSATIONS, _MESSAGES):
        connection.execute(statement)
    for table, column, statement in _LATER_COLUMNS:
        known = "SELECT 1 FROM pragma_table_info(?) WHERE name = ?"
        if connection.execute(known, (table, column)).fetchone() is None:
            connection.execute(statement)
    last = max(
        _copied(connection, "SELECT * FROM conversations ORDER BY position", _COPY_CONVERSATION, device),
        _copied(connection, "SELECT * FROM messages ORDER BY position", _COPY_MESSAGE, device),
    )
    connection.execute("INSERT INTO this_device (one, id, last) VALUES (1, ?, ?)", (device, str(last)))
    for statement in _AFTERWARDS:
        connection.execute(statement)


def _copied(connection: sqlite3.Connection, rows: str, copy: str, device: str) -> Stamp:
    """Fill the new form of a table with its rows in their order; returns the stamp of the last one."""
    last = beginning(device)
    found = connection.execute(rows)
    names = [column[0] for column in found.description]
    # One at a time, so that long conversations are never in memory as a whole.
    for each in found:
        row = dict(zip(names, each, strict=True))
        last = last.next(_milliseconds(row["created_at"]))
        connection.execute(copy, {**row, "device": device, "stamp": str(last)})
    return last


def _milliseconds(created_at: str) -> int:
    """Unix time of an instant as rows hold it; 0 for what stands for none, so that the row follows the one before."""
    try:
        return max(0, int(datetime.fromisoformat(created_at).timestamp() * 1000))
    except (ValueError, OverflowError):
        return 0
