"""The index on this machine."""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

from assistant.core.clock import Clock
from assistant.core.errors import StorageError
from assistant.core.knowledge.passages import Passage
from assistant.knowledge.idle_times import IdleTimes
from assistant.knowledge.index.embedded import rows
from assistant.knowledge.index.embedded.lexical import BrokenFilesError
from assistant.knowledge.index.embedded.meanings import Meanings
from assistant.knowledge.index.embedded.words import PassageWords
from assistant.knowledge.index.filling import Filling
from assistant.knowledge.index.fusion import CANDIDATES, fused
from assistant.knowledge.index.passage_index import Hit, IndexState
from assistant.knowledge.index.texts import plain
from assistant.knowledge.meaning.embedder import Embedder
from assistant.storage.database import Database
from assistant.tasks import TaskSupervisor

_SPARE = 10
"""Hits beyond the limit, because a passage may go while it is looked for."""


class EmbeddedIndex:
    """``PassageIndex`` in a folder of this machine. Make it with ``open``.

    Attributes:
        set_aside: the path to which a damaged file of rows was moved, or ``None``. All files are to be given again.
    """

    def __init__(self, folder: Path, database: Database, embedder: Embedder, clock: Clock) -> None:
        self._folder, self._database = folder, database
        self.set_aside = database.set_aside
        self._words = PassageWords(self._folder_of, database)
        self._meanings = Meanings(self._folder_of, database)
        self._filling = Filling(self._meanings, embedder, clock)
        self._tasks = TaskSupervisor()

    @classmethod
    async def open(cls, folder: Path, embedder: Embedder, clock: Clock) -> "EmbeddedIndex":
        """Open the index in a folder, or make it; vectors that are missing are computed in the background.

        Args:
            folder: the folder.
            embedder: makes vectors.
            clock: times the retries of the embedder.

        Raises:
            StorageError: the folder cannot be read or written.
        """
        database = await Database.open(folder / "passages.db", clock, rows.STEPS)
        index = cls(folder, database, embedder, clock)
        index._tasks.start(index._filling.run(), name="vectors of passages")
        return index

    def wake(self) -> None:
        """The embedder can work now, for example because its model was fetched."""
        self._filling.wake()

    def pause_while(self, pause: IdleTimes) -> None:
        """See ``PassageIndex``."""
        self._filling.pause = pause

    async def settled(self) -> None:
        """Wait until all meanings are there, or none can be computed at present."""
        await self._filling.settled()

    async def replace(self, project: str, file: str, passages: Sequence[Passage], *, name: str = "") -> None:
        """See ``PassageIndex``."""
        replaced = await self._database.write(
            lambda connection: rows.replace(connection, project, file, name, passages)
        )
        await self._meanings.changed(project, replaced)
        self._filling.wake()

    async def remove(self, project: str, file: str | None = None) -> None:
        """See ``PassageIndex``."""
        removed = await self._database.write(lambda connection: rows.remove(connection, project, file))
        if file is None:
            self._meanings.forget(project)
            await self._words.forget(project)
        else:
            await self._meanings.changed(project, removed)

    async def search(
        self, question: str, projects: Collection[str], *, files: Collection[str] | None = None, limit: int = 10
    ) -> Sequence[Hit]:
        """See ``PassageIndex``."""
        question = plain(question)
        projects, most = dict.fromkeys(projects), max(limit, CANDIDATES)
        words, vector = await asyncio.gather(
            self._by_words(question, projects, files, most), self._filling.question(question)
        )
        near: dict[int, float] = {}
        if vector is not None:
            for project in projects:
                near.update(await self._meanings.search(project, vector, files, most))
            near.update(await self._meanings.products(words.keys() - near.keys(), vector))
        scores = dict(fused(words, near, limit + _SPARE))
        known = await self._database.read(lambda connection: rows.rows(connection, scores))
        return [
            Hit(project=row.project, file=row.file, number=row.number, score=scores[row.id]) for row in known[:limit]
        ]

    async def state(self, project: str) -> IndexState:
        """See ``PassageIndex``."""
        passages, waiting = await self._database.read(lambda connection: rows.counts(connection, project))
        return IndexState(passages=passages, waiting=waiting, meaning=self._filling.works or waiting < passages)

    async def files(self, project: str) -> frozenset[str]:
        """See ``PassageIndex``."""
        return await self._database.read(lambda connection: rows.files_of(connection, project))

    async def close(self) -> None:
        """See ``PassageIndex``."""
        await self._tasks.close()
        self._filling.close()
        await self._words.close()
        await self._meanings.close()
        await self._database.close()

    async def _by_words(
        self, question: str, projects: Iterable[str], files: Collection[str] | None, limit: int
    ) -> Mapping[int, float]:
        found = dict[int, float]()
        try:
            for project in projects:
                found.update(await self._words.search(project, question, files, limit))
        except BrokenFilesError as error:
            raise StorageError(str(self._folder), str(error), cause=error) from error
        return found

    def _folder_of(self, project: str) -> Path:
        """The folder of a project's files. Its name is a checksum, because an id may be no file name."""
        return self._folder / "index" / blake2b(project.encode(), digest_size=8).hexdigest()
