"""The rows of projects and of the folders that they follow. All functions run on the database's thread."""

import os
import sqlite3
from dataclasses import dataclass

from assistant.core.knowledge.files import Project
from assistant.knowledge.projects.file_rows import WAITING_SQL, readable
from assistant.storage.identities import new_id


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderRow:
    """A folder of a project; ``away`` tells that it cannot be reached, so its files stay as they were."""

    id: int
    project: str
    path: str
    device: int
    away: bool


def projects(db: sqlite3.Connection, *, removed: bool = False) -> list[Project]:
    """The projects by name, with their numbers."""
    rows = db.execute(
        f"""SELECT projects.id, projects.name, workspace,
            COUNT(files.id) FILTER (WHERE state NOT IN ('failed', 'skipped')),
            COUNT(files.id) FILTER (WHERE state IN {WAITING_SQL}),
            COUNT(files.id) FILTER (WHERE state = 'failed'),
            COUNT(files.id) FILTER (WHERE state = 'skipped'),
            COALESCE(SUM(tokens), 0), COALESCE(SUM(passages), 0)
        FROM projects LEFT JOIN files ON files.project = projects.id
        WHERE removed = ? GROUP BY projects.id ORDER BY projects.name COLLATE NOCASE, projects.id""",  # noqa: S608
        (int(removed),),
    ).fetchall()
    paths: dict[str, list[str]] = {}
    for each in folders(db):
        paths.setdefault(each.project, []).append(readable(each.path))
    return [
        Project(
            id=identity,
            name=name,
            workspace=workspace,
            folders=tuple(paths.get(identity, ())),
            files=files,
            waiting=waiting,
            failed=failed,
            skipped=skipped,
            tokens=tokens,
            passages=passages,
        )
        for identity, name, workspace, files, waiting, failed, skipped, tokens, passages in rows
    ]


def add_project(db: sqlite3.Connection, name: str, workspace: str, at: str) -> str:
    """Make a project; returns its id."""
    identity = new_id()
    insert = "INSERT INTO projects (id, name, workspace, made_at) VALUES (?, ?, ?, ?)"
    db.execute(insert, (identity, name, workspace, at))
    return identity


def name_taken(db: sqlite3.Connection, name: str, workspace: str) -> bool:
    """Whether the workspace has a project of this name."""
    found = "SELECT 1 FROM projects WHERE name = ? COLLATE NOCASE AND workspace = ? AND removed = 0"
    return db.execute(found, (name, workspace)).fetchone() is not None


def rename_project(db: sqlite3.Connection, project: str, name: str) -> None:
    """Give a project another name."""
    db.execute("UPDATE projects SET name = ? WHERE id = ?", (name, project))


def set_removed(db: sqlite3.Connection, project: str, *, removed: bool) -> bool:
    """Hide a project, or show it again; whether there is one to which this applies."""
    changed = db.execute(
        "UPDATE projects SET removed = ? WHERE id = ? AND removed = ?", (int(removed), project, int(not removed))
    )
    return changed.rowcount > 0


def removed_projects(db: sqlite3.Connection) -> list[str]:
    """Ids of the projects that were removed and are not erased yet."""
    return [identity for (identity,) in db.execute("SELECT id FROM projects WHERE removed = 1")]


def erase_project(db: sqlite3.Connection, project: str) -> None:
    """Erase a project with all that is known of its files; ``secure_delete`` overwrites it."""
    db.execute("INSERT OR IGNORE INTO forgotten VALUES (?, '')", (project,))
    db.execute("DELETE FROM projects WHERE id = ?", (project,))


def folders(db: sqlite3.Connection, project: str = "") -> list[FolderRow]:
    """The folders of a project, or of all projects that are not removed."""
    where, values = ("project = ?", (project,)) if project else ("1", ())
    rows = db.execute(
        f"""SELECT folders.id, project, path, device, away FROM folders JOIN projects ON projects.id = project
        WHERE removed = 0 AND {where} ORDER BY folders.id""",  # noqa: S608 - fixed text
        values,
    )
    return [
        FolderRow(id=identity, project=of, path=os.fsdecode(path), device=device, away=bool(away))
        for identity, of, path, device, away in rows
    ]


def add_folder(db: sqlite3.Connection, project: str, path: str) -> None:
    """Let a project follow a folder."""
    db.execute("INSERT OR IGNORE INTO folders (project, path) VALUES (?, ?)", (project, os.fsencode(path)))


def set_reach(db: sqlite3.Connection, folder: int, device: int, *, away: bool) -> None:
    """Note whether a folder can be reached; ``device`` is its file system, 0 to leave it."""
    db.execute(
        "UPDATE folders SET away = ?, device = CASE WHEN ? THEN ? ELSE device END WHERE id = ?",
        (int(away), device, device, folder),
    )


def remove_folder(db: sqlite3.Connection, folder: FolderRow) -> None:
    """Follow a folder no longer, and forget its files."""
    db.execute(
        "INSERT OR IGNORE INTO forgotten SELECT project, id FROM files WHERE folder = ?",
        (folder.id,),
    )
    db.execute("DELETE FROM folders WHERE id = ?", (folder.id,))
