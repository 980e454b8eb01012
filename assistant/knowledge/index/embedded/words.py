"""The passages of all projects by their words."""

import asyncio
import contextlib
import shutil
import sqlite3
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from assistant.knowledge.index.embedded import rows
from assistant.knowledge.index.embedded.lexical import Added, LexicalFiles
from assistant.storage.database import Database

_AT_ONCE = 2_000
"""Passages whose words are written at once."""


class PassageWords:
    """Finds passages by their words. The files of a project follow the rows before each search.

    One thread changes the files; another may search meanwhile.

    Args:
        folder_of: gives the folder of a project's files.
        database: the rows.
    """

    def __init__(self, folder_of: Callable[[str], Path], database: Database) -> None:
        self._folder_of, self._database = folder_of, database
        self._files: dict[str, LexicalFiles] = {}
        self._changes = ThreadPoolExecutor(1, "passages' words")

    def is_open(self, project: str) -> bool:
        """Whether the files of a project can be searched."""
        return project in self._files

    def search(
        self, project: str, question: str, within: Collection[str] | None, limit: int
    ) -> list[tuple[int, float]]:
        """Ids of passages of a project with their BM25 scores, the best first. It blocks.

        Raises:
            BrokenFilesError: the files cannot be read.
        """
        files = self._files.get(project)
        return [] if files is None else files.search(question, within, limit)

    async def catch_up(self, project: str) -> None:
        """Write into the files of a project what the rows have and they lack.

        Raises:
            BrokenFilesError: the files cannot be written.
            StorageError: the rows cannot be read.
        """
        await asyncio.get_running_loop().run_in_executor(self._changes, self._catch_up, project)

    async def forget(self, project: str) -> None:
        """Throw the files of a project away."""
        await asyncio.get_running_loop().run_in_executor(self._changes, self._forget, project)

    async def close(self) -> None:
        """Wait for the change that is being written, and end the thread."""
        await asyncio.to_thread(self._changes.shutdown)

    def _catch_up(self, project: str) -> None:
        if (files := self._files.get(project)) is None:
            folder = self._folder_of(project)
            if not LexicalFiles.exists(folder):  # Noted first, so a process that is killed here loses nothing.
                self._database.write_waiting(lambda connection: rows.note_all(connection, project))
            files = self._files[project] = LexicalFiles(folder)
        while True:
            added, gone = self._database.read_waiting(lambda connection: rows.changes(connection, project, _AT_ONCE))
            if not added and not gone:
                return
            files.change([_added(row) for row in added], gone)
            self._database.write_waiting(_noted([row.id for row in added], gone))

    def _forget(self, project: str) -> None:
        """Delete the folder. It is renamed first, so nobody takes what is left of it for the whole."""
        self._files.pop(project, None)
        folder = self._folder_of(project)
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
