"""What came, changed and went in projects lately. All functions run on the database's thread."""

import sqlite3
from typing import Final

from assistant.core.knowledge.files import FilesOfChange, ProjectChanges

_KEPT_DAYS: Final = 31
"""Days for which the names of files that went are kept."""
_NAMES: Final = 3
_RECENT: Final = "julianday({0}) >= julianday(:since)"
# Times may have different offsets, so they are compared as times.
_BEFORE: Final = "(added_at = '' OR julianday(added_at) < julianday(:since))"
_CAME: Final = f"files WHERE project = :project AND state <> 'skipped' AND {_RECENT.format('added_at')}"
_CHANGED: Final = (
    f"files WHERE project = :project AND state <> 'skipped' AND {_RECENT.format('changed_at')} AND {_BEFORE}"
)
_WENT: Final = f"gone WHERE project = :project AND {_RECENT.format('at')} AND {_BEFORE}"


def note_gone(db: sqlite3.Connection, file: str, at: str) -> None:
    """Note that a file goes, before its row does. What was left alone is not noted, but a copy that was removed is."""
    db.execute(
        """INSERT INTO gone SELECT project, name, added_at, ? FROM files
        WHERE id = ? AND (state <> 'skipped' OR folder IS NULL)""",
        (at, file),
    )


def forget_gone(db: sqlite3.Connection, at: str) -> None:
    """Forget what went long ago."""
    db.execute("DELETE FROM gone WHERE julianday(at) < julianday(?) - ?", (at, _KEPT_DAYS))


def changes_since(db: sqlite3.Connection, workspace: str, since: str) -> list[ProjectChanges]:
    """What has changed in the projects of a workspace, by name; those without a change are left out.

    Args:
        db: the database.
        workspace: its name.
        since: the time, ISO 8601 with offset.
    """
    found = []
    projects = "SELECT id, name FROM projects WHERE workspace = ? AND removed = 0 ORDER BY name COLLATE NOCASE, id"
    for identity, name in db.execute(projects, (workspace,)).fetchall():
        values = {"project": identity, "since": since, "most": _NAMES}
        came, changed = _files(db, _CAME, "added_at", values), _files(db, _CHANGED, "changed_at", values)
        went = _files(db, _WENT, "at", values)
        if came.count or changed.count or went.count:
            found.append(ProjectChanges(project=name, added=came, changed=changed, removed=went))
    return found


def _files(db: sqlite3.Connection, of: str, at: str, values: dict[str, str | int]) -> FilesOfChange:
    (count,) = db.execute(f"SELECT COUNT(*) FROM {of}", values).fetchone()  # noqa: S608 - fixed text
    named = f"SELECT name FROM {of} ORDER BY julianday({at}) DESC, name LIMIT :most"  # noqa: S608 - as above
    return FilesOfChange(count, tuple(name for (name,) in db.execute(named, values)) if count else ())
