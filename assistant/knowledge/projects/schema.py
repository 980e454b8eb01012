"""The schema of ``knowledge.db``, as numbered migration steps. A released step never changes."""

from typing import Final

from assistant.storage.migrations.steps import Migration

STEPS: Final = (
    # A path is stored as the bytes that the system uses, because it need not be valid text.
    Migration(
        number=1,
        name="projects, their folders, files and passages",
        statements=(
            """CREATE TABLE projects (
                id TEXT PRIMARY KEY,
                name TEXT NOT NULL,
                workspace TEXT NOT NULL,
                made_at TEXT NOT NULL,
                removed INTEGER NOT NULL DEFAULT 0
            ) STRICT""",
            """CREATE TABLE folders (
                id INTEGER PRIMARY KEY,
                project TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
                path BLOB NOT NULL,
                device INTEGER NOT NULL DEFAULT 0,
                away INTEGER NOT NULL DEFAULT 0,
                UNIQUE (project, path)
            ) STRICT""",
            """CREATE TABLE files (
                id TEXT PRIMARY KEY,
                project TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
                folder INTEGER REFERENCES folders(id) ON DELETE CASCADE,
                place BLOB NOT NULL,
                name TEXT NOT NULL,
                url TEXT NOT NULL DEFAULT '',
                state TEXT NOT NULL,
                reason TEXT NOT NULL DEFAULT '',
                detail TEXT NOT NULL DEFAULT '',
                media_type TEXT NOT NULL DEFAULT '',
                size INTEGER NOT NULL DEFAULT 0,
                modified_ns INTEGER NOT NULL DEFAULT 0,
                device INTEGER NOT NULL DEFAULT 0,
                inode INTEGER NOT NULL DEFAULT 0,
                digest TEXT NOT NULL DEFAULT '',
                read_digest TEXT NOT NULL DEFAULT '',
                characters INTEGER NOT NULL DEFAULT 0,
                tokens INTEGER NOT NULL DEFAULT 0,
                passages INTEGER NOT NULL DEFAULT 0,
                notes TEXT NOT NULL DEFAULT '',
                changed_at TEXT NOT NULL DEFAULT '',
                version INTEGER NOT NULL DEFAULT 0,
                UNIQUE (project, folder, place)
            ) STRICT""",
            "CREATE INDEX files_waiting ON files(state) WHERE state IN ('stored', 'reading', 'indexing')",
            "CREATE INDEX files_project ON files(project, name)",
            """CREATE TABLE passages (
                file TEXT NOT NULL REFERENCES files(id) ON DELETE CASCADE,
                number INTEGER NOT NULL,
                start INTEGER NOT NULL,
                finish INTEGER NOT NULL,
                page INTEGER NOT NULL,
                headings TEXT NOT NULL,
                text TEXT NOT NULL,
                PRIMARY KEY (file, number)
            ) STRICT, WITHOUT ROWID""",
            # What the index is still to forget. It is another file, so no transaction spans both.
            """CREATE TABLE forgotten (
                project TEXT NOT NULL,
                file TEXT NOT NULL,
                PRIMARY KEY (project, file)
            ) STRICT""",
        ),
    ),
    # Among 100,000 files, sorting what waits would take 0.2 s for each file that is read.
    Migration(
        number=2,
        name="files that wait, in the order in which they are read",
        statements=(
            "DROP INDEX files_waiting",
            """CREATE INDEX files_next ON files(state = 'indexing' DESC, size, id)
            WHERE state IN ('stored', 'reading', 'indexing')""",
        ),
    ),
    Migration(
        number=3,
        name="edited files before new ones",
        statements=(
            "DROP INDEX files_next",
            """CREATE INDEX files_next ON files(state = 'indexing' DESC, version > 0 DESC, size, id)
            WHERE state IN ('stored', 'reading', 'indexing')""",
        ),
    ),
    Migration(
        number=4,
        name="when files came and went",
        statements=(
            "ALTER TABLE files ADD COLUMN added_at TEXT NOT NULL DEFAULT ''",
            "UPDATE files SET added_at = changed_at WHERE version = 0",
            """CREATE TABLE gone (
                project TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
                name TEXT NOT NULL,
                added_at TEXT NOT NULL,
                at TEXT NOT NULL
            ) STRICT""",
            "CREATE INDEX gone_project ON gone(project)",
        ),
    ),
)
