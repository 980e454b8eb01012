"""Passages and vectors on a PostgreSQL server."""

from collections.abc import Sequence
from functools import partial

from assistant.core.knowledge.passages import Passage
from assistant.core.records.egress import DataClass, EgressLedger
from assistant.knowledge.index.passage_index import Hit
from assistant.knowledge.index.passage_store import Missing, PassageQuery
from assistant.knowledge.index.postgres import work
from assistant.knowledge.index.postgres.schema import SCHEMA, TABLES
from assistant.knowledge.meaning.embedder import Vectors
from assistant.storage.postgres.server import Connection, PostgresServer


class PostgresPassages:
    """``PassageStore`` on a server with pgvector, which several machines may share. Make it with ``open``."""

    def __init__(self, server: PostgresServer, filling: PostgresServer) -> None:
        self._server, self._filling = server, filling

    @classmethod
    async def open(cls, address: str, password: str, ledger: EgressLedger) -> "PostgresPassages":
        """Connect twice, so that a question never waits for the vectors of passages, and make the tables.

        Args:
            address: see ``PostgresServer``.
            password: see ``PostgresServer``.
            ledger: see ``PostgresServer``.

        Raises:
            StorageError: the server cannot be reached, has no pgvector, or does not let this user make tables.
        """

        def connected() -> PostgresServer:
            return PostgresServer(address, password, ledger, purpose="index", schema=SCHEMA, begin=TABLES)

        store = cls(connected(), connected())
        try:
            await store._server.run(_nothing, data=DataClass.NONE)
        except BaseException:
            await store.close()
            raise
        return store

    async def replace(self, project: str, file: str, passages: Sequence[Passage], name: str) -> None:
        """See ``PassageStore``."""
        size = sum(len(each.text.encode("utf-8", "replace")) for each in passages)
        await self._server.run(
            partial(work.replace, project=project, file=file, passages=passages, name=name), size=size
        )

    async def remove(self, project: str, file: str | None) -> None:
        """See ``PassageStore``."""
        await self._server.run(partial(work.remove, project=project, file=file), data=DataClass.NONE)

    async def search(self, query: PassageQuery) -> Sequence[Hit]:
        """See ``PassageStore``."""
        size = len(query.question.encode())
        return await self._server.run(partial(work.found, query=query), size=size, data=DataClass.QUERY)

    async def counts(self, project: str) -> tuple[int, int]:
        """See ``PassageStore``."""
        return await self._server.run(partial(work.counts, project=project), data=DataClass.NONE)

    async def files(self, project: str) -> frozenset[str]:
        """See ``PassageStore``."""
        return await self._server.run(partial(work.files_of, project=project), data=DataClass.NONE)

    async def use(self, embedder: str) -> None:
        """See ``PassageStore``."""
        await self._filling.run(partial(work.use_vectors_of, embedder=embedder), data=DataClass.NONE)

    async def missing(self, after: int) -> Sequence[Missing]:
        """See ``PassageStore``."""
        return await self._filling.run(partial(work.missing, after=after), data=DataClass.NONE)

    async def keep(self, digests: Sequence[bytes], vectors: Vectors) -> None:
        """See ``PassageStore``."""
        await self._filling.run(partial(work.keep, digests=digests, vectors=vectors), size=vectors.nbytes)

    async def close(self) -> None:
        """See ``PassageStore``."""
        await self._server.close()
        await self._filling.close()


def _nothing(connection: Connection) -> None:
    """Connecting makes the tables."""
    del connection
