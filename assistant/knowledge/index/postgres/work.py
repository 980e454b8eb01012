"""What the index does on a connection, each in one transaction."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from assistant.core.knowledge.passages import Passage
from assistant.knowledge.index.fusion import CANDIDATES, fused
from assistant.knowledge.index.passage_index import Hit
from assistant.knowledge.index.passage_store import AT_ONCE, Missing, PassageQuery
from assistant.knowledge.index.postgres import schema
from assistant.knowledge.index.terms import terms_of
from assistant.knowledge.index.texts import HEADINGS, digest_of, meaning_text, plain
from assistant.knowledge.meaning.embedder import Vectors
from assistant.storage.postgres.server import Connection

_MOST_TERMS: Final = 64
_MOST_CANDIDATES: Final = 5_000
"""Passages whose scores are computed. The rarest terms of a question propose them."""


def replace(connection: Connection, project: str, file: str, passages: Sequence[Passage], name: str) -> None:
    """Put passages in the place of the file's. A passage whose text stays keeps its row, whatever its number was."""
    connection.execute(schema.LOCK_PROJECT, {"project": project})
    kept = defaultdict[tuple[bytes, str], list[int]](list)
    query = "SELECT id, digest, name FROM passages WHERE project = %s AND file = %s ORDER BY number DESC"
    for id_, digest, former in connection.execute(query, (project, file)):
        kept[bytes(digest), former].append(id_)
    came: list[int] = []
    for passage in passages:
        digest = digest_of(meaning_text(passage.headings, passage.text))
        if same := kept.get((digest, plain(name))):
            connection.execute("UPDATE passages SET number = %s WHERE id = %s", (passage.number, same.pop()))
        else:
            came.append(_added(connection, project, file, name, passage, digest))
    _forget(connection, project, [id_ for ids in kept.values() for id_ in ids])
    connection.execute(schema.COUNT_TERMS, {"project": project, "sign": 1, "ids": came})
    connection.execute("INSERT INTO files VALUES (%s, %s) ON CONFLICT DO NOTHING", (project, file))


def remove(connection: Connection, project: str, file: str | None) -> None:
    """Forget a file, or the whole project."""
    connection.execute(schema.LOCK_PROJECT, {"project": project})
    of = {"project": project, "file": file}
    query = "SELECT id FROM passages WHERE project = %(project)s AND file = coalesce(%(file)s, file)"
    _forget(connection, project, [id_ for (id_,) in connection.execute(query, of)])
    connection.execute("DELETE FROM files WHERE project = %(project)s AND file = coalesce(%(file)s, file)", of)
    if file is None:
        connection.execute("DELETE FROM terms WHERE project = %s", (project,))


def found(connection: Connection, query: PassageQuery) -> Sequence[Hit]:
    """The passages that match best, the best first."""
    within = {"projects": list(query.projects), "files": None if query.files is None else list(query.files)}
    most = max(query.limit, CANDIDATES)
    words = _by_words(connection, query.question, within, most)
    near: dict[int, float] = {}
    if query.vector is not None and _dimensions(connection) == len(query.vector):
        connection.execute(schema.SEARCH_FURTHER)
        asked = {"vector": _literal(query.vector), "limit": most, **within}
        near.update(connection.execute(schema.BY_MEANING, asked).fetchall())
        near.update(connection.execute(schema.PRODUCTS, {**asked, "ids": list(words)}).fetchall())
    best = fused(words, near, query.limit)
    places = "SELECT id, project, file, number FROM passages WHERE id = ANY(%s)"
    known = {row[0]: row[1:] for row in connection.execute(places, ([each.id for each in best],))}
    return [each.hit(*known[each.id]) for each in best if each.id in known]


def counts(connection: Connection, project: str) -> tuple[int, int]:
    """Number of passages of a project, and of those without a vector."""
    query = """SELECT count(*), count(*) - count(vectors.digest)
        FROM passages LEFT JOIN vectors USING (digest) WHERE project = %s"""
    passages, waiting = connection.execute(query, (project,)).fetchone() or (0, 0)
    return passages, waiting


