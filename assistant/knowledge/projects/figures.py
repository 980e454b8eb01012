"""What the diagnostics tell of projects: numbers, states and kinds, no name, no path and no text (N-05)."""

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

_WAIT_S: Final = 2.0


def figures(folder: Path) -> Iterator[str]:
    """Lines about the projects of a user. Blocks; writes nothing, whoever else uses the database.

    Args:
        folder: where projects, copies of files and the index are kept.
    """
    database = folder / "knowledge.db"
    if not database.exists():
        yield "no projects"
        return
    try:
        with closing(sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro", uri=True, timeout=_WAIT_S)) as db:
            yield from _projects(db)
    except sqlite3.Error as error:
        yield f"the projects cannot be read: {error}"
    yield from _sizes(folder)


def _projects(db: sqlite3.Connection) -> Iterator[str]:
    rows = db.execute(
        """SELECT id, removed, (SELECT COUNT(*) FROM folders WHERE project = projects.id),
            (SELECT COUNT(*) FROM folders WHERE project = projects.id AND away) FROM projects ORDER BY made_at, id"""
    ).fetchall()
    yield f"{len(rows)} projects"
    for number, (identity, removed, folders, away) in enumerate(rows, 1):
        files, tokens, passages, pages = db.execute(
            """SELECT COUNT(*), COALESCE(SUM(tokens), 0), COALESCE(SUM(passages), 0), COUNT(NULLIF(url, ''))
            FROM files WHERE project = ?""",
            (identity,),
        ).fetchone()
        yield f"project {number}{' (removed)' if removed else ''}: {folders} folders, {away} of them out of reach"
        yield f"  {files} files, {pages} of them pages of the web, {tokens} tokens, {passages} passages"
        for what in ("state", "reason", "media_type"):
            counted = db.execute(f"SELECT {what}, COUNT(*) FROM files WHERE project = ? GROUP BY 1", (identity,))  # noqa: S608 - names of columns
            told = ", ".join(f"{value} {count}" for value, count in sorted(counted) if value)
            if told:
                yield f"  {what}: {told}"
    (forgotten,) = db.execute("SELECT COUNT(*) FROM forgotten").fetchone()
    yield f"{forgotten} files that the index is still to forget"


def _sizes(folder: Path) -> Iterator[str]:
    """The size of the copies and of each file of the index."""
    sizes = Counter[str]()
    for path in folder.rglob("*"):
        with suppress(OSError):
            if path.is_file():
                inside = path.relative_to(folder).parts
                sizes[inside[0]] += path.stat().st_size
    yield from (f"{name}: {size / 1_000_000:.1f} MB" for name, size in sorted(sizes.items()))
