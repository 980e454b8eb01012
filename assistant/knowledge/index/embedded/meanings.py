"""The passages of all projects by their meaning, which is computed in the background."""

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from assistant.core.clock import Clock
from assistant.core.errors import SoriError, StorageError
from assistant.knowledge.index.embedded import rows
from assistant.knowledge.index.embedded.vector_files import VectorFiles
from assistant.knowledge.meaning.embedder import Embedder, Vectors
from assistant.storage.database import Database
from assistant.tasks import first_of

_log = logging.getLogger(__name__)

_AT_ONCE: Final = 8
"""Passages whose vectors are stored together. A kill loses the work on so many."""
_RETRY_S: Final = 30.0
"""Time after which an embedder that could not work is asked again."""


class Meanings:
    """Computes vectors, keeps them and finds passages by them.

    Args:
        folder_of: gives the folder of a project's files.
        database: the rows.
        embedder: makes vectors.
        clock: times the retries.
    """

    def __init__(self, folder_of: Callable[[str], Path], database: Database, embedder: Embedder, clock: Clock) -> None:
        self._folder_of, self._database, self._embedder, self._clock = folder_of, database, embedder, clock
        self._files: dict[str, VectorFiles] = {}
        self._changing = asyncio.Lock()
        self._changes = ThreadPoolExecutor(1, "vectors")
        self._searches = ThreadPoolExecutor(1, "nearest vectors")
        self._news = asyncio.Event()
        self.works = False
        """Whether the embedder worked when it was asked last."""

    async def fill(self) -> None:
        """Compute the vectors that are missing, for ever.

        Raises:
            StorageError: the rows cannot be read or written.
        """
        after, made_by = 0, ""
        while True:
            self._news.clear()
            if made_by != self._embedder.name:
                after, made_by = 0, self._embedder.name
                await self._use(made_by)
            missing = await self._database.read(partial(rows.without_vector, after=after, limit=_AT_ONCE))
            if not missing:
                await self._news.wait()
            elif await self._filled(missing):
                after = missing[-1][0]
            else:
                await self._waited()

    def wake(self) -> None:
        """Passages were added, or the embedder can work now."""
        self._news.set()

    async def changed(self, project: str, replaced: rows.Replaced) -> None:
        """Follow a replacement or a removal."""
        if (files := self._files.get(project)) is not None:
            async with self._changing:
                loop = asyncio.get_running_loop()
                await loop.run_in_executor(self._changes, files.remove, replaced.went)
                ids, vectors = await self._database.read(lambda connection: rows.vectors_of(connection, replaced.came))
                if len(ids):
                    await loop.run_in_executor(self._changes, files.add, ids, vectors)
        self.wake()

    def forget(self, project: str) -> None:
        """Take a project out of memory."""
        self._files.pop(project, None)

    async def vector(self, question: str) -> Vectors | None:
        """The vector of a question; ``None`` if there is none at present."""
        try:
            vector = await self._embedder.question(question)
        except SoriError as error:
            _log.info("A question has no vector: %s", error)
            self.works = False
            return None
        self.works = True
        return vector

    async def search(
        self, project: str, vector: Vectors, files: Collection[str] | None, limit: int
    ) -> Mapping[int, float]:
        """Passages of a project, with the products of their vectors and this one.

        Raises:
            StorageError: the rows cannot be read.
        """
        if files is not None:
            within = await self._database.read(lambda connection: rows.of_files(connection, project, files))
            products = await self.products(within, vector)
            return dict(sorted(products.items(), key=lambda each: -each[1])[:limit])
        opened = await self._opened(project)
        if opened is None or opened.dimensions != len(vector):
            return {}
        return dict(await asyncio.get_running_loop().run_in_executor(self._searches, opened.search, vector, limit))

    async def products(self, ids: Collection[int], vector: Vectors) -> Mapping[int, float]:
        """The products of the vectors of these passages and this one, of those that have a vector.

        Raises:
            StorageError: the rows cannot be read.
        """
        known, vectors = await self._database.read(lambda connection: rows.vectors_of(connection, ids))
        if not len(known) or vectors.shape[1] != len(vector):
            return {}
        return dict(zip(known.tolist(), (vectors @ vector).tolist(), strict=True))

    async def close(self) -> None:
        """Wait for the change that is being made, and end the threads."""
        async with self._changing:
            self._changes.shutdown()
            self._searches.shutdown()

    async def _filled(self, missing: Sequence[tuple[int, bytes, str]]) -> bool:
        """Compute and store the vectors of these passages; whether the embedder could."""
        texts = {digest: text for _, digest, text in missing}
        try:
            vectors = await self._embedder.passages(list(texts.values()))
        except StorageError:
            raise
        except SoriError as error:
            _log.info("Passages have no vectors yet: %s", error)
            self.works = False
            return False
        self.works = True
        owners = await self._database.write(
            lambda connection: rows.add_vectors(connection, list(texts), vectors), durable=False
        )
        for project, ids in owners.items():
            if (files := self._files.get(project)) is not None:
                fetched = await self._database.read(partial(rows.vectors_of, ids=ids))
                async with self._changing:
                    await asyncio.get_running_loop().run_in_executor(self._changes, files.add, *fetched)
        return True

    async def _use(self, embedder: str) -> None:
        if await self._database.write(lambda connection: rows.use_vectors_of(connection, embedder)):
            self._files.clear()

    async def _waited(self) -> None:
        """Wait for news, or until the embedder may work again."""
        await first_of(self._clock.sleep(_RETRY_S), self._told())

    async def _told(self) -> None:
        await self._news.wait()

    async def _opened(self, project: str) -> VectorFiles | None:
        """The files of a project; ``None`` while it has no vectors."""
        if (files := self._files.get(project)) is None:
            async with self._changing:
                if (files := self._files.get(project)) is None:
                    loop = asyncio.get_running_loop()
                    files = await loop.run_in_executor(self._changes, self._open, project)
                    if files is not None:
                        self._files[project] = files
        return files

    def _open(self, project: str) -> VectorFiles | None:
        ids = self._database.read_waiting(lambda connection: rows.with_vector(connection, project))
        if not len(ids):
            return None
        _, first = self._fetch(ids[:1].tolist())
        return VectorFiles(self._folder_of(project), first.shape[1], ids, self._fetch)

    def _fetch(self, ids: Sequence[int]) -> tuple[NDArray[np.int64], Vectors]:
        return self._database.read_waiting(lambda connection: rows.vectors_of(connection, ids))
