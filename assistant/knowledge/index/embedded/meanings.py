"""The passages of all projects by their meaning."""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.knowledge.index.embedded import rows
from assistant.knowledge.index.embedded.vector_files import VectorFiles
from assistant.knowledge.index.filling import AT_ONCE, Missing
from assistant.knowledge.meaning.embedder import Vectors
from assistant.storage.database import Database
from assistant.tasks import come_last


class Meanings:
    """``VectorStore`` of an index on this machine, which finds passages too.

    Args:
        folder_of: gives the folder of a project's files.
        database: the rows.
    """

    def __init__(self, folder_of: Callable[[str], Path], database: Database) -> None:
        self._folder_of, self._database = folder_of, database
        self._files: dict[str, VectorFiles] = {}
        self._changing = asyncio.Lock()
        self._changes = ThreadPoolExecutor(1, "vectors", initializer=come_last)
        self._searches = ThreadPoolExecutor(1, "nearest vectors")

    async def use(self, embedder: str) -> None:
        """See ``VectorStore``."""
        if await self._database.write(lambda connection: rows.use_vectors_of(connection, embedder)):
            self._files.clear()

    async def missing(self, after: int) -> Sequence[Missing]:
        """See ``VectorStore``."""
        return await self._database.read(lambda connection: rows.without_vector(connection, after, AT_ONCE))

    async def keep(self, digests: Sequence[bytes], vectors: Vectors) -> None:
        """See ``VectorStore``."""
        owners = await self._database.write(
            lambda connection: rows.add_vectors(connection, digests, vectors), durable=False
        )
        for project, ids in owners.items():
            if (files := self._files.get(project)) is not None:
                fetched = await self._database.read(partial(rows.vectors_of, ids=ids))
                async with self._changing:
                    await asyncio.get_running_loop().run_in_executor(self._changes, files.add, *fetched)

    async def changed(self, project: str, replaced: rows.Replaced) -> None:
        """Follow a replacement or a removal."""
        if (files := self._files.get(project)) is not None:
            async with self._changing:
                loop = asyncio.get_running_loop()
                await loop.run_in_executor(self._changes, files.remove, replaced.went)
                ids, vectors = await self._database.read(lambda connection: rows.vectors_of(connection, replaced.came))
                if len(ids):
                    await loop.run_in_executor(self._changes, files.add, ids, vectors)

    def forget(self, project: str) -> None:
        """Take a project out of memory."""
        self._files.pop(project, None)

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
