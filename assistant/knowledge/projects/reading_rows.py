"""What the pipeline notes of a file while it is read and indexed. All functions run on the database's thread."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from assistant.core.knowledge.files import FileState
from assistant.core.knowledge.passages import Passage
from assistant.knowledge.projects.file_rows import COLUMNS_SQL, FROM, WAITING_SQL, FileRow, emptied, file_of


def next_waiting(db: sqlite3.Connection) -> FileRow | None:
    """The file that is worked on next: one whose text is here, then one that was edited, then the smallest.

    What was edited is asked about soon, and its former text answers until then. Small files come first, so that most of
    a folder can be searched soon.
    """
    row = db.execute(
        f"""SELECT {COLUMNS_SQL} FROM {FROM} JOIN projects ON projects.id = files.project
        WHERE files.state IN {WAITING_SQL} AND projects.removed = 0
            AND (files.state = 'indexing' OR COALESCE(folders.away, 0) = 0)
        ORDER BY files.state = 'indexing' DESC, files.version > 0 DESC, files.size, files.id LIMIT 1"""  # noqa: S608
    ).fetchone()
    return None if row is None else file_of(row)


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
    emptied(db, row)
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
