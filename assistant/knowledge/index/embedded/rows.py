"""The rows of the index: passages, the vectors of their texts, and what the files of words still lack.

They are the only truth. All other files of the index are made from them, and can be made again.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from assistant.core.knowledge.passages import Passage
from assistant.storage.migrations.steps import Migration

_DIGEST_BYTES = 16
_BREAK = "\n"

STEPS: tuple[Migration, ...] = (
    Migration(
        number=1,
        name="passages, vectors, changes of words",
        statements=(
            """CREATE TABLE passages (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                project TEXT NOT NULL,
                file TEXT NOT NULL,
                number INTEGER NOT NULL,
                name TEXT NOT NULL,
                headings TEXT NOT NULL,
                text TEXT NOT NULL,
                digest BLOB NOT NULL
            ) STRICT""",
            "CREATE INDEX passages_place ON passages(project, file, number)",
            "CREATE INDEX passages_digest ON passages(digest)",
            "CREATE TABLE files (project TEXT NOT NULL, file TEXT NOT NULL, PRIMARY KEY (project, file)) STRICT",
            "CREATE TABLE vectors (digest BLOB PRIMARY KEY, vector BLOB NOT NULL) STRICT",
            # Passages whose words are to be added to the files of their project, or removed from them.
            "CREATE TABLE changes (passage INTEGER PRIMARY KEY, project TEXT NOT NULL, gone INTEGER NOT NULL) STRICT",
            "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Row:
    """A stored passage."""

    id: int
    project: str
    file: str
    number: int
    name: str
    headings: str
    text: str


@dataclass(frozen=True, slots=True)
class Replaced:
    """What a replacement changed: ids of passages that came and went."""

    came: tuple[int, ...]
    went: tuple[int, ...]


def meaning_text(headings: Iterable[str], text: str) -> str:
    """What a vector is computed from: the headings say what a passage is about that does not name it."""
    return _BREAK.join([*headings, text])


def digest_of(text: str) -> bytes:
    """The key of a text's vector."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest()


def replace(
    connection: sqlite3.Connection, project: str, file: str, name: str, passages: Sequence[Passage]
) -> Replaced:
    """Put passages in the place of the file's. A passage whose text stays keeps its row, whatever its number was."""
    kept = defaultdict[tuple[bytes, str], list[int]](list)
    query = "SELECT id, digest, name FROM passages WHERE project = ? AND file = ? ORDER BY number DESC"
    for id_, digest, former in connection.execute(query, (project, file)):
        kept[digest, former].append(id_)
    came: list[int] = []
    for passage in passages:
        digest = digest_of(meaning_text(passage.headings, passage.text))
        if same := kept.get((digest, name)):
            connection.execute("UPDATE passages SET number = ? WHERE id = ?", (passage.number, same.pop()))
            continue
        added = connection.execute(
            "INSERT INTO passages (project, file, number, name, headings, text, digest) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (project, file, passage.number, name, _BREAK.join(passage.headings), passage.text, digest),
        )
        came.append(int(added.lastrowid or 0))
    went = [id_ for ids in kept.values() for id_ in ids]
    _forget(connection, went)
    _note(connection, project, came, gone=False)
    _note(connection, project, went, gone=True)
    connection.execute("INSERT OR IGNORE INTO files VALUES (?, ?)", (project, file))
    return Replaced(tuple(came), tuple(went))


def remove(connection: sqlite3.Connection, project: str, file: str | None) -> Replaced:
    """Forget a file, or the whole project."""
    of = {"project": project, "file": file}
    query = "SELECT id FROM passages WHERE project = :project AND file = IFNULL(:file, file)"
    went = [id_ for (id_,) in connection.execute(query, of)]
    _forget(connection, went)
    connection.execute("DELETE FROM files WHERE project = :project AND file = IFNULL(:file, file)", of)
    if file is None:
        connection.execute("DELETE FROM changes WHERE project = ?", (project,))
    else:
        _note(connection, project, went, gone=True)
    return Replaced((), tuple(went))


def _forget(connection: sqlite3.Connection, ids: Sequence[int]) -> None:
    """Delete passages, and the vectors that no other passage has."""
    for id_ in ids:
        (digest,) = connection.execute("SELECT digest FROM passages WHERE id = ?", (id_,)).fetchone()
        connection.execute("DELETE FROM passages WHERE id = ?", (id_,))
        if connection.execute("SELECT 1 FROM passages WHERE digest = ? LIMIT 1", (digest,)).fetchone() is None:
            connection.execute("DELETE FROM vectors WHERE digest = ?", (digest,))


def _note(connection: sqlite3.Connection, project: str, ids: Iterable[int], *, gone: bool) -> None:
    connection.executemany("INSERT OR REPLACE INTO changes VALUES (?, ?, ?)", [(id_, project, gone) for id_ in ids])


def changes(connection: sqlite3.Connection, project: str, limit: int) -> tuple[list[Row], list[int]]:
    """The oldest changes that the files of words lack: passages to add, ids to remove."""
    noted = connection.execute(
        "SELECT passage, gone FROM changes WHERE project = ? ORDER BY passage LIMIT ?", (project, limit)
    ).fetchall()
    return rows(connection, [id_ for id_, gone in noted if not gone]), [id_ for id_, gone in noted if gone]


def done(connection: sqlite3.Connection, ids: Iterable[int], *, gone: bool) -> None:
    """Note that the files of words have these changes. One that was turned round meanwhile stays."""
    connection.executemany("DELETE FROM changes WHERE passage = ? AND gone = ?", [(id_, gone) for id_ in ids])


def note_all(connection: sqlite3.Connection, project: str) -> None:
    """Note that the files of words lack all passages of a project."""
    connection.execute("DELETE FROM changes WHERE project = ?", (project,))
    connection.execute("INSERT INTO changes SELECT id, project, 0 FROM passages WHERE project = ?", (project,))


def rows(connection: sqlite3.Connection, ids: Collection[int]) -> list[Row]:
    """The passages with these ids that are still there, in the order of the ids."""
    found = list[Row]()
    query = "SELECT id, project, file, number, name, headings, text FROM passages WHERE id = ?"
    for id_ in ids:
        if row := connection.execute(query, (id_,)).fetchone():
            found.append(Row(*row))
    return found


def files_of(connection: sqlite3.Connection, project: str) -> frozenset[str]:
    """Ids of the files of a project, those without a passage among them."""
    return frozenset(id_ for (id_,) in connection.execute("SELECT file FROM files WHERE project = ?", (project,)))


def counts(connection: sqlite3.Connection, project: str) -> tuple[int, int]:
    """Number of passages of a project, and of those without a vector."""
    query = """SELECT COUNT(*), COUNT(*) - COUNT(vectors.digest)
        FROM passages LEFT JOIN vectors USING (digest) WHERE project = ?"""
    passages, waiting = connection.execute(query, (project,)).fetchone()
    return int(passages), int(waiting)
