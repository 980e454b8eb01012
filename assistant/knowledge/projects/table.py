"""The rows of projects, folders, files and passages. All functions run on the database's thread."""

import json
import os
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

from assistant.core.knowledge.files import FileState, KnownFile, Project
from assistant.core.knowledge.passages import Passage
from assistant.knowledge.projects.scanning import Found
from assistant.storage.identities import new_id

WAITING: Final = (FileState.STORED, FileState.READING, FileState.INDEXING)
"""The states of files that the pipeline has yet to finish."""
_WAITING_SQL: Final = "('stored', 'reading', 'indexing')"

_FROM: Final = "files LEFT JOIN folders ON folders.id = files.folder"


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderRow:
    """A folder of a project; ``away`` tells that it cannot be reached, so its files stay as they were."""

    id: int
    project: str
    path: str
    device: int
    away: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRow:
    """A file as it is stored. ``version`` grows with each change that makes it be read or indexed again.

    ``read_digest`` is the digest of the bytes whose text the index has; empty for none.
    """

    id: str
    project: str
    folder: int | None
    place: str
    name: str
    url: str
    state: FileState
    reason: str
    detail: str
    media_type: str
    size: int
    digest: str
    read_digest: str
    characters: int
    tokens: int
    passages: int
    notes: tuple[str, ...]
    changed_at: str
    version: int
    modified_ns: int
    device: int
    inode: int
    root: str | None
    away: bool

    @property
    def path(self) -> str:
        """Where the file lies in the user's folders; empty for a stored copy."""
        return "" if self.root is None else os.path.join(self.root, self.place)  # noqa: PTH118 - no Path in bulk

    @property
    def read_as(self) -> str:
        """The name that tells its kind to a reader. The title of a page of the web tells nothing of its text."""
        return "page.md" if self.url else self.name

    def shown(self) -> KnownFile:
        """As the doors show it."""
        state, reason = self.state, self.reason
        if self.away and not reason:
            reason = "out_of_reach"
        return KnownFile(
            id=self.id,
            name=self.name,
            state=state,
            project=self.project,
            path=_readable(self.path),
            url=self.url,
            media_type=self.media_type,
            size=self.size,
            digest=self.digest,
            reason=reason,
            detail=self.detail,
            characters=self.characters,
            tokens=self.tokens,
            passages=self.passages,
            notes=self.notes,
            changed_at=self.changed_at,
        )


_COLUMNS: Final = tuple(each.name for each in fields(FileRow))
_FILE: Final = ", ".join(
    {"root": "folders.path", "away": "folders.away"}.get(name, f"files.{name}") for name in _COLUMNS
)


def _readable(path: str) -> str:
    return path.encode("utf-8", "replace").decode()


# Projects


def projects(db: sqlite3.Connection, *, removed: bool = False) -> list[Project]:
    """The projects by name, with their numbers."""
    rows = db.execute(
        f"""SELECT projects.id, projects.name, workspace,
            COUNT(files.id) FILTER (WHERE state NOT IN ('failed', 'skipped')),
            COUNT(files.id) FILTER (WHERE state IN {_WAITING_SQL}),
            COUNT(files.id) FILTER (WHERE state = 'failed'),
            COUNT(files.id) FILTER (WHERE state = 'skipped'),
            COALESCE(SUM(tokens), 0), COALESCE(SUM(passages), 0)
        FROM projects LEFT JOIN files ON files.project = projects.id
        WHERE removed = ? GROUP BY projects.id ORDER BY projects.name COLLATE NOCASE, projects.id""",  # noqa: S608
        (int(removed),),
    ).fetchall()
    paths: dict[str, list[str]] = {}
    for each in folders(db):
        paths.setdefault(each.project, []).append(_readable(each.path))
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


# Folders


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


# Files


def _file(row: Sequence[Any]) -> FileRow:
    known = dict(zip(_COLUMNS, row, strict=True))
    root = known["root"]
    return FileRow(
        **{
            **known,
            "place": os.fsdecode(known["place"]),
            "state": FileState(known["state"]),
            "notes": tuple(known["notes"].split()),
            "root": None if root is None else os.fsdecode(root),
            "away": bool(known["away"]),
        }
    )


def file(db: sqlite3.Connection, identity: str) -> FileRow | None:
    """A file by its id."""
    row = db.execute(f"SELECT {_FILE} FROM {_FROM} WHERE files.id = ?", (identity,)).fetchone()  # noqa: S608
    return None if row is None else _file(row)


