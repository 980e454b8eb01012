"""What has changed in a folder since the table of files was written. It blocks while it reads files."""

import os
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from assistant.knowledge.projects.contents import digest_of
from assistant.knowledge.projects.file_rows import FileRow
from assistant.knowledge.projects.scanning import Found, Scan


@dataclass(frozen=True, slots=True, kw_only=True)
class Differences:
    """What the table has to learn.

    Attributes:
        added: files that it does not know.
        changed: files with other bytes, or for which another rule holds now.
        moved: files that lie elsewhere.
        gone: files that no longer exist.
    """

    added: Sequence[Found]
    changed: Sequence[tuple[FileRow, Found]]
    moved: Sequence[tuple[FileRow, Found]]
    gone: Sequence[FileRow]

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self.added or self.changed or self.moved or self.gone)

    def with_moves(self, moves: Sequence[tuple[FileRow, Found]]) -> "Differences":
        """The changes where these files, that seemed to go or to come, have moved."""
        from_there, to_there = {row.id for row, _ in moves}, {found.place for _, found in moves}
        return Differences(
            added=[found for found in self.added if found.place not in to_there],
            changed=self.changed,
            moved=[*self.moved, *moves],
            gone=[row for row in self.gone if row.id not in from_there],
        )


def differences(root: Path, rows: Iterable[FileRow], scan: Scan, within: Collection[str]) -> Differences:
    """Compare the rows of a folder with a scan of it.

    Args:
        root: the folder.
        rows: its rows.
        scan: what was found.
        within: the places that were scanned; ``""`` for all.
    """
    known = {row.place: row for row in rows if _within(row.place, within)}
    changed = [
        (row, found) for place, found in scan.found.items() if (row := known.get(place)) and _differs(row, found)
    ]
    added = [found for place, found in scan.found.items() if place not in known]
    gone = [row for place, row in known.items() if place not in scan.found and not place.startswith(tuple(scan.unread))]
    return Differences(added=added, changed=changed, moved=(), gone=gone).with_moves(_moved(root, gone, added))


def came(root: Path, changes: Differences, others: Iterable[FileRow]) -> Differences:
    """The changes of a folder with what came from another folder of the project.

    Args:
        root: the folder.
        changes: its own changes.
        others: rows of a folder that can be reached.
    """
    sizes = {found.size for found in changes.added}
    gone = [row for row in others if row.size in sizes and not os.path.lexists(row.path)]
    return changes.with_moves(_moved(root, gone, changes.added))


def went(gone: Sequence[FileRow], other: Path, rows: Iterable[FileRow], scan: Scan) -> Differences:
    """What came to another folder of the project of the files that have gone from one.

    Args:
        gone: rows whose files have gone.
        other: the other folder.
        rows: its rows.
        scan: what was found there.
    """
    known = {row.place for row in rows}
    moved = _moved(other, gone, [found for place, found in scan.found.items() if place not in known])
    return Differences(added=(), changed=(), moved=moved, gone=())


def name_of(place: str) -> str:
    """The name of a file as the user reads it: composed letters (macOS stores them apart), readable bytes."""
    return unicodedata.normalize("NFC", place.encode("utf-8", "replace").decode())


def _within(place: str, within: Collection[str]) -> bool:
    return any(not each or place.rstrip("/") == each or place.startswith(f"{each}/") for each in within)


def _differs(row: FileRow, found: Found) -> bool:
    if row.reason == "removed":  # The user wants it left alone, whatever its bytes are.
        return False
    if found.reason or (row.state == "skipped" and row.digest == "" and row.reason in _BY_RULE):
        return found.reason != row.reason
    return (row.size, row.modified_ns, row.inode) != (found.size, found.modified_ns, found.inode)


_BY_RULE = frozenset({"hidden", "generated", "temporary", "program", "ignored", "link"})
"""Reasons for which a rule, not the file's content, leaves it alone."""


def _moved(root: Path, gone: Sequence[FileRow], added: Sequence[Found]) -> list[tuple[FileRow, Found]]:
    """Pair files that have gone with files that have come."""
    by_number = {(row.device, row.inode, row.size, row.modified_ns): row for row in gone if row.inode}
    by_size: dict[int, list[FileRow]] = {}
    for each in gone:
        if each.digest and each.size:
            by_size.setdefault(each.size, []).append(each)
    pairs: list[tuple[FileRow, Found]] = []
    taken: set[str] = set()
    for found in added:
        row: FileRow | None = (
            by_number.get((found.device, found.inode, found.size, found.modified_ns)) if found.inode else None
        )
        if row is None and not found.reason and found.size in by_size:
            row = _of_same_bytes(root / found.place, by_size[found.size], taken)
        if row is not None and row.id not in taken:
            taken.add(row.id)
            pairs.append((row, found))
    return pairs


def _of_same_bytes(path: Path, rows: Iterable[FileRow], taken: Collection[str]) -> FileRow | None:
    with suppress(OSError):
        digest = digest_of(path)
        return next((row for row in rows if row.digest == digest and row.id not in taken), None)
    return None