def files_of(connection: Connection, project: str) -> frozenset[str]:
    """Ids of the files of a project."""
    return frozenset(file for (file,) in connection.execute("SELECT file FROM files WHERE project = %s", (project,)))


def missing(connection: Connection, after: int) -> Sequence[Missing]:
    """The next passages without a vector."""
    rows = connection.execute(schema.MISSING, {"after": after, "limit": AT_ONCE}).fetchall()
    return [
        Missing(id_, bytes(digest), meaning_text(filter(None, [headings]), text))
        for id_, digest, headings, text in rows
    ]


def use_vectors_of(connection: Connection, embedder: str) -> None:
    """Forget the vectors unless this embedder made them."""
    known = connection.execute("SELECT value FROM facts WHERE name = 'embedder'").fetchone()
    if known != (embedder,):
        connection.execute("TRUNCATE vectors")
        query = "INSERT INTO facts VALUES ('embedder', %s) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
        connection.execute(query, (embedder,))


def keep(connection: Connection, digests: Sequence[bytes], vectors: Vectors) -> None:
    """Store vectors. The first ones decide the size of all."""
    dimensions = vectors.shape[1]
    if _dimensions(connection) != dimensions:
        for statement in schema.SIZE_VECTORS:
            connection.execute(statement.format(dimensions=int(dimensions)))
    for digest, vector in zip(digests, vectors, strict=True):
        connection.execute(schema.KEEP_VECTOR, {"digest": digest, "vector": _literal(vector)})


def _added(connection: Connection, project: str, file: str, name: str, passage: Passage, digest: bytes) -> int:
    headings, text = plain(HEADINGS.join(passage.headings)), plain(passage.text)
    terms = [plain(term) for part in (name, headings, text) for term in terms_of(part)]
    query = """INSERT INTO passages (project, file, number, name, headings, text, digest, terms)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s) RETURNING id"""
    values = (project, file, passage.number, plain(name), headings, text, digest, terms)
    row = connection.execute(query, values).fetchone()
    return int(row[0]) if row else 0


def _forget(connection: Connection, project: str, ids: list[int]) -> None:
    if not ids:
        return
    connection.execute(schema.COUNT_TERMS, {"project": project, "sign": -1, "ids": ids})
    gone = connection.execute("DELETE FROM passages WHERE id = ANY(%s) RETURNING digest", (ids,)).fetchall()
    connection.execute(schema.FORGET_VECTORS, {"digests": [digest for (digest,) in gone]})


def _by_words(
    connection: Connection, question: str, within: Mapping[str, list[str] | None], limit: int
) -> Mapping[int, float]:
    asked = list(dict.fromkeys(terms_of(question)))[:_MOST_TERMS]
    projects = within["projects"]
    query = "SELECT term, sum(passages)::bigint FROM terms WHERE project = ANY(%s) AND term = ANY(%s) GROUP BY term"
    known = {term: count for term, count in connection.execute(query, (projects, asked)) if count > 0}
    if not known:
        return {}
    ((total,),) = connection.execute("SELECT count(*) FROM passages WHERE project = ANY(%s)", (projects,)).fetchall()
    weights = {term: math.log(1 + (total - count + 0.5) / (count + 0.5)) for term, count in known.items()}
    values = {"terms": list(weights), "weights": list(weights.values()), "rare": _rarest(known), "limit": limit}
    return dict(connection.execute(schema.BY_WORDS, {**values, **within}).fetchall())


def _rarest(known: Mapping[str, int]) -> Sequence[str]:
    """The rarest terms, as many as together stand in no more passages than are compared; at least one."""
    rare: list[str] = []
    seen = 0
    for term, count in sorted(known.items(), key=lambda each: each[1]):
        seen += count
        if rare and seen > _MOST_CANDIDATES:
            break
        rare.append(term)
    return rare


def _dimensions(connection: Connection) -> int:
    """The size of the stored vectors; -1 before the first ones."""
    query = "SELECT atttypmod FROM pg_attribute WHERE attrelid = 'vectors'::regclass AND attname = 'vector'"
    row = connection.execute(query).fetchone()
    return int(row[0]) if row else -1


def _literal(vector: Iterable[float]) -> str:
    return "[" + ",".join(f"{number:.6g}" for number in vector) + "]"