def files(
    db: sqlite3.Connection, project: str, states: Iterable[FileState] = (), *, after: str = "", limit: int = -1
) -> list[FileRow]:
    """Files of a project by name.

    Args:
        db: the database.
        project: its id.
        states: their states; none for all.
        after: id of the file after which the list goes on; empty for its beginning.
        limit: at most so many; -1 for all.
    """
    chosen = [state.value for state in states]
    marks = ", ".join("?" * len(chosen))
    within = f"AND files.state IN ({marks})" if chosen else ""
    later = "AND (files.name, files.id) > (SELECT name, id FROM files WHERE id = ?)" if after else ""
    rows = db.execute(
        f"""SELECT {_FILE} FROM {_FROM} WHERE files.project = ? {within} {later}
        ORDER BY files.name, files.id LIMIT ?""",  # noqa: S608 - fixed text
        (project, *chosen, *((after,) if after else ()), limit),
    )
    return [_file(row) for row in rows]


def extent(db: sqlite3.Connection, project: str, states: Iterable[FileState]) -> tuple[int, int, int]:
    """Files of a project in these states that have passages: how many, their tokens and their characters."""
    chosen = [state.value for state in states]
    marks = ", ".join("?" * len(chosen))
    files, tokens, characters = db.execute(
        f"""SELECT COUNT(*), COALESCE(SUM(tokens), 0), COALESCE(SUM(characters), 0) FROM files
        WHERE project = ? AND passages > 0 AND state IN ({marks})""",  # noqa: S608 - fixed text
        (project, *chosen),
    ).fetchone()
    return files, tokens, characters


def files_of_folder(db: sqlite3.Connection, folder: int) -> list[FileRow]:
    """All files of a folder."""
    rows = db.execute(f"SELECT {_FILE} FROM {_FROM} WHERE files.folder = ?", (folder,))  # noqa: S608
    return [_file(row) for row in rows]


