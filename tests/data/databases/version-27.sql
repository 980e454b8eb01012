-- Version 27: what is synced with other devices.
BEGIN TRANSACTION;
-- What earlier steps left behind: sqlite_sequence.
CREATE TABLE counted (position INTEGER PRIMARY KEY AUTOINCREMENT);
DROP TABLE counted;
CREATE TABLE attachments (
                message TEXT NOT NULL REFERENCES messages(id) ON DELETE CASCADE,
                position INTEGER NOT NULL,
                mime_type TEXT NOT NULL,
                name TEXT NOT NULL,
                data BLOB NOT NULL,
                PRIMARY KEY (message, position)
            ) STRICT;
INSERT INTO "attachments" VALUES('m9',0,'image/png','꽃.png',X'89504E470D0A1A0A0000666C6F776572');
INSERT INTO "attachments" VALUES('m9',1,'text/plain','plants.txt',X'EBACB4ED9994EAB3BC');
CREATE TABLE audit (
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
            ) STRICT;
CREATE TABLE base_prompts (
                id TEXT NOT NULL PRIMARY KEY,
                device INTEGER NOT NULL REFERENCES devices(number),
                revision INTEGER NOT NULL,
                added INTEGER NOT NULL,
                changed INTEGER NOT NULL,
                changed_by INTEGER NOT NULL REFERENCES devices(number),
                language TEXT NOT NULL,
                text TEXT NOT NULL
            ) STRICT;
CREATE TABLE "conversations" (
    id TEXT NOT NULL PRIMARY KEY,
    device INTEGER NOT NULL REFERENCES devices(number),
    revision INTEGER NOT NULL,
    added INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    changed_by INTEGER NOT NULL REFERENCES devices(number)
,
    created_at TEXT NOT NULL,
    model TEXT NOT NULL DEFAULT '',
    summary TEXT NOT NULL DEFAULT '',
    summarised_until TEXT NOT NULL DEFAULT '',
    title TEXT NOT NULL DEFAULT '',
    titled_by TEXT NOT NULL DEFAULT '',
    deleted_at TEXT NOT NULL DEFAULT ''
, workspace TEXT NOT NULL DEFAULT 'default', agent TEXT NOT NULL DEFAULT 'sori', branched_from TEXT NOT NULL DEFAULT '', outside INTEGER NOT NULL DEFAULT 0, told_bits REAL NOT NULL DEFAULT 0, pinned INTEGER NOT NULL DEFAULT 0, project TEXT NOT NULL DEFAULT '') STRICT;
INSERT INTO "conversations" VALUES('garden',1,1,117362707660800000,117362707660800000,1,'2026-10-01T09:00:00+09:00','acme/m','- 화분에 물 주기를 물었다.','m3','화분 물 주기','model','','default','sori','',1,0.0,0,'');
INSERT INTO "conversations" VALUES('empty',1,1,117368369971200000,117368369971200000,1,'2026-10-02T09:00:00+09:00','','','','','','','default','sori','',1,0.0,0,'');
INSERT INTO "conversations" VALUES('trip',1,1,117368611799040000,117368611799040000,1,'2026-10-02T10:01:30+09:00','','','','봄 여행','user','','default','sori','',1,0.0,0,'');
INSERT INTO "conversations" VALUES('secret',1,1,117368619663360000,117368619663360000,1,'2026-10-02T10:03:30+09:00','','','','','','2026-10-02T10:05:00+09:00','default','sori','',1,0.0,0,'');
CREATE TABLE devices (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE) STRICT;
INSERT INTO "devices" VALUES(1,'019b4f6a1c0070008000000000000001');
CREATE TABLE egress (
                id INTEGER PRIMARY KEY,
                at TEXT NOT NULL,
                destination TEXT NOT NULL,
                local INTEGER NOT NULL,
                purpose TEXT NOT NULL,
                provider TEXT NOT NULL,
                bytes INTEGER NOT NULL,
                data TEXT NOT NULL
            , shape TEXT NOT NULL DEFAULT '') STRICT;
