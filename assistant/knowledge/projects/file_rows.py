"""The rows of files. All functions run on the database's thread."""

import os
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

from assistant.core.knowledge.files import FileState, KnownFile
from assistant.core.knowledge.texts import RECOGNISED, SCANNED_PAGES
from assistant.knowledge.projects.changes import note_gone
from assistant.knowledge.projects.scanning import Found
from assistant.knowledge.reading.reader import UNRECOGNISED
from assistant.storage.identities import new_id

WAITING_SQL: Final = "('stored', 'reading', 'indexing')"
"""The states of files that the pipeline has yet to finish."""
_AGAIN_SQL: Final = "UPDATE files SET state = 'stored', reason = '', detail = '', digest = ''"
FROM: Final = "files LEFT JOIN folders ON folders.id = files.folder"


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

    @property
    def lacks_letters(self) -> bool:
        """Whether it has pages or pictures in which nothing has looked for letters yet."""
        return SCANNED_PAGES in self.notes and RECOGNISED not in self.notes

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
            path=readable(self.path),
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
COLUMNS_SQL: Final = ", ".join(
    {"root": "folders.path", "away": "folders.away"}.get(name, f"files.{name}") for name in _COLUMNS
)


def readable(path: str) -> str:
    """A path for people; bytes that are no text are replaced."""
    return path.encode("utf-8", "replace").decode()


def file_of(row: Sequence[Any]) -> FileRow:
    """A file of a row of ``COLUMNS_SQL``."""
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
    row = db.execute(f"SELECT {COLUMNS_SQL} FROM {FROM} WHERE files.id = ?", (identity,)).fetchone()  # noqa: S608
    return None if row is None else file_of(row)


def files(
    db: sqlite3.Connection, project: str, states: Iterable[FileState] = (), *, after: str = "", limit: int = -1
) -> list[FileRow]:
    """Files of a project: those that failed, then those that are skipped, then the others, each by name.

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
    order = "(files.state <> 'failed') + (files.state NOT IN ('failed', 'skipped')), files.name, files.id"
    later = f"AND ({order}) > (SELECT {order} FROM files WHERE id = ?)" if after else ""  # noqa: S608 - fixed text
    rows = db.execute(
        f"""SELECT {COLUMNS_SQL} FROM {FROM} WHERE files.project = ? {within} {later}
        ORDER BY {order} LIMIT ?""",  # noqa: S608 - fixed text
        (project, *chosen, *((after,) if after else ()), limit),
    )
    return [file_of(row) for row in rows]


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
    rows = db.execute(f"SELECT {COLUMNS_SQL} FROM {FROM} WHERE files.folder = ?", (folder,))  # noqa: S608
    return [file_of(row) for row in rows]


def add_file(db: sqlite3.Connection, project: str, folder: int | None, found: Found, name: str, at: str) -> str:
    """Add a file that was found; returns its id."""
    identity = new_id()
    db.execute(
        """INSERT INTO files (id, project, folder, place, name, state, reason, size, modified_ns, device, inode,
            changed_at, added_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            *(identity, project, folder, os.fsencode(found.place), name),
            *(FileState.SKIPPED if found.reason else FileState.STORED, found.reason),
            *(found.size, found.modified_ns, found.device, found.inode, at, at),
        ),
    )
    return identity


def add_copy(db: sqlite3.Connection, project: str, digest: str, name: str, size: int, at: str) -> str:
    """Add a stored copy; returns its id, that of the same bytes if the project has them."""
    same = f"SELECT {COLUMNS_SQL} FROM {FROM} WHERE files.project = ? AND folder IS NULL AND url = '' AND place = ?"  # noqa: S608
    if (found := db.execute(same, (project, os.fsencode(digest))).fetchone()) is not None:
        known = file_of(found)
        if known.reason == "removed":
            read_again(db, [known])
        return known.id
    return add_file(db, project, None, Found(place=digest, size=size), name, at)


def page(db: sqlite3.Connection, project: str, url: str) -> FileRow | None:
    """The page of the web that a project keeps from an address."""
    found = f"SELECT {COLUMNS_SQL} FROM {FROM} WHERE files.project = ? AND files.url = ?"  # noqa: S608 - fixed text
    row = db.execute(found, (project, url)).fetchone()
    return None if row is None else file_of(row)


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
    rows = db.execute(f"SELECT {COLUMNS_SQL} FROM {FROM} WHERE folder IS NULL AND files.reason = 'removed'")  # noqa: S608
    return [file_of(row) for row in rows]


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
        emptied(db, row)


def move_file(db: sqlite3.Connection, row: FileRow, folder: int, found: Found, name: str) -> None:
    """Note that a file lies elsewhere, with the same bytes. Its name is indexed again, its text is not read again."""
    state = FileState.INDEXING if row.state in (FileState.READY, FileState.INDEXING) else row.state
    if found.reason:
        state = FileState.SKIPPED
        emptied(db, row)
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


def remove_file(db: sqlite3.Connection, row: FileRow, at: str) -> None:
    """Forget a file but for its name, which is told for some time."""
    note_gone(db, row.id, at)
    db.execute("INSERT OR IGNORE INTO forgotten VALUES (?, ?)", (row.project, row.id))
    db.execute("DELETE FROM files WHERE id = ?", (row.id,))


def exclude_file(db: sqlite3.Connection, row: FileRow) -> None:
    """Leave a file alone because the user wants it so."""
    db.execute(
        "UPDATE files SET state = 'skipped', reason = 'removed', detail = '', version = version + 1 WHERE id = ?",
        (row.id,),
    )
    emptied(db, row)


def read_again(db: sqlite3.Connection, rows: Iterable[FileRow]) -> None:
    """Let files be read again, whatever came of it before."""
    db.executemany(f"{_AGAIN_SQL}, version = version + 1 WHERE id = ?", ((row.id,) for row in rows))


def read_scans(db: sqlite3.Connection) -> bool:
    """Let files be read again whose letters, or those of some pages, were not recognised; whether there are any.

    Nothing works on them, so their version stays: it takes long to recognise letters, and edited files come first.
    """
    marks = ", ".join("?" * len(UNRECOGNISED))
    failed = db.execute(f"{_AGAIN_SQL} WHERE state = 'failed' AND reason IN ({marks})", tuple(UNRECOGNISED))
    partly = db.execute(
        f"{_AGAIN_SQL} WHERE state = 'ready' AND instr(notes, ?) AND NOT instr(notes, ?)", (SCANNED_PAGES, RECOGNISED)
    )
    return failed.rowcount + partly.rowcount > 0


def emptied(db: sqlite3.Connection, row: FileRow) -> None:
    """A file without text: nothing of it is found any more."""
    db.execute("DELETE FROM passages WHERE file = ?", (row.id,))
    db.execute(
        "UPDATE files SET read_digest = '', characters = 0, tokens = 0, passages = 0, notes = '' WHERE id = ?",
        (row.id,),
    )
    if row.read_digest:
        db.execute("INSERT OR IGNORE INTO forgotten VALUES (?, ?)", (row.project, row.id))
