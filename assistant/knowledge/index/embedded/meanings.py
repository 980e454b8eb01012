"""The passages of all projects by their meaning."""

import asyncio
import logging
import sqlite3
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.core.errors import StorageError
from assistant.knowledge.index.embedded import rows
from assistant.knowledge.index.embedded.vector_files import VectorFiles
from assistant.knowledge.meaning.embedder import Vectors
from assistant.storage.database import Database
from assistant.tasks import come_last

_log = logging.getLogger(__name__)


class PassageMeanings:
    """Finds passages by the vectors of their texts.

    One thread changes what is in memory, and another, which comes last, makes large files of it. A third may search.

    Args:
        folder_of: gives the folder of a project's files.
        database: the rows.
    """

    def __init__(self, folder_of: Callable[[str], Path], database: Database) -> None:
        self._folder_of, self._database = folder_of, database
        self._files: dict[str, VectorFiles | None] = {}
        """The projects that are open; ``None`` for one without vectors."""
        self._changes = ThreadPoolExecutor(1, "vectors")
        self._seals = ThreadPoolExecutor(1, "sealed vectors", initializer=come_last)
        self._closing = threading.Event()

    def is_open(self, project: str) -> bool:
        """Whether the files of a project can be searched."""
        return project in self._files

    def search(
        self,
        connection: sqlite3.Connection,
        project: str,
        vector: Vectors,
        within: Collection[str] | None,
        limit: int,
    ) -> Mapping[int, float]:
        """Passages of a project, with the products of their vectors and this one. It blocks."""
        if within is not None:
            products = rows.products(connection, rows.of_files(connection, project, within), vector)
            return dict(sorted(products.items(), key=lambda each: -each[1])[:limit])
        files = self._files.get(project)
        return {} if files is None or files.dimensions != len(vector) else dict(files.search(vector, limit))

    def products(self, project: str, ids: Collection[int], vector: Vectors) -> Mapping[int, float]:
        """The products of the vectors of these passages and this one, of those that have a vector. It blocks."""
        files = self._files.get(project)
        return {} if files is None or files.dimensions != len(vector) else files.products(ids, vector)

    async def open(self, project: str) -> None:
        """Open the files of a project.

        Raises:
            StorageError: the rows cannot be read.
        """
        await asyncio.get_running_loop().run_in_executor(self._changes, self._open, project)

    async def changed(self, project: str, replaced: rows.Replaced) -> None:
        """Follow a replacement, a removal, or new vectors.

        Raises:
            StorageError: the rows cannot be read.
        """
        if self.is_open(project):
            await asyncio.get_running_loop().run_in_executor(self._changes, self._follow, project, replaced)

    async def forget(self, project: str) -> None:
        """Take a project out of memory."""
        await asyncio.get_running_loop().run_in_executor(self._changes, self._files.pop, project, None)

    async def forget_all(self, folder: Path) -> None:
        """Throw all files away, because another model makes the vectors from now on."""
        await asyncio.get_running_loop().run_in_executor(self._changes, self._forget_all, folder)

    async def close(self) -> None:
        """Wait for the change that is being made, give up a file that is being made, and end the threads."""
        self._closing.set()
        for each in (self._changes, self._seals):
            await asyncio.to_thread(each.shutdown)

    def _open(self, project: str) -> None:
        if project not in self._files:
            ids = self._database.read_waiting(lambda connection: rows.with_vector(connection, project))
            files = None
            if len(ids):
                _, first = self._fetch(ids[:1].tolist())
                files = VectorFiles(
                    self._folder_of(project), first.shape[1], ids, self._fetch, lambda: not self._closing.is_set()
                )
            self._files[project] = files

    def _follow(self, project: str, replaced: rows.Replaced) -> None:
        if (files := self._files.get(project)) is None:
            self._files.pop(project, None)  # It may have its first vectors now.
            return
        if replaced.went:
            files.remove(replaced.went)
        ids, vectors = self._fetch(replaced.came)
        if len(ids):
            files.add(ids, vectors)
        if files.is_full and not self._closing.is_set():
            self._seals.submit(self._seal, files)

    def _seal(self, files: VectorFiles) -> None:
        try:
            files.seal()
        except (StorageError, OSError) as error:  # The vectors stay in memory; the next ones try again.
            _log.warning("Vectors cannot be sealed: %s", error)

    def _forget_all(self, folder: Path) -> None:
        self._files.clear()
        for path in folder.glob("*/*.usearch"):
            path.unlink(missing_ok=True)

    def _fetch(self, ids: Sequence[int]) -> tuple[NDArray[np.int64], Vectors]:
        return self._database.read_waiting(lambda connection: rows.vectors_of(connection, ids))