INSERT INTO "egress" VALUES(1,'2026-10-02T01:00:03+00:00','api.acme.example',0,'chat','acme',812,'conversation','');
CREATE TABLE exchanges (
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
            , uid TEXT NOT NULL DEFAULT '', partial INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO "exchanges" VALUES(1,'2026-10-02T01:00:04+00:00','garden','acme','m',12,9,0,21,310.0,900.0,1,0,'complete',0.0002,'0f3c6f3a5d0e4a7fae3f3f2d8f1a9b77',0);
CREATE TABLE flow_sessions (
                session TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
                service TEXT NOT NULL,
                standing TEXT NOT NULL,
                state TEXT NOT NULL,
                memory TEXT NOT NULL,
                changed_at TEXT NOT NULL,
                PRIMARY KEY (session, service)
            ) STRICT, WITHOUT ROWID;
CREATE TABLE flow_steps (
                key TEXT NOT NULL PRIMARY KEY,
                session TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
                service TEXT NOT NULL,
                step TEXT NOT NULL,
                digest TEXT NOT NULL,
                begun_at TEXT NOT NULL,
                outcome TEXT NOT NULL DEFAULT 'unknown',
                text TEXT NOT NULL DEFAULT ''
            ) STRICT, WITHOUT ROWID;
CREATE TABLE hybrid_clock (one INTEGER PRIMARY KEY CHECK (one = 1), last INTEGER NOT NULL) STRICT;
INSERT INTO "hybrid_clock" VALUES(1,117368621629440002);
CREATE TABLE "messages" (
    id TEXT NOT NULL PRIMARY KEY,
    device INTEGER NOT NULL REFERENCES devices(number),
    revision INTEGER NOT NULL,
    added INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    changed_by INTEGER NOT NULL REFERENCES devices(number)
,
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
, parent TEXT NOT NULL DEFAULT '', shown INTEGER NOT NULL DEFAULT 1, own_words TEXT, error_text TEXT NOT NULL DEFAULT '', turn TEXT NOT NULL DEFAULT '', citations TEXT NOT NULL DEFAULT '[]') STRICT;
INSERT INTO "messages" VALUES('m1',1,1,117368605900800000,117368605900800000,1,'garden','voice','user','화분에 물은 며칠마다 줘야 해?','',NULL,'complete','','','','[]','','{}','[]',0,'2026-10-02T10:00:00+09:00','',1,'','','','[]');
INSERT INTO "messages" VALUES('m2',1,1,117368606162944000,117368606162944000,1,'garden','text','assistant','하루에 한 번','',NULL,'incomplete','server','acme','m','[]','','{}','[]',1,'2026-10-02T10:00:04+09:00','m1',1,NULL,'','','[]');
INSERT INTO "messages" VALUES('m3',1,1,117368609832960000,117368609832960000,1,'garden','text','assistant','흙이 마르면 주세요. 겨울에는 덜 주세요.','식물의 종류를 모른다.','흙이 마르면 주세요.','interrupted','','acme','m','[]','','{"input": 12, "output": 9}','[{"kind": "thought", "data": "c2ln"}]',0,'2026-10-02T10:01:00+09:00','m2',1,NULL,'','','[]');
INSERT INTO "messages" VALUES('m4',1,1,117368613765120000,117368613765120000,1,'trip','text','user','Where is it warm in March?','',NULL,'complete','','','','[]','','{}','[]',0,'2026-10-02T10:02:00+09:00','',1,'','','','[]');
INSERT INTO "messages" VALUES('m5',1,1,117368615731200000,117368615731200000,1,'trip','text','assistant','','',NULL,'complete','','acme','m','[{"id": "1", "name": "current_time", "arguments": {"timezone": "Asia/Seoul"}}]','','{}','[]',0,'2026-10-02T10:02:30+09:00','m4',1,NULL,'','','[]');
INSERT INTO "messages" VALUES('m6',1,1,117368615796736000,117368615796736000,1,'trip','text','tool','10:02','',NULL,'complete','','','','[]','1','{}','[]',0,'2026-10-02T10:02:31+09:00','m5',1,NULL,'','','[]');
INSERT INTO "messages" VALUES('m7',1,1,117368617697280000,117368617697280000,1,'trip','text','assistant','On the south coast. 🌊','',NULL,'complete','','acme','m','[]','','{}','[]',0,'2026-10-02T10:03:00+09:00','m6',1,NULL,'','','[]');
INSERT INTO "messages" VALUES('m8',1,1,117368621629440000,117368621629440000,1,'secret','text','user','아무에게도 말하지 마','',NULL,'complete','','','','[]','','{}','[]',0,'2026-10-02T10:04:00+09:00','',1,'','','','[]');
INSERT INTO "messages" VALUES('m9',1,1,117368621629440001,117368621629440001,1,'garden','text','user','사진 속 이 꽃은 뭐야? "O''Keeffe"','',NULL,'complete','','','','[]','','{}','[]',0,'2026-10-02T09:10:00+09:00','m3',1,'','','','[]');
INSERT INTO "messages" VALUES('m10',1,1,117368621629440002,117368621629440002,1,'garden','text','assistant','붉은 꽃은','',NULL,'streaming','','acme','m','[]','','{}','[]',0,'2026-10-02T09:10:05+09:00','m9',1,NULL,'','','[]');
CREATE TABLE migrations (
            number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL
        ) STRICT;
INSERT INTO "migrations" VALUES(1,'conversations, timers, traces','2026-10-01T09:00:00+09:00');
INSERT INTO "migrations" VALUES(2,'attachments, signatures, chosen models, summaries, exchanges, egress','2026-10-01T09:00:00+09:00');
INSERT INTO "migrations" VALUES(3,'exchanges that are kept from their beginning','2026-10-01T09:00:00+09:00');
INSERT INTO "migrations" VALUES(4,'titles, deleted and opened conversations, timers that ring','2026-10-01T09:00:00+09:00');
INSERT INTO "migrations" VALUES(5,'traces of turns that are named by UUIDs','2026-10-01T09:00:00+09:00');
INSERT INTO "migrations" VALUES(6,'rows with device, revision and hybrid logical time; tombstones','2026-10-01T09:00:00+09:00');
INSERT INTO "migrations" VALUES(7,'times of rows as integers, devices by number','2026-11-22T15:05:00+09:00');
INSERT INTO "migrations" VALUES(8,'the user''s base prompts','2026-11-22T15:05:00+09:00');
INSERT INTO "migrations" VALUES(9,'the workspace and the agent of each conversation','2026-11-22T15:05:00+09:00');
INSERT INTO "migrations" VALUES(10,'alarms and reminders beside timers','2026-10-01T09:00:00+09:00');
INSERT INTO "migrations" VALUES(11,'an index for the search of messages','2026-10-01T09:00:00+09:00');
INSERT INTO "migrations" VALUES(12,'the audit log of tool calls','2026-10-01T09:00:00+09:00');
INSERT INTO "migrations" VALUES(13,'versions of messages, and conversations that branch off another','2026-10-01T09:00:00+09:00');
INSERT INTO "migrations" VALUES(14,'alarms that recur by rules of RFC 5545','2026-11-25T00:00:00+00:00');
INSERT INTO "migrations" VALUES(15,'whether a conversation has content from outside, and how much its calls have told','2026-11-22T15:05:00+09:00');
INSERT INTO "migrations" VALUES(16,'which words of a message are the user''s own','2026-11-22T15:05:00+09:00');
INSERT INTO "migrations" VALUES(17,'how the user was told of the error of a message','2026-01-01T00:00:00+00:00');
INSERT INTO "migrations" VALUES(18,'the turn that stored a message','2026-11-26T00:00:00+00:00');
INSERT INTO "migrations" VALUES(19,'the shape of each request that left','2026-01-01T00:00:00+00:00');
INSERT INTO "migrations" VALUES(20,'conversations that stay at the top of the list','2026-11-26T00:00:00+00:00');
INSERT INTO "migrations" VALUES(21,'the project that a conversation is about','2026-01-01T00:00:00+00:00');
INSERT INTO "migrations" VALUES(22,'what answers cite','2026-01-01T00:00:00+00:00');
INSERT INTO "migrations" VALUES(23,'the people whom the user knows','2026-11-26T12:00:00+00:00');
INSERT INTO "migrations" VALUES(24,'sessions and execution steps of guided flows','2026-11-26T00:00:00+00:00');
INSERT INTO "migrations" VALUES(25,'requests that are carried out at a time','2026-11-26T00:00:00+00:00');
INSERT INTO "migrations" VALUES(26,'the Telegram bot, its updates, linked chats and calls that only the app may run','2026-11-26T12:00:00+00:00');
INSERT INTO "migrations" VALUES(27,'what is synced with other devices','2026-11-26T12:00:00+00:00');
CREATE TABLE opened (
        conversation TEXT NOT NULL PRIMARY KEY REFERENCES conversations(id) ON DELETE CASCADE,
        number INTEGER NOT NULL
    ) STRICT;
INSERT INTO "opened" VALUES('garden',1);
INSERT INTO "opened" VALUES('trip',3);
INSERT INTO "opened" VALUES('secret',2);
CREATE TABLE people (
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
            ) STRICT;
CREATE TABLE search_blocks (
                block INTEGER PRIMARY KEY,
                anchor INTEGER NOT NULL,
                anchor_id TEXT NOT NULL,
                parts TEXT NOT NULL,
                stale INTEGER NOT NULL DEFAULT 0
            ) STRICT;
CREATE TABLE search_slices (
                slice INTEGER NOT NULL,
                block INTEGER NOT NULL,
                bits BLOB NOT NULL,
                PRIMARY KEY (slice, block)
            ) STRICT, WITHOUT ROWID;
CREATE TABLE sync_differences (
                id INTEGER PRIMARY KEY,
                at TEXT NOT NULL,
                of_table TEXT NOT NULL,
                name TEXT NOT NULL,
                ours TEXT NOT NULL,
                theirs TEXT NOT NULL
            ) STRICT;
CREATE TABLE sync_held (
                id TEXT NOT NULL PRIMARY KEY,
                awaits TEXT NOT NULL,
                number INTEGER NOT NULL,
                content TEXT NOT NULL
            ) STRICT;
CREATE TABLE sync_numbers (
                id TEXT NOT NULL PRIMARY KEY,
                number INTEGER NOT NULL,
                part_of TEXT NOT NULL
            ) STRICT, WITHOUT ROWID;
CREATE TABLE sync_outbox (
                id TEXT NOT NULL PRIMARY KEY,
                of_table TEXT NOT NULL,
                changed INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
CREATE TABLE sync_place (
                one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
                account TEXT NOT NULL,
                pulled INTEGER NOT NULL
            ) STRICT;
CREATE TABLE sync_texts (
                path TEXT NOT NULL PRIMARY KEY,
                number INTEGER NOT NULL,
                base TEXT NOT NULL
            ) STRICT;
CREATE TABLE telegram_bot (
                only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
                bot INTEGER NOT NULL,
                username TEXT NOT NULL,
                name TEXT NOT NULL
            ) STRICT;
CREATE TABLE telegram_calls (
                id TEXT NOT NULL PRIMARY KEY,
                chat INTEGER NOT NULL,
                conversation TEXT NOT NULL,
                tool TEXT NOT NULL,
                arguments TEXT NOT NULL,
                refused_at TEXT NOT NULL
            ) STRICT;
CREATE TABLE telegram_chats (
                chat INTEGER NOT NULL PRIMARY KEY,
                name TEXT NOT NULL,
                workspace TEXT NOT NULL,
                agent TEXT NOT NULL,
                conversation TEXT NOT NULL,
                linked_at TEXT NOT NULL
            ) STRICT;
CREATE TABLE telegram_code (
                only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
                digest TEXT NOT NULL,
                workspace TEXT NOT NULL,
                agent TEXT NOT NULL,
                until TEXT NOT NULL,
                wrong TEXT NOT NULL
            ) STRICT;
CREATE TABLE telegram_updates (
                update_id INTEGER NOT NULL PRIMARY KEY,
                chat INTEGER NOT NULL,
                content TEXT NOT NULL,
                sent_at TEXT NOT NULL,
                state TEXT NOT NULL,
                turn TEXT NOT NULL
            ) STRICT;
CREATE TABLE "timers" (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    language TEXT NOT NULL,
    duration_s REAL NOT NULL,
    due_at TEXT NOT NULL,
    created_at TEXT NOT NULL,
    rang_at TEXT NOT NULL DEFAULT '',
    device INTEGER NOT NULL REFERENCES devices(number)
, kind TEXT NOT NULL DEFAULT 'timer', repeats TEXT NOT NULL DEFAULT '', job TEXT NOT NULL DEFAULT '') STRICT;
INSERT INTO "timers" VALUES('t1','pasta','en',600.0,'2026-11-22T15:15:00+09:00','2026-11-22T15:05:00+09:00','',1,'timer','','');
INSERT INTO "timers" VALUES('t2','라면','ko',180.0,'2026-11-22T15:04:00+09:00','2026-11-22T15:01:00+09:00','2026-11-22T15:04:00+09:00',1,'timer','','');
INSERT INTO "timers" VALUES('t3','','ko',57300.0,'2026-11-23T07:00:00+09:00','2026-11-22T15:05:00+09:00','',1,'alarm','DTSTART:20261123T070000
RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR','');
INSERT INTO "timers" VALUES('t4','약 먹기','ko',18000.0,'2026-11-22T20:05:00+09:00','2026-11-22T15:05:00+09:00','',1,'reminder','DTSTART:20261122T200500
RRULE:FREQ=DAILY','');
CREATE TABLE "tombstones" (
    id TEXT NOT NULL PRIMARY KEY,
    of_table TEXT NOT NULL,
    device INTEGER NOT NULL REFERENCES devices(number),
    revision INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    changed_by INTEGER NOT NULL REFERENCES devices(number)
) STRICT;
CREATE TABLE "traces" (
                id INTEGER PRIMARY KEY,
                conversation TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
                turn TEXT NOT NULL,
                saved_at TEXT NOT NULL,
                events TEXT NOT NULL
            ) STRICT;
INSERT INTO "traces" VALUES(1,'garden','1','2026-10-02T10:01:00+09:00','[{"t": 0.4, "event": "wake"}]');
INSERT INTO "traces" VALUES(2,'garden','2','2026-10-02T09:10:05+09:00','[{"t": 9.1, "event": "transcript", "text": "이 꽃은 뭐야?"}]');
CREATE INDEX exchanges_at ON exchanges(at);
CREATE INDEX egress_at ON egress(at);
CREATE UNIQUE INDEX exchanges_uid ON exchanges(uid);
CREATE INDEX traces_conversation ON traces(conversation, id);
CREATE INDEX audit_conversation ON audit(conversation);
CREATE INDEX messages_conversation ON messages(conversation, added);
CREATE INDEX messages_streaming ON messages(completion) WHERE completion = 'streaming';
CREATE TRIGGER search_after_insert AFTER INSERT ON messages BEGIN
                UPDATE search_blocks SET stale = 1 WHERE block = new.rowid >> 10 AND stale = 0;
            END;
CREATE TRIGGER search_after_update AFTER UPDATE OF text ON messages WHEN new.text IS NOT old.text BEGIN
                UPDATE search_blocks SET stale = 1 WHERE block = old.rowid >> 10 AND stale = 0;
            END;
CREATE TRIGGER search_after_delete AFTER DELETE ON messages BEGIN
                UPDATE search_blocks SET stale = 1 WHERE block = old.rowid >> 10 AND stale = 0;
            END;
CREATE INDEX messages_hidden ON messages(conversation) WHERE shown = 0;
CREATE INDEX flow_sessions_standing ON flow_sessions(standing, changed_at);
CREATE INDEX flow_steps_session ON flow_steps(session);
CREATE INDEX telegram_updates_open ON telegram_updates(update_id)
                WHERE state IN ('received', 'answering');
CREATE INDEX sync_numbers_part ON sync_numbers(part_of) WHERE part_of <> '';
CREATE INDEX sync_held_awaits ON sync_held(awaits);
DELETE FROM "sqlite_sequence";
COMMIT;
