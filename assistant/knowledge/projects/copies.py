"""The copies of files and of pages of the web that projects keep in the store."""

import asyncio
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from assistant.core.clock import Clock
from assistant.core.errors import ErrorCode, SoriError
from assistant.knowledge.projects import file_rows
from assistant.knowledge.projects.differences import name_of
from assistant.knowledge.projects.pages import PageText, page_name
from assistant.knowledge.projects.pipeline import Pipeline
from assistant.knowledge.reading.reader import UnreadableFileError
from assistant.storage.database import Database


@dataclass(slots=True, kw_only=True)
class StoredCopies:
    """Adds copies, and erases those to which no row refers any more.

    Attributes:
        database: ``knowledge.db``.
        clock: gives the time.
        pipeline: reads and indexes files; it has the store.
    """

    database: Database
    clock: Clock
    pipeline: Pipeline
    _changing: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held from storing a copy to its row, and while copies without rows are erased."""

    async def add(self, project: str, path: str, stored: Callable[[], tuple[str, int]]) -> str:
        """Add a copy; returns the id of its row, that of the same bytes if the project has them.

        Args:
            project: id of the project.
            path: what the file is called, its folders included.
            stored: stores it, and gives its digest and size. Called in a thread.

        Raises:
            SoriError: there is no such file, or it cannot be read.
            StorageError: the copy cannot be written.
        """
        name, at = name_of(Path(path).name), self._now()
        async with self._changing:
            try:
                digest, size = await asyncio.to_thread(stored)
            except UnreadableFileError as error:
                raise SoriError(
                    ErrorCode.INVALID_REQUEST,
                    str(error),
                    message_key="file_not_added",
                    values={"path": path, "reason": error.detail or error.reason},
                    cause=error,
                ) from error
            return await self.database.write(lambda db: file_rows.add_copy(db, project, digest, name, size, at))

    async def keep_page(self, project: str, url: str, page: PageText) -> str:
        """Keep the text of a page in the place of its former text; returns the id of its row.

        Raises:
            UnreadableFileError: the text cannot be written.
            StorageError: the row cannot be written.
        """
        content, at = page.text.encode("utf-8", "replace"), self._now()
        name = name_of(page_name(url, page.title))
        async with self._changing:
            before = await self.database.read(file_rows.copies)
            digest = await asyncio.to_thread(self.pipeline.store.add, content)
            made = await self.database.write(
                lambda db: file_rows.keep_page(db, project, url, name, digest, len(content), at)
            )
            await self._forget(before)
        return made

    async def erase(self, remove: Callable[[sqlite3.Connection], None]) -> None:
        """Remove rows, and erase what the index and the store have of their files.

        Raises:
            StorageError: the database or the index cannot be written.
        """
        async with self._changing:
            before = await self.database.read(file_rows.copies)
            await self.database.write(remove)
            await self._forget(before)

    async def _forget(self, before: set[str]) -> None:
        for gone in before - await self.database.read(file_rows.copies):
            await asyncio.to_thread(self.pipeline.store.remove, gone)
        await self.pipeline.forget()
        await self.database.forget_deleted()

    def _now(self) -> str:
        return self.clock.now().isoformat(timespec="seconds")
