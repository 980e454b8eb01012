"""The places of what is kept: each tells how much it holds, and can be emptied."""

import asyncio
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

from assistant.core.errors import StorageError
from assistant.core.service.requests.kept import KeptData, KeptKind
from assistant.knowledge.projects.projects import Projects
from assistant.memory.journal import MemoryJournal
from assistant.memory.memory_file import MemoryFile
from assistant.storage.database import Database


class Shelf(Protocol):
    """Where one kind of what is kept lies."""

    kind: KeptKind

    async def look(self) -> KeptData:
        """How much there is.

        Raises:
            StorageError: it cannot be read.
        """
        ...

    async def clear(self) -> None:
        """Erase all of it.

        Raises:
            StorageError: some of it is still there.
        """
        ...


_SIZES: Final = {
    KeptKind.CONVERSATIONS: """
SELECT (SELECT COUNT(DISTINCT conversation) FROM messages),
    COALESCE((SELECT SUM(LENGTH(text)) FROM messages), 0) + COALESCE((SELECT SUM(LENGTH(data)) FROM attachments), 0)""",
    KeptKind.PEOPLE: """
SELECT COUNT(*), COALESCE(SUM(LENGTH(name) + LENGTH(aliases) + LENGTH(accounts) + LENGTH(note)), 0) FROM people""",
    KeptKind.TELEGRAM: """
SELECT COUNT(*), COALESCE(SUM(LENGTH(name)), 0) + COALESCE((SELECT SUM(LENGTH(content)) FROM telegram_updates), 0)
FROM telegram_chats""",
    KeptKind.TIMERS: "SELECT COUNT(*), COALESCE(SUM(LENGTH(name)), 0) FROM timers",
    KeptKind.TRACES: "SELECT COUNT(*), COALESCE(SUM(LENGTH(events)), 0) FROM traces",
    KeptKind.USAGE: "SELECT COUNT(*), COUNT(*) * 100 FROM exchanges",
    KeptKind.AUDIT: "SELECT COUNT(*), COALESCE(SUM(LENGTH(arguments) + LENGTH(result)), 0) FROM audit",
    KeptKind.EGRESS: "SELECT COUNT(*), COALESCE(SUM(LENGTH(destination) + LENGTH(data)), 0) FROM egress",
}
_TABLES: Final = {
    KeptKind.TRACES: "traces",
    KeptKind.USAGE: "exchanges",
    KeptKind.AUDIT: "audit",
    KeptKind.EGRESS: "egress",
}
"""The kinds that are one table each, to which no other row belongs."""
TABLE_KINDS: Final = tuple(_TABLES)


class TableShelf:
    """Rows of the database. ``clear`` overwrites them in the file.

    Args:
        kind: a kind with a query for its size.
        database: the open database.
        clears: erases what is no table of its own; ``None`` for one of ``TABLE_KINDS``.
    """

    def __init__(self, kind: KeptKind, database: Database, clears: "Clears | None" = None) -> None:
        self.kind, self._database, self._clears = kind, database, clears

    async def look(self) -> KeptData:
        """Count the rows."""

        def work(connection: sqlite3.Connection) -> tuple[int, int]:
            count, size = connection.execute(_SIZES[self.kind]).fetchone()
            return int(count), int(size)

        count, size = await self._database.read(work)
        return KeptData(kind=self.kind, count=count, size=size, place=str(self._database.path))

    async def clear(self) -> None:
        """Delete the rows."""
        if self._clears is not None:
            await self._clears.erase_all()
        else:
            statement = f"DELETE FROM {_TABLES[self.kind]}"  # noqa: S608 - a constant
            await self._database.write(lambda connection: connection.execute(statement))
        await self._database.forget_deleted()


class Clears(Protocol):
    """Erases rows that others depend on."""

    async def erase_all(self) -> None:
        """Erase all of them.

        Raises:
            StorageError: the database cannot be written.
        """
        ...


class FileShelf:
    """Files. Those that are open for writing are emptied, the others removed.

    Args:
        kind: the kind.
        place: their folder, or the only file.
        pattern: which files of the folder.
        open_ones: the ending of files that are open; empty for none.
        erasable: whether they may be removed here.
    """

    def __init__(
        self, kind: KeptKind, place: Path, pattern: str = "*", *, open_ones: str = "", erasable: bool = True
    ) -> None:
        self.kind, self._place, self._pattern = kind, place, pattern
        self._open_ones, self._erasable = open_ones, erasable

    async def look(self) -> KeptData:
        """Count the files and their bytes."""

        def work() -> tuple[int, int]:
            sizes = [_size_of(each) for each in self._files()]
            return sum(size > 0 for size in sizes), sum(sizes)

        count, size = await asyncio.to_thread(work)
        return KeptData(kind=self.kind, count=count, size=size, place=str(self._place), erasable=self._erasable)

    async def clear(self) -> None:
        """Remove the files."""

        def work() -> None:
            for each in self._files():
                try:
                    if self._open_ones and each.name.endswith(self._open_ones):
                        os.truncate(each, 0)
                    else:
                        each.unlink(missing_ok=True)
                except OSError as error:
                    raise StorageError(str(each), error.strerror or str(error), cause=error) from error

        await asyncio.to_thread(work)

    def _files(self) -> list[Path]:
        if self._place.is_dir():
            return [each for each in self._place.rglob(self._pattern) if each.is_file() and not each.is_symlink()]
        return [self._place] if self._place.is_file() else []


class ProjectShelf:
    """Projects, and what was read of their files.

    Args:
        projects: has them.
        place: their folder.
        uploads: the folder in it that belongs to messages.
    """

    kind = KeptKind.PROJECTS

    def __init__(self, projects: Projects, place: Path, uploads: Path) -> None:
        self._projects, self._place, self._uploads = projects, place, uploads

    async def look(self) -> KeptData:
        """Count the projects, and the bytes of what was read of them."""
        count = len(await self._projects.all())
        size = await asyncio.to_thread(
            lambda: sum(_size_of(each) for each in self._place.rglob("*") if self._uploads not in each.parents)
        )
        return KeptData(kind=self.kind, count=count, size=size if count else 0, place=str(self._place))

    async def clear(self) -> None:
        """Erase all projects. The user's own files stay."""
        await self._projects.erase_all()


class MemoryShelf:
    """The facts of all memories.

    Args:
        files: gives the memories that exist now.
        journal: notes their changes.
        place: the folder of the user's own memory.
    """

    kind = KeptKind.MEMORIES

    def __init__(self, files: Callable[[], Iterable[MemoryFile]], journal: MemoryJournal, place: Path) -> None:
        self._files, self._journal, self._place = files, journal, place

    async def look(self) -> KeptData:
        """Count the facts, and the bytes of the files with their earlier values and copies."""
        files = await asyncio.to_thread(lambda: tuple(self._files()))
        count = sum([len(await each.facts()) + len(await each.archived()) for each in files])
        size = await asyncio.to_thread(lambda: sum(map(_size_of, _with_those_beside(files))))
        return KeptData(kind=self.kind, count=count, size=size, place=str(self._place))

    async def clear(self) -> None:
        """Remove the facts. Lines that are no facts are the user's own, and stay."""
        for each in await asyncio.to_thread(lambda: tuple(self._files())):
            await each.remove_all()
        await asyncio.to_thread(self._journal.forget_all)


def _with_those_beside(files: Sequence[MemoryFile]) -> Iterator[Path]:
    for each in files:
        yield from each.path.parent.glob(f"{each.path.name}*")


def _size_of(path: Path) -> int:
    with suppress(OSError):
        return path.stat().st_size
    return 0
