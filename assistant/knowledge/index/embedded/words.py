"""The passages of all projects by their words."""

import asyncio
import contextlib
import logging
import shutil
import sqlite3
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from assistant.knowledge.index.embedded import rows
from assistant.knowledge.index.embedded.lexical import Added, BrokenFilesError, LexicalFiles
from assistant.storage.database import Database

_log = logging.getLogger(__name__)

_AT_ONCE = 2_000
"""Passages whose words are written at once."""


class PassageWords:
    """Finds passages by their words. The files of a project follow the rows before each search.

    Args:
        folder_of: gives the folder of a project's files.
        database: the rows.
    """

    def __init__(self, folder_of: Callable[[str], Path], database: Database) -> None:
        self._folder_of, self._database = folder_of, database
        self._files: dict[str, LexicalFiles] = {}
        self._changing = asyncio.Lock()
        self._changes = ThreadPoolExecutor(1, "passages' words")
        self._searches = ThreadPoolExecutor(1, "question's words")

    async def search(
        self, project: str, question: str, files: Collection[str] | None, limit: int
    ) -> list[tuple[int, float]]:
        """Ids of passages of a project with their BM25 scores, the best first.

        Raises:
            BrokenFilesError: the files cannot be read, although they were made anew.
            StorageError: the rows cannot be read.
        """
        try:
            return await self._found(project, question, files, limit)
        except BrokenFilesError as error:
            _log.warning("The files of words of a project are broken; they are made anew: %s", error.__cause__)
            await self.forget(project)
            return await self._found(project, question, files, limit)

    async def catch_up(self, project: str) -> LexicalFiles:
        """Write into the files of a project what the rows have and they lack.

        Raises:
            BrokenFilesError: the files cannot be written.
            StorageError: the rows cannot be read.
        """
        loop = asyncio.get_running_loop()
        async with self._changing:
            if (files := self._files.get(project)) is None:
                folder = self._folder_of(project)
                if not LexicalFiles.exists(folder):  # Noted first, so a process that is killed here loses nothing.
                    await self._database.write(lambda connection: rows.note_all(connection, project))
                files = self._files[project] = await loop.run_in_executor(self._changes, LexicalFiles, folder)
            while True:
                rows_, gone = await self._database.read(lambda connection: rows.changes(connection, project, _AT_ONCE))
                if not rows_ and not gone:
                    return files
                await loop.run_in_executor(self._changes, files.change, [_added(row) for row in rows_], gone)
                await self._database.write(_noted([row.id for row in rows_], gone), durable=False)

    async def forget(self, project: str) -> None:
        """Throw the files of a project away."""
        async with self._changing:
            self._files.pop(project, None)
            folder = self._folder_of(project)
            await asyncio.get_running_loop().run_in_executor(self._changes, _throw_away, folder)

    async def close(self) -> None:
        """Wait for the change that is being written, and end the threads."""
        async with self._changing:
            self._changes.shutdown()
            self._searches.shutdown()

    async def _found(
        self, project: str, question: str, within: Collection[str] | None, limit: int
    ) -> list[tuple[int, float]]:
        files = await self.catch_up(project)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._searches, files.search, question, within, limit)


def _throw_away(folder: Path) -> None:
    """Delete a folder. It is renamed first, so nobody takes what is left of it for the whole."""
    gone = folder.with_suffix(".gone")
    shutil.rmtree(gone, ignore_errors=True)
    with contextlib.suppress(FileNotFoundError):
        folder.rename(gone)
    shutil.rmtree(gone, ignore_errors=True)


def _added(row: rows.Row) -> Added:
    about = "\n".join(filter(None, (row.name, row.headings)))
    return Added(id=row.id, file=row.file, about=about, text=row.text)


def _noted(added: Collection[int], gone: Collection[int]) -> Callable[[sqlite3.Connection], None]:
    def note(connection: sqlite3.Connection) -> None:
        rows.done(connection, added, gone=False)
        rows.done(connection, gone, gone=True)

    return note
