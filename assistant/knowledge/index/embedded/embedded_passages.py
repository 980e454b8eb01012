"""Passages and vectors on this machine."""

import logging
import sqlite3
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

from assistant.core.clock import Clock
from assistant.core.errors import StorageError
from assistant.core.knowledge.passages import Passage
from assistant.knowledge.index.embedded import rows
from assistant.knowledge.index.embedded.lexical import BrokenFilesError
from assistant.knowledge.index.embedded.meanings import PassageMeanings
from assistant.knowledge.index.embedded.words import PassageWords
from assistant.knowledge.index.fusion import CANDIDATES, fused
from assistant.knowledge.index.passage_index import Hit
from assistant.knowledge.index.passage_store import AT_ONCE, Missing, PassageQuery
from assistant.knowledge.meaning.embedder import Vectors
from assistant.storage.database import Database, DatabaseReader

_log = logging.getLogger(__name__)

_SPARE = 10
"""Hits beyond the limit, because a passage may go while it is looked for."""


class EmbeddedPassages:
    """``PassageStore`` in a folder of this machine. Make it with ``open``.

    A search is one piece of work on the thread of a reader of its own. Each change of threads costs more than the
    search itself while the machine is busy, and a write must not let a question wait.

    Attributes:
        set_aside: the path to which a damaged file of rows was moved, or ``None``. All files are to be given again.
    """

    def __init__(self, folder: Path, database: Database) -> None:
        self._folder, self._database = folder, database
        self.set_aside = database.set_aside
        self._reader = DatabaseReader(database.path)
        self._words = PassageWords(self._folder_of, database)
        self._meanings = PassageMeanings(self._folder_of, database)

    @classmethod
    async def open(cls, folder: Path, clock: Clock) -> "EmbeddedPassages":
        """Open the passages in a folder, or make them.

        Raises:
            StorageError: the folder cannot be read or written.
        """
        return cls(folder, await Database.open(folder / "passages.db", clock, rows.STEPS))

    async def replace(self, project: str, file: str, passages: Sequence[Passage], name: str) -> None:
        """See ``PassageStore``."""
        replaced = await self._database.write(
            lambda connection: rows.replace(connection, project, file, name, passages)
        )
        await self._meanings.changed(project, replaced)

    async def remove(self, project: str, file: str | None) -> None:
        """See ``PassageStore``."""
        removed = await self._database.write(lambda connection: rows.remove(connection, project, file))
        if file is None:
            await self._meanings.forget(project)
            await self._words.forget(project)
        else:
            await self._meanings.changed(project, removed)

    async def search(self, query: PassageQuery) -> Sequence[Hit]:
        """See ``PassageStore``."""
        try:
            return await self._searched(query)
        except BrokenFilesError as error:
            _log.warning("The files of words of a project are broken; they are made anew: %s", error.__cause__)
        try:
            for project in query.projects:
                await self._words.forget(project)
            return await self._searched(query)
        except BrokenFilesError as error:
            raise StorageError(str(self._folder), str(error), cause=error) from error

    async def counts(self, project: str) -> tuple[int, int]:
        """See ``PassageStore``."""
        return await self._reader.read(lambda connection: rows.counts(connection, project))

    async def files(self, project: str) -> frozenset[str]:
        """See ``PassageStore``."""
        return await self._reader.read(lambda connection: rows.files_of(connection, project))

    async def use(self, embedder: str) -> None:
        """See ``PassageStore``."""
        if await self._database.write(lambda connection: rows.use_vectors_of(connection, embedder)):
            await self._meanings.forget_all(self._folder / "index")

    async def missing(self, after: int) -> Sequence[Missing]:
        """See ``PassageStore``."""
        return await self._reader.read(lambda connection: rows.without_vector(connection, after, AT_ONCE))

    async def keep(self, digests: Sequence[bytes], vectors: Vectors) -> None:
        """See ``PassageStore``."""
        owners = await self._database.write(
            lambda connection: rows.add_vectors(connection, digests, vectors), durable=False
        )
        for project, ids in owners.items():
            await self._meanings.changed(project, rows.Replaced(tuple(ids), ()))

    async def close(self) -> None:
        """See ``PassageStore``."""
        await self._reader.close()
        await self._words.close()
        await self._meanings.close()
        await self._database.close()

    async def _searched(self, query: PassageQuery) -> Sequence[Hit]:
        found = await self._reader.read(lambda connection: self._found(connection, query))
        if found is None:
            for project in query.projects:
                await self._words.catch_up(project)
                await self._meanings.open(project)
            # What is added from now on need not be found, and must not keep a question waiting.
            found = await self._reader.read(lambda connection: self._found(connection, query, as_it_is=True))
        return found or ()

    def _found(
        self, connection: sqlite3.Connection, query: PassageQuery, *, as_it_is: bool = False
    ) -> Sequence[Hit] | None:
        """Search, on the reader's thread; ``None`` if files are not open or lack rows, unless ``as_it_is``."""
        opened = all(self._words.is_open(each) and self._meanings.is_open(each) for each in query.projects)
        if not as_it_is and (not opened or rows.behind(connection, query.projects)):
            return None
        most, words, near = max(query.limit, CANDIDATES), dict[int, float](), dict[int, float]()
        for project in query.projects:
            by_words = dict(self._words.search(project, query.question, query.files, most))
            words.update(by_words)
            if query.vector is not None:
                near.update(self._meanings.search(connection, project, query.vector, query.files, most))
                near.update(self._meanings.products(project, by_words.keys() - near.keys(), query.vector))
        return rows.hits(connection, fused(words, near, query.limit + _SPARE))[: query.limit]

    def _folder_of(self, project: str) -> Path:
        """The folder of a project's files. Its name is a checksum, because an id may be no file name."""
        return self._folder / "index" / blake2b(project.encode(), digest_size=8).hexdigest()
