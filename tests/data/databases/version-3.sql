BEGIN TRANSACTION;
CREATE TABLE attachments (
                message TEXT NOT NULL REFERENCES messages(id) ON DELETE CASCADE,
                position INTEGER NOT NULL,
                mime_type TEXT NOT NULL,
                name TEXT NOT NULL,
                data BLOB NOT NULL,
                PRIMARY KEY (message, position)
            ) STRICT;
INSERT INTO "attachments" VALUES('m1',0,'text/plain','plants.txt',X'6669637573');
CREATE TABLE conversations (
                position INTEGER PRIMARY KEY AUTOINCREMENT,
                id TEXT NOT NULL UNIQUE,
                created_at TEXT NOT NULL
            , model TEXT NOT NULL DEFAULT '', summary TEXT NOT NULL DEFAULT '', summarised_until TEXT NOT NULL DEFAULT '') STRICT;
INSERT INTO "conversations" VALUES(1,'garden','2026-10-01T09:00:00+09:00','','','');
INSERT INTO "conversations" VALUES(2,'empty','2026-10-02T09:00:00+09:00','','','');
INSERT INTO "conversations" VALUES(3,'trip','2026-10-03T09:00:00+09:00','','','');
CREATE TABLE egress (
                id INTEGER PRIMARY KEY,
                at TEXT NOT NULL,
                destination TEXT NOT NULL,
                local INTEGER NOT NULL,
                purpose TEXT NOT NULL,
                provider TEXT NOT NULL,
                bytes INTEGER NOT NULL,
                data TEXT NOT NULL
            ) STRICT;
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
CREATE TABLE messages (
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
            , signatures TEXT NOT NULL DEFAULT '[]', superseded INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO "messages" VALUES(1,'m1','garden','text','user','화분에 물은 며칠마다 줘야 해?','',NULL,'complete','','','','[]','','{}','2026-10-02T10:00:00+09:00','[]',0);
INSERT INTO "messages" VALUES(2,'m2','garden','text','assistant','흙이 마르면 주세요.','',NULL,'complete','','','','[]','','{}','2026-10-02T10:01:00+09:00','[]',0);
INSERT INTO "messages" VALUES(3,'m3','trip','text','user','Where is it warm in March?','',NULL,'complete','','','','[]','','{}','2026-10-02T10:02:00+09:00','[]',0);
INSERT INTO "messages" VALUES(4,'m4','trip','text','assistant','On the south coast.','',NULL,'complete','','','','[]','','{}','2026-10-02T10:03:00+09:00','[]',0);
CREATE TABLE migrations (
            number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL
        ) STRICT;
INSERT INTO "migrations" VALUES(1,'conversations, timers, traces','2026-11-22T15:05:00+09:00');
INSERT INTO "migrations" VALUES(2,'attachments, signatures, chosen models, summaries, exchanges, egress','2026-11-22T15:05:00+09:00');
INSERT INTO "migrations" VALUES(3,'exchanges that are kept from their beginning','2026-11-22T15:05:00+09:00');
CREATE TABLE timers (
                id TEXT PRIMARY KEY,
                name TEXT NOT NULL,
                language TEXT NOT NULL,
                duration_s REAL NOT NULL,
                due_at TEXT NOT NULL,
                created_at TEXT NOT NULL
            ) STRICT;
INSERT INTO "timers" VALUES('t1','pasta','en',600.0,'2026-11-22T15:15:00+09:00','2026-11-22T15:05:00+09:00');
CREATE TABLE traces (
                id INTEGER PRIMARY KEY,
                conversation TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
                turn INTEGER NOT NULL,
                saved_at TEXT NOT NULL,
                events TEXT NOT NULL
            ) STRICT;
CREATE INDEX messages_conversation ON messages(conversation, position);
CREATE INDEX messages_streaming ON messages(completion) WHERE completion = 'streaming';
CREATE INDEX traces_conversation ON traces(conversation, id);
CREATE INDEX exchanges_at ON exchanges(at);
CREATE INDEX egress_at ON egress(at);
CREATE UNIQUE INDEX exchanges_uid ON exchanges(uid);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('conversations',3);
INSERT INTO "sqlite_sequence" VALUES('messages',4);
COMMIT;
