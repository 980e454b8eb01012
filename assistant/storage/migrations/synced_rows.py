"""Step 6: conversations and messages get the columns of rows that several devices share.

The tables are made anew, because SQLite cannot remove a primary key. Rows keep their ids, because drafts, kept prompts
and backups refer to them. The stamps are made from ``created_at`` and keep the order of the rows.
"""

import sqlite3
from datetime import datetime

from assistant.core.identity.hybrid_time import Stamp, beginning
from assistant.storage.identities import new_id

_LATEST_MS = 1 << 46
"""In the year 4199."""
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
"""Columns that were added to step 2 after databases had already run it; those databases lack them."""
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
    """Run step 6. Every row gets revision 1 and the id of this device. Attachments are not moved."""
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
    """Copy the rows of a table to its new form, in their order; returns the stamp of the last row."""
    last = beginning(device)
    found = connection.execute(rows)
    names = [column[0] for column in found.description]
    # One row at a time, so that the table is never in memory as a whole.
    for each in found:
        row = dict(zip(names, each, strict=True))
        last = last.next(_milliseconds(row["created_at"]))
        connection.execute(copy, {**row, "device": device, "stamp": str(last)})
    return last


def _milliseconds(created_at: str) -> int:
    """Unix time of ``created_at`` in milliseconds; 0 for an invalid text or year: the row follows the one before it."""
    try:
        milliseconds = int(datetime.fromisoformat(created_at).timestamp() * 1000)
    except (ValueError, OverflowError):
        return 0
    return milliseconds if 0 < milliseconds < _LATEST_MS else 0
