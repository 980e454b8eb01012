"""The rows of the index: passages, the vectors of their texts, and what the files of words still lack.

They are the only truth. All other files of the index are made from them, and can be made again.
"""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assistant.core.knowledge.passages import Passage
from assistant.knowledge.index.fusion import Fused
from assistant.knowledge.index.passage_index import Hit
from assistant.knowledge.index.passage_store import Missing
from assistant.knowledge.index.texts import HEADINGS, digest_of, meaning_text, plain
from assistant.knowledge.meaning.embedder import Vectors
from assistant.storage.migrations.steps import Migration

_STORED = np.dtype("<f2")
"""Vectors are stored with 11 bits a number; the products of two differ by less than 0.001."""

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


def replace(
    connection: sqlite3.Connection, project: str, file: str, name: str, passages: Sequence[Passage]
) -> Replaced:
    """Put passages in the place of the file's. A passage whose text stays keeps its row, whatever its number was."""
    name = plain(name)
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
            (project, file, passage.number, name, plain(HEADINGS.join(passage.headings)), plain(passage.text), digest),
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


def without_vector(connection: sqlite3.Connection, after: int, limit: int) -> list[Missing]:
    """The next passages behind an id whose text has no vector: for ``PassageStore``."""
    query = """SELECT id, digest, headings, text FROM passages
        WHERE id > ? AND NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.digest = passages.digest)
        ORDER BY id LIMIT ?"""
    found = connection.execute(query, (after, limit)).fetchall()
    return [Missing(id_, digest, meaning_text(filter(None, [headings]), text)) for id_, digest, headings, text in found]


def add_vectors(
    connection: sqlite3.Connection, digests: Sequence[bytes], vectors: Vectors
) -> Mapping[str, Sequence[int]]:
    """Store vectors; the ids of the passages that have them now, by project. Texts that are gone get none."""
    owners = defaultdict[str, list[int]](list)
    for digest, vector in zip(digests, vectors, strict=True):
        found = connection.execute("SELECT project, id FROM passages WHERE digest = ?", (digest,)).fetchall()
        for project, id_ in found:
            owners[project].append(id_)
        if found:
            stored = vector.astype(_STORED).tobytes()
            connection.execute("INSERT OR REPLACE INTO vectors VALUES (?, ?)", (digest, stored))
    return owners


def vectors_of(connection: sqlite3.Connection, ids: Iterable[int]) -> tuple[NDArray[np.int64], Vectors]:
    """The vectors of passages, of those that are there and have one."""
    query = """SELECT passages.id, vector FROM json_each(?) AS asked
        JOIN passages ON passages.id = asked.value JOIN vectors USING (digest)"""
    found = connection.execute(query, (json.dumps(list(ids)),)).fetchall()
    vectors = np.frombuffer(b"".join(vector for _, vector in found), _STORED).reshape(len(found), -1 if found else 0)
    return np.fromiter((id_ for id_, _ in found), np.int64, len(found)), vectors.astype(np.float32)


def products(connection: sqlite3.Connection, ids: Iterable[int], vector: Vectors) -> Mapping[int, float]:
    """The products of the vectors of these passages and this one, of those that have a vector."""
    known, vectors = vectors_of(connection, ids)
    if not len(known) or vectors.shape[1] != len(vector):
        return {}
    return dict(zip(known.tolist(), (vectors @ vector).tolist(), strict=True))


def with_vector(connection: sqlite3.Connection, project: str) -> NDArray[np.int64]:
    """Ids of the passages of a project whose text has a vector."""
    query = "SELECT id FROM passages JOIN vectors USING (digest) WHERE project = ?"
    return np.fromiter((id_ for (id_,) in connection.execute(query, (project,))), np.int64)


def of_files(connection: sqlite3.Connection, project: str, files: Iterable[str]) -> list[int]:
    """Ids of the passages of some files."""
    query = "SELECT id FROM passages WHERE project = ? AND file = ?"
    return [id_ for file in files for (id_,) in connection.execute(query, (project, file))]


def use_vectors_of(connection: sqlite3.Connection, embedder: str) -> bool:
    """Forget the vectors unless this embedder made them; whether they were forgotten."""
    known = connection.execute("SELECT value FROM facts WHERE name = 'embedder'").fetchone()
    if known == (embedder,):
        return False
    connection.execute("DELETE FROM vectors")
    connection.execute("INSERT OR REPLACE INTO facts VALUES ('embedder', ?)", (embedder,))
    return True


def behind(connection: sqlite3.Connection, projects: Iterable[str]) -> bool:
    """Whether the files of words of one of these projects lack changes."""
    query = "SELECT 1 FROM changes WHERE project = ? LIMIT 1"
    return any(connection.execute(query, (project,)).fetchone() for project in projects)


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


def hits(connection: sqlite3.Connection, found: Sequence[Fused]) -> list[Hit]:
    """The passages that are still there, in their order."""
    query = "SELECT id, project, file, number FROM passages WHERE id IN (SELECT value FROM json_each(?))"
    rows = {row[0]: row[1:] for row in connection.execute(query, (json.dumps([each.id for each in found]),))}
    return [each.hit(*rows[each.id]) for each in found if each.id in rows]


def files_of(connection: sqlite3.Connection, project: str) -> frozenset[str]:
    """Ids of the files of a project, those without a passage among them."""
    return frozenset(id_ for (id_,) in connection.execute("SELECT file FROM files WHERE project = ?", (project,)))


def counts(connection: sqlite3.Connection, project: str) -> tuple[int, int]:
    """Number of passages of a project, and of those without a vector."""
    query = """SELECT COUNT(*), COUNT(*) - COUNT(vectors.digest)
        FROM passages LEFT JOIN vectors USING (digest) WHERE project = ?"""
    passages, waiting = connection.execute(query, (project,)).fetchone()
    return int(passages), int(waiting)
