"""What several devices have in common of projects: their list. All functions run on the database's thread.

Folders, files and what is known of them stay on each device.
"""

import json
import sqlite3
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedProject:
    """What devices have in common of a project.

    Attributes:
        name: its name.
        workspace: name of its workspace.
        made_at: when it was made, ISO 8601 with offset.
    """

    name: str
    workspace: str
    made_at: str

    @property
    def text(self) -> str:
        """As JSON, always the same for the same content."""
        return json.dumps(asdict(self), ensure_ascii=False, sort_keys=True)

    @classmethod
    def of(cls, text: str) -> "SharedProject":
        """The project that a text describes.

        Raises:
            ValueError: it is none that this Sori knows.
        """
        try:
            project = cls(**json.loads(text))
        except TypeError as error:
            raise ValueError(str(error)) from error
        if not all(isinstance(each, str) and each for each in asdict(project).values()):
            raise ValueError("a part is missing")
        return project


class StillUsedError(Exception):
    """Another device has removed a project that has folders or files here."""


def shared_projects(db: sqlite3.Connection) -> dict[str, SharedProject]:
    """The projects by id."""
    rows = db.execute("SELECT id, name, workspace, made_at FROM projects WHERE removed = 0")
    return {
        identity: SharedProject(name=name, workspace=workspace, made_at=made_at)
        for identity, name, workspace, made_at in rows
    }


def put_project(
    db: sqlite3.Connection, identity: str, project: SharedProject | None, before: SharedProject | None
) -> bool:
    """Take over a project; whether it was still as ``before``. Nothing has changed otherwise.

    Args:
        db: the database.
        identity: its id.
        project: as it is on another device; ``None`` for one that was removed there.
        before: as it was here; ``None`` for not at all.

    Raises:
        StillUsedError: it was removed there, and has folders or files here.
    """
    if shared_projects(db).get(identity) != before:
        return False
    if project is None:
        for table in ("folders", "files"):
            if db.execute(f"SELECT 1 FROM {table} WHERE project = ?", (identity,)).fetchone():  # noqa: S608 - constants
                raise StillUsedError(identity)
        db.execute("UPDATE projects SET removed = 1 WHERE id = ?", (identity,))
        return True
    db.execute(
        "INSERT INTO projects (id, name, workspace, made_at) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE"
        " SET name = excluded.name, workspace = excluded.workspace, made_at = excluded.made_at, removed = 0",
        (identity, project.name, project.workspace, project.made_at),
    )
    return True
