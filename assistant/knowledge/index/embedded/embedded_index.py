"""The index on this machine."""

import asyncio
import contextlib
import logging
import shutil
import sqlite3
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import ParamSpec, TypeVar

from assistant.core.clock import Clock
from assistant.core.knowledge.passages import Passage
from assistant.knowledge.index.embedded import rows
from assistant.knowledge.index.embedded.lexical import Added, BrokenFilesError, LexicalFiles
from assistant.knowledge.index.passage_index import Hit, IndexState
from assistant.storage.database import Database

_log = logging.getLogger(__name__)

Given = ParamSpec("Given")
Result = TypeVar("Result")

_AT_ONCE = 2_000
"""Passages whose words are written at once."""


class EmbeddedIndex:
    """``PassageIndex`` in a folder of this machine.

    Make it with ``open``. A damaged file of rows is set aside; ``set_aside`` then names it, and ``files`` is empty.

    Args:
        folder: the folder of the index.
        database: its rows.
    """

    def __init__(self, folder: Path, database: Database) -> None:
        self._folder = folder
        self._database = database
        self.set_aside = database.set_aside
        self._lexical: dict[str, LexicalFiles] = {}
        self._writing = asyncio.Lock()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="passage index")

    @classmethod
    async def open(cls, folder: Path, clock: Clock) -> "EmbeddedIndex":
        """Open the index in a folder; make it if it is not there.

        Raises:
            StorageError: the folder cannot be read or written.
        """
        return cls(folder, await Database.open(folder / "passages.db", clock, rows.STEPS))

    async def replace(self, project: str, file: str, passages: Sequence[Passage], *, name: str = "") -> None:
        """See ``PassageIndex``."""
        await self._database.write(lambda connection: rows.replace(connection, project, file, name, passages))

    async def remove(self, project: str, file: str | None = None) -> None:
        """See ``PassageIndex``."""
        await self._database.write(lambda connection: rows.remove(connection, project, file))
        if file is None:
            async with self._writing:
                self._lexical.pop(project, None)
                await self._on_thread(_throw_away, self._folder_of(project))

    async def search(
        self, question: str, projects: Collection[str], *, files: Collection[str] | None = None, limit: int = 10
    ) -> Sequence[Hit]:
        """See ``PassageIndex``."""
        found: list[tuple[int, float]] = []
        for project in dict.fromkeys(projects):
            found += await self._by_words(project, question, files, limit)
        found.sort(key=lambda each: -each[1])
        scores = dict(found[:limit])
        known = await self._database.read(lambda connection: rows.rows(connection, scores))
        best = max(scores.values(), default=1.0)
        return [
            Hit(project=row.project, file=row.file, number=row.number, score=scores[row.id] / best) for row in known
        ]

    async def state(self, project: str) -> IndexState:
        """See ``PassageIndex``."""
        passages, waiting = await self._database.read(lambda connection: rows.counts(connection, project))
        return IndexState(passages=passages, waiting=waiting, meaning=False)

    async def files(self, project: str) -> frozenset[str]:
        """See ``PassageIndex``."""
        return await self._database.read(lambda connection: rows.files_of(connection, project))

    async def close(self) -> None:
        """See ``PassageIndex``."""
        async with self._writing:
            await self._database.close()
            self._thread.shutdown()

    async def _by_words(
        self, project: str, question: str, files: Collection[str] | None, limit: int
    ) -> list[tuple[int, float]]:
        try:
            lexical = await self._caught_up(project)
            return await self._on_thread(lexical.search, question, files, limit)
        except BrokenFilesError:
            _log.warning("The files of words of project %s are broken; they are made anew", project, exc_info=True)
            await self._drop_words(project)
            lexical = await self._caught_up(project)
            return await self._on_thread(lexical.search, question, files, limit)

    async def _caught_up(self, project: str) -> LexicalFiles:
        """The files of words of a project, with all changes."""
        async with self._writing:
            if (lexical := self._lexical.get(project)) is None:
                folder = self._folder_of(project)
                if not LexicalFiles.exists(folder):  # Noted first, so a process that is killed here loses nothing.
                    await self._database.write(lambda connection: rows.note_all(connection, project))
                lexical = self._lexical[project] = await self._on_thread(LexicalFiles, folder)
            while True:
                added, gone = await self._database.read(lambda connection: rows.changes(connection, project, _AT_ONCE))
                if not added and not gone:
                    return lexical
                await self._on_thread(lexical.change, [_added(row) for row in added], gone)
                await self._database.write(_noted([row.id for row in added], gone), durable=False)

    async def _drop_words(self, project: str) -> None:
        async with self._writing:
            self._lexical.pop(project, None)
            await self._on_thread(_throw_away, self._folder_of(project))

    def _folder_of(self, project: str) -> Path:
        """The folder of a project's files. Its name is a checksum, because an id may be no file name."""
        return self._folder / "index" / blake2b(project.encode(), digest_size=8).hexdigest()

    async def _on_thread(self, work: Callable[Given, Result], *given: Given.args, **named: Given.kwargs) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, partial(work, *given, **named))


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