def add_file(db: sqlite3.Connection, project: str, folder: int | None, found: Found, name: str, at: str) -> str:
    """Add a file that was found; returns its id."""
    identity = new_id()
    db.execute(
        """INSERT INTO files (id, project, folder, place, name, state, reason, size, modified_ns, device, inode,
            changed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            *(identity, project, folder, os.fsencode(found.place), name),
            *(FileState.SKIPPED if found.reason else FileState.STORED, found.reason),
            *(found.size, found.modified_ns, found.device, found.inode, at),
        ),
    )
    return identity


def add_copy(db: sqlite3.Connection, project: str, digest: str, name: str, size: int, at: str) -> str:
    """Add a stored copy; returns its id, that of the same bytes if the project has them."""
    same = f"SELECT {_FILE} FROM {_FROM} WHERE files.project = ? AND folder IS NULL AND url = '' AND place = ?"  # noqa: S608
    if (found := db.execute(same, (project, os.fsencode(digest))).fetchone()) is not None:
        known = _file(found)
        if known.reason == "removed":
            read_again(db, [known])
        return known.id
    return add_file(db, project, None, Found(place=digest, size=size), name, at)


def page(db: sqlite3.Connection, project: str, url: str) -> FileRow | None:
    """The page of the web that a project keeps from an address."""
    found = f"SELECT {_FILE} FROM {_FROM} WHERE files.project = ? AND files.url = ?"  # noqa: S608 - fixed text
    row = db.execute(found, (project, url)).fetchone()
    return None if row is None else _file(row)


def keep_page(db: sqlite3.Connection, project: str, url: str, name: str, digest: str, size: int, at: str) -> str:
    """Keep the text of a page, whose earlier text is searched until the new one is read; returns its id."""
    known = page(db, project, url)
    if known is None:
        made = add_file(db, project, None, Found(place=digest, size=size), name, at)
        db.execute("UPDATE files SET url = ? WHERE id = ?", (url, made))
        return made
    db.execute(
        """UPDATE files SET name = ?, place = ?, size = ?, state = 'stored', reason = '', detail = '',
            changed_at = CASE place WHEN ? THEN changed_at ELSE ? END, version = version + 1 WHERE id = ?""",
        (name, os.fsencode(digest), size, os.fsencode(digest), at, known.id),
    )
    return known.id


def note_page(db: sqlite3.Connection, row: FileRow, reason: str, detail: str) -> None:
    """Note why a page could not be read again. Its text stays."""
    db.execute("UPDATE files SET reason = ?, detail = ? WHERE id = ?", (reason, detail, row.id))


def removed_copies(db: sqlite3.Connection) -> list[FileRow]:
    """The stored copies that were removed and are not erased yet."""
    rows = db.execute(f"SELECT {_FILE} FROM {_FROM} WHERE folder IS NULL AND files.reason = 'removed'")  # noqa: S608
    return [_file(row) for row in rows]


def copies(db: sqlite3.Connection) -> set[str]:
    """Digests of all stored copies."""
    return {os.fsdecode(place) for (place,) in db.execute("SELECT place FROM files WHERE folder IS NULL")}


def change_file(db: sqlite3.Connection, row: FileRow, found: Found, at: str) -> None:
    """Note that a file has other bytes now, or is left alone from now on. Then the index forgets it."""
    db.execute(
        """UPDATE files SET state = ?, reason = ?, detail = '', size = ?, modified_ns = ?, device = ?, inode = ?,
            changed_at = ?, version = version + 1 WHERE id = ?""",
        (
            *(FileState.SKIPPED if found.reason else FileState.STORED, found.reason),
            *(found.size, found.modified_ns, found.device, found.inode, at, row.id),
        ),
    )
    if found.reason:
        _empty(db, row)


def move_file(db: sqlite3.Connection, row: FileRow, folder: int, found: Found, name: str) -> None:
    """Note that a file lies elsewhere, with the same bytes. Its name is indexed again, its text is not read again."""
    state = FileState.INDEXING if row.state in (FileState.READY, FileState.INDEXING) else row.state
    if found.reason:
        state = FileState.SKIPPED
        _empty(db, row)
    elif row.state is FileState.SKIPPED:
        state = FileState.STORED
    db.execute(
        """UPDATE files SET folder = ?, place = ?, name = ?, state = ?, reason = ?, size = ?, modified_ns = ?,
            device = ?, inode = ?, version = version + 1 WHERE id = ?""",
        (
            *(folder, os.fsencode(found.place), name, state, found.reason or row.reason),
            *(found.size, found.modified_ns, found.device, found.inode, row.id),
        ),
    )


def touch_file(db: sqlite3.Connection, row: FileRow, found: Found) -> None:
    """Note new times of a file whose bytes are the same."""
    db.execute(
        "UPDATE files SET size = ?, modified_ns = ?, device = ?, inode = ? WHERE id = ?",
        (found.size, found.modified_ns, found.device, found.inode, row.id),
    )


def remove_file(db: sqlite3.Connection, row: FileRow) -> None:
    """Forget a file."""
    db.execute("INSERT OR IGNORE INTO forgotten VALUES (?, ?)", (row.project, row.id))
    db.execute("DELETE FROM files WHERE id = ?", (row.id,))


def exclude_file(db: sqlite3.Connection, row: FileRow) -> None:
    """Leave a file alone because the user wants it so."""
    db.execute(
        "UPDATE files SET state = 'skipped', reason = 'removed', detail = '', version = version + 1 WHERE id = ?",
        (row.id,),
    )
    _empty(db, row)


def read_again(db: sqlite3.Connection, rows: Iterable[FileRow]) -> None:
    """Let files be read again, whatever came of it before."""
    db.executemany(
        """UPDATE files SET state = 'stored', reason = '', detail = '', digest = '', version = version + 1
        WHERE id = ?""",
        ((row.id,) for row in rows),
    )


def read_scans(db: sqlite3.Connection) -> bool:
    """Let files be read again whose letters could not be recognised; whether there are any."""
    found = db.execute(
        """UPDATE files SET state = 'stored', reason = '', detail = '', digest = '', version = version + 1
        WHERE state = 'failed' AND reason IN ('scanned', 'picture')"""
    )
    return found.rowcount > 0


def _empty(db: sqlite3.Connection, row: FileRow) -> None:
    """A file without text: nothing of it is found any more."""
    db.execute("DELETE FROM passages WHERE file = ?", (row.id,))
    db.execute(
        "UPDATE files SET read_digest = '', characters = 0, tokens = 0, passages = 0, notes = '' WHERE id = ?",
        (row.id,),
    )
    if row.read_digest:
        db.execute("INSERT OR IGNORE INTO forgotten VALUES (?, ?)", (row.project, row.id))


# The pipeline


def next_waiting(db: sqlite3.Connection) -> FileRow | None:
    """The file that is worked on next: one whose text is here first, then the smallest of the others.

    Small files first, so that most of a folder can be searched soon.
    """
    row = db.execute(
        f"""SELECT {_FILE} FROM {_FROM} JOIN projects ON projects.id = files.project
        WHERE files.state IN {_WAITING_SQL} AND projects.removed = 0
            AND (files.state = 'indexing' OR COALESCE(folders.away, 0) = 0)
        ORDER BY files.state = 'indexing' DESC, files.size, files.id LIMIT 1"""  # noqa: S608
    ).fetchone()
    return None if row is None else _file(row)


def ready(db: sqlite3.Connection) -> dict[str, set[str]]:
    """Ids of the files that the index should have, by their project."""
    found = defaultdict[str, set[str]](set)
    for project, file in db.execute(
        """SELECT project, files.id FROM files JOIN projects ON projects.id = project
        WHERE state = 'ready' AND removed = 0"""
    ):
        found[project].add(file)
    return found


def index_again(db: sqlite3.Connection, files: Iterable[str]) -> None:
    """Let files that are ready be indexed again, from the passages that are kept here."""
    db.executemany("UPDATE files SET state = 'indexing' WHERE id = ? AND state = 'ready'", ((each,) for each in files))


def set_state(db: sqlite3.Connection, row: FileRow, state: FileState, *, reason: str = "", detail: str = "") -> bool:
    """Note how far a file is; ``False`` if it was changed or removed meanwhile, so that nothing was noted."""
    changed = db.execute(
        "UPDATE files SET state = ?, reason = ?, detail = ? WHERE id = ? AND version = ?",
        (state, reason, detail, row.id, row.version),
    )
    return changed.rowcount > 0


def set_unreadable(db: sqlite3.Connection, row: FileRow, state: FileState, reason: str, detail: str) -> bool:
    """Note that a file has no text, and why."""
    if not set_state(db, row, state, reason=reason, detail=detail):
        return False
    _empty(db, row)
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFacts:
    """What is known of a file once it was read."""

    digest: str
    media_type: str
    characters: int
    tokens: int
    notes: tuple[str, ...]


def set_passages(db: sqlite3.Connection, row: FileRow, facts: ReadFacts, found: Sequence[Passage]) -> bool:
    """Keep the passages of a file and note that they are being indexed; ``False`` if it has changed meanwhile."""
    if not set_state(db, row, FileState.INDEXING):
        return False
    db.execute(
        """UPDATE files SET digest = ?, media_type = ?, characters = ?, tokens = ?, passages = ?, notes = ?
        WHERE id = ?""",
        (
            *(facts.digest, facts.media_type, facts.characters, facts.tokens, len(found), " ".join(facts.notes)),
            row.id,
        ),
    )
    db.execute("DELETE FROM passages WHERE file = ?", (row.id,))
    db.executemany(
        "INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?, ?)",
        ((row.id, each.number, each.start, each.end, each.page, _headings(each), each.text) for each in found),
    )
    return True


def _headings(passage: Passage) -> str:
    return json.dumps(passage.headings, ensure_ascii=False)


def set_ready(db: sqlite3.Connection, row: FileRow) -> bool:
    """Note that the index has the passages of a file; ``False`` if it has changed meanwhile."""
    if not set_state(db, row, FileState.READY):
        return False
    # The digest is empty while a file is read again.
    db.execute(
        """UPDATE files SET digest = COALESCE(NULLIF(digest, ''), read_digest),
            read_digest = COALESCE(NULLIF(digest, ''), read_digest) WHERE id = ?""",
        (row.id,),
    )
    db.execute("DELETE FROM forgotten WHERE file = ?", (row.id,))
    return True


def forgotten(db: sqlite3.Connection) -> list[tuple[str, str]]:
    """Project and file of what the index has to forget; an empty file for a whole project."""
    return [(project, file) for project, file in db.execute("SELECT project, file FROM forgotten")]


def is_forgotten(db: sqlite3.Connection, project: str, file: str) -> None:
    """Note that the index has forgotten it."""
    db.execute("DELETE FROM forgotten WHERE project = ? AND file = ?", (project, file))


# Passages


def passages(db: sqlite3.Connection, file: str, numbers: Iterable[int] = ()) -> list[Passage]:
    """Passages of a file, in order; all of them without numbers."""
    chosen = tuple(numbers)
    within = f"AND number IN ({', '.join('?' * len(chosen))})" if chosen else ""
    rows = db.execute(
        f"""SELECT number, start, finish, page, headings, text FROM passages WHERE file = ? {within}
        ORDER BY number""",  # noqa: S608 - fixed text
        (file, *chosen),
    )
    return list(_passages(rows))


def _passages(rows: Iterable[Sequence[Any]]) -> Iterator[Passage]:
    for number, start, end, page, headings, text in rows:
        told = tuple(json.loads(headings))
        yield Passage(number=number, start=start, end=end, page=page, headings=told, text=text)
