"""The schema of the database, as numbered migration steps.

A released step never changes. A change of the schema is a new step at the end.
"""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass

from assistant.storage.migrations.compact_rows import make_rows_compact
from assistant.storage.migrations.recurring_alarms import give_alarms_rules
from assistant.storage.migrations.synced_rows import give_rows_identities


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One step: it turns version ``number - 1`` of the schema into version ``number``.

    Attributes:
        number: number of the step, from 1.
        name: what the step adds.
        statements: the SQL of the step.
        convert: code for what SQL alone cannot do; called after the statements, in the same transaction.
    """

    number: int
    name: str
    statements: tuple[str, ...] = ()
    convert: Callable[[sqlite3.Connection], None] | None = None


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
    Migration(
        number=6,
        name="rows with device, revision and hybrid logical time; tombstones",
        convert=give_rows_identities,
    ),
    Migration(number=7, name="times of rows as integers, devices by number", convert=make_rows_compact),
    Migration(
        number=8,
        name="the user's base prompts",
        statements=(
            """CREATE TABLE base_prompts (
                id TEXT NOT NULL PRIMARY KEY,
                device INTEGER NOT NULL REFERENCES devices(number),
                revision INTEGER NOT NULL,
                added INTEGER NOT NULL,
                changed INTEGER NOT NULL,
                changed_by INTEGER NOT NULL REFERENCES devices(number),
                language TEXT NOT NULL,
                text TEXT NOT NULL
            ) STRICT""",
        ),
    ),
    Migration(
        number=9,
        name="the workspace and the agent of each conversation",
        statements=(
            "ALTER TABLE conversations ADD COLUMN workspace TEXT NOT NULL DEFAULT 'default'",
            "ALTER TABLE conversations ADD COLUMN agent TEXT NOT NULL DEFAULT 'sori'",
        ),
    ),
    Migration(
        number=10,
        name="alarms and reminders beside timers",
        statements=(
            "ALTER TABLE timers ADD COLUMN kind TEXT NOT NULL DEFAULT 'timer'",
            "ALTER TABLE timers ADD COLUMN repeats TEXT NOT NULL DEFAULT ''",
        ),
    ),
    # The triggers belong to the table ``messages``. A step that replaces the table must make them again.
    Migration(
        number=11,
        name="an index for the search of messages",
        statements=(
            """CREATE TABLE search_blocks (
                block INTEGER PRIMARY KEY,
                anchor INTEGER NOT NULL,
                anchor_id TEXT NOT NULL,
                parts TEXT NOT NULL,
                stale INTEGER NOT NULL DEFAULT 0
            ) STRICT""",
            """CREATE TABLE search_slices (
                slice INTEGER NOT NULL,
                block INTEGER NOT NULL,
                bits BLOB NOT NULL,
                PRIMARY KEY (slice, block)
            ) STRICT, WITHOUT ROWID""",
            """CREATE TRIGGER search_after_insert AFTER INSERT ON messages BEGIN
                UPDATE search_blocks SET stale = 1 WHERE block = new.rowid >> 10 AND stale = 0;
            END""",
            """CREATE TRIGGER search_after_update AFTER UPDATE OF text ON messages WHEN new.text IS NOT old.text BEGIN
                UPDATE search_blocks SET stale = 1 WHERE block = old.rowid >> 10 AND stale = 0;
            END""",
            """CREATE TRIGGER search_after_delete AFTER DELETE ON messages BEGIN
                UPDATE search_blocks SET stale = 1 WHERE block = old.rowid >> 10 AND stale = 0;
            END""",
        ),
    ),
    Migration(
        number=12,
        name="the audit log of tool calls",
        statements=(
            """CREATE TABLE audit (
                id INTEGER PRIMARY KEY,
                at TEXT NOT NULL,
                conversation TEXT NOT NULL,
                turn TEXT NOT NULL,
                tool TEXT NOT NULL,
                category TEXT NOT NULL,
                arguments TEXT NOT NULL,
                digest TEXT NOT NULL,
                decision TEXT NOT NULL,
                reason TEXT NOT NULL,
                answer TEXT NOT NULL,
                outcome TEXT NOT NULL DEFAULT '',
                result TEXT NOT NULL DEFAULT '',
                took_ms INTEGER NOT NULL DEFAULT 0
            ) STRICT""",
            "CREATE INDEX audit_conversation ON audit(conversation)",
        ),
    ),
    Migration(
        number=13,
        name="versions of messages, and conversations that branch off another",
        statements=(
            "ALTER TABLE messages ADD COLUMN parent TEXT NOT NULL DEFAULT ''",
            "ALTER TABLE messages ADD COLUMN shown INTEGER NOT NULL DEFAULT 1",
            "ALTER TABLE conversations ADD COLUMN branched_from TEXT NOT NULL DEFAULT ''",
            """UPDATE messages SET parent = COALESCE((
                SELECT earlier.id FROM messages AS earlier WHERE earlier.conversation = messages.conversation
                    AND (earlier.added, earlier.id) < (messages.added, messages.id)
                ORDER BY earlier.added DESC, earlier.id DESC LIMIT 1
            ), '')""",
            "CREATE INDEX messages_hidden ON messages(conversation) WHERE shown = 0",
        ),
    ),
    Migration(number=14, name="alarms that recur by rules of RFC 5545", convert=give_alarms_rules),
    # Former versions did not mark imported conversations and results of tools, so every conversation that may have any
    # is marked: one with a tool's result, with a file, or of another program, whose ids have no hyphens.
    Migration(
        number=15,
        name="whether a conversation has content from outside, and how much its calls have told",
        statements=(
            "ALTER TABLE conversations ADD COLUMN outside INTEGER NOT NULL DEFAULT 0",
            "ALTER TABLE conversations ADD COLUMN told_bits REAL NOT NULL DEFAULT 0",
            """UPDATE conversations SET outside = 1 WHERE id NOT LIKE '%-%'
                OR id IN (SELECT conversation FROM messages WHERE role = 'tool'
                    OR EXISTS (SELECT 1 FROM attachments WHERE message = messages.id))""",
        ),
    ),
    # Which messages of former versions a program wrote is not known. Those of imported conversations, whose ids have no
    # hyphens, are nobody's own words.
    Migration(
        number=16,
        name="which words of a message are the user's own",
        statements=(
            "ALTER TABLE messages ADD COLUMN own_words TEXT",
            "UPDATE messages SET own_words = '' WHERE role = 'user' AND conversation NOT LIKE '%-%'",
        ),
    ),
    Migration(
        number=17,
        name="how the user was told of the error of a message",
        statements=("ALTER TABLE messages ADD COLUMN error_text TEXT NOT NULL DEFAULT ''",),
    ),
    Migration(
        number=18,
        name="the turn that stored a message",
        statements=("ALTER TABLE messages ADD COLUMN turn TEXT NOT NULL DEFAULT ''",),
    ),
    Migration(
        number=19,
        name="the shape of each request that left",
        statements=("ALTER TABLE egress ADD COLUMN shape TEXT NOT NULL DEFAULT ''",),
    ),
    Migration(
        number=20,
        name="conversations that stay at the top of the list",
        statements=("ALTER TABLE conversations ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0",),
    ),
    Migration(
        number=21,
        name="the project that a conversation is about",
        statements=("ALTER TABLE conversations ADD COLUMN project TEXT NOT NULL DEFAULT ''",),
    ),
    Migration(
        number=22,
        name="what answers cite",
        statements=("ALTER TABLE messages ADD COLUMN citations TEXT NOT NULL DEFAULT '[]'",),
    ),
    Migration(
        number=23,
        name="the people whom the user knows",
        statements=(
            """CREATE TABLE people (
                id TEXT NOT NULL PRIMARY KEY,
                device INTEGER NOT NULL REFERENCES devices(number),
                revision INTEGER NOT NULL,
                added INTEGER NOT NULL,
                changed INTEGER NOT NULL,
                changed_by INTEGER NOT NULL REFERENCES devices(number),
                name TEXT NOT NULL,
                relation TEXT NOT NULL,
                aliases TEXT NOT NULL,
                accounts TEXT NOT NULL,
                phone TEXT NOT NULL,
                email TEXT NOT NULL,
                birthday TEXT NOT NULL,
                note TEXT NOT NULL,
                deleted_at TEXT NOT NULL DEFAULT ''
            ) STRICT""",
        ),
    ),
    # ``text`` of a step is empty and ``outcome`` is "unknown" from its begin to its end.
    Migration(
        number=24,
        name="sessions and execution steps of guided flows",
        statements=(
            """CREATE TABLE flow_sessions (
                session TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
                service TEXT NOT NULL,
                standing TEXT NOT NULL,
                state TEXT NOT NULL,
                memory TEXT NOT NULL,
                changed_at TEXT NOT NULL,
                PRIMARY KEY (session, service)
            ) STRICT, WITHOUT ROWID""",
            "CREATE INDEX flow_sessions_standing ON flow_sessions(standing, changed_at)",
            """CREATE TABLE flow_steps (
                key TEXT NOT NULL PRIMARY KEY,
                session TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
                service TEXT NOT NULL,
                step TEXT NOT NULL,
                digest TEXT NOT NULL,
                begun_at TEXT NOT NULL,
                outcome TEXT NOT NULL DEFAULT 'unknown',
                text TEXT NOT NULL DEFAULT ''
            ) STRICT, WITHOUT ROWID""",
            "CREATE INDEX flow_steps_session ON flow_steps(session)",
        ),
    ),
    Migration(
        number=25,
        name="requests that are carried out at a time",
        statements=("ALTER TABLE timers ADD COLUMN job TEXT NOT NULL DEFAULT ''",),
    ),
    # ``state`` of an update is a ``UpdateState``; ``content`` is empty once it is over. ``telegram_bot`` and
    # ``telegram_code`` have one row at most.
    Migration(
        number=26,
        name="the Telegram bot, its updates, linked chats and calls that only the app may run",
        statements=(
            """CREATE TABLE telegram_bot (
                only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
                bot INTEGER NOT NULL,
                username TEXT NOT NULL,
                name TEXT NOT NULL
            ) STRICT""",
            """CREATE TABLE telegram_code (
                only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
                digest TEXT NOT NULL,
                workspace TEXT NOT NULL,
                agent TEXT NOT NULL,
                until TEXT NOT NULL,
                wrong TEXT NOT NULL
            ) STRICT""",
            """CREATE TABLE telegram_chats (
                chat INTEGER NOT NULL PRIMARY KEY,
                name TEXT NOT NULL,
                workspace TEXT NOT NULL,
                agent TEXT NOT NULL,
                conversation TEXT NOT NULL,
                linked_at TEXT NOT NULL
            ) STRICT""",
            """CREATE TABLE telegram_updates (
                update_id INTEGER NOT NULL PRIMARY KEY,
                chat INTEGER NOT NULL,
                content TEXT NOT NULL,
                sent_at TEXT NOT NULL,
                state TEXT NOT NULL,
                turn TEXT NOT NULL
            ) STRICT""",
            """CREATE INDEX telegram_updates_open ON telegram_updates(update_id)
                WHERE state IN ('received', 'answering')""",
            """CREATE TABLE telegram_calls (
                id TEXT NOT NULL PRIMARY KEY,
                chat INTEGER NOT NULL,
                conversation TEXT NOT NULL,
                tool TEXT NOT NULL,
                arguments TEXT NOT NULL,
                refused_at TEXT NOT NULL
            ) STRICT""",
        ),
    ),
    # The triggers that fill the outbox are made when the device joins an account: ``storage/sync/tables.py``.
    Migration(
        number=27,
        name="what is synced with other devices",
        statements=(
            """CREATE TABLE sync_place (
                one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
                account TEXT NOT NULL,
                pulled INTEGER NOT NULL
            ) STRICT""",
            """CREATE TABLE sync_outbox (
                id TEXT NOT NULL PRIMARY KEY,
                of_table TEXT NOT NULL,
                changed INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID""",
            """CREATE TABLE sync_numbers (
                id TEXT NOT NULL PRIMARY KEY,
                number INTEGER NOT NULL,
                part_of TEXT NOT NULL
            ) STRICT, WITHOUT ROWID""",
            "CREATE INDEX sync_numbers_part ON sync_numbers(part_of) WHERE part_of <> ''",
            """CREATE TABLE sync_held (
                id TEXT NOT NULL PRIMARY KEY,
                awaits TEXT NOT NULL,
                number INTEGER NOT NULL,
                content TEXT NOT NULL
            ) STRICT""",
            "CREATE INDEX sync_held_awaits ON sync_held(awaits)",
            """CREATE TABLE sync_texts (
                path TEXT NOT NULL PRIMARY KEY,
                number INTEGER NOT NULL,
                base TEXT NOT NULL
            ) STRICT""",
            """CREATE TABLE sync_differences (
                id INTEGER PRIMARY KEY,
                at TEXT NOT NULL,
                of_table TEXT NOT NULL,
                name TEXT NOT NULL,
                ours TEXT NOT NULL,
                theirs TEXT NOT NULL
            ) STRICT""",
        ),
    ),
    # ``form`` is a ``FlowForm``. ``held`` tells that this device goes on with the flow, ``shared`` that another device
    # may have it, whatever ``sync_texts`` says.
    Migration(
        number=28,
        name="guided flows that were offered to the devices of an account",
        statements=(
            """CREATE TABLE flow_offers (
                flow TEXT NOT NULL PRIMARY KEY,
                session TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
                service TEXT NOT NULL,
                account TEXT NOT NULL,
                form TEXT NOT NULL,
                held INTEGER NOT NULL DEFAULT 0,
                over INTEGER NOT NULL DEFAULT 0,
                shared INTEGER NOT NULL DEFAULT 0
            ) STRICT, WITHOUT ROWID""",
            "CREATE UNIQUE INDEX flow_offers_open ON flow_offers(session, service) WHERE over = 0",
        ),
    ),
)

LATEST = MIGRATIONS[-1].number
"""The newest version of the schema."""
