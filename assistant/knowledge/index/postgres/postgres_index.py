"""The index on a PostgreSQL server."""

from collections.abc import Collection, Sequence
from functools import partial

from assistant.core.clock import Clock
from assistant.core.knowledge.passages import Passage
from assistant.core.records.egress import DataClass, EgressLedger
from assistant.knowledge.idle_times import IdleTimes
from assistant.knowledge.index.filling import Filling, Missing
from assistant.knowledge.index.passage_index import Hit, IndexState
from assistant.knowledge.index.postgres import work
from assistant.knowledge.index.postgres.server import Connection, PostgresServer
from assistant.knowledge.index.texts import plain
from assistant.knowledge.meaning.embedder import Embedder, Vectors
from assistant.tasks import TaskSupervisor


class PostgresIndex:
    """``PassageIndex`` on a server with pgvector, which several machines may share. Make it with ``open``."""

    def __init__(
        self, server: PostgresServer, filling_server: PostgresServer, embedder: Embedder, clock: Clock
    ) -> None:
        self._server, self._filling_server = server, filling_server
        self._filling = Filling(_Vectors(filling_server), embedder, clock)
        self._tasks = TaskSupervisor()

    @classmethod
    async def open(
        cls, address: str, password: str, embedder: Embedder, clock: Clock, ledger: EgressLedger
    ) -> "PostgresIndex":
        """Connect, and make the tables that are missing.

        Args:
            address: ``postgresql://user@host:port/database``.
            password: the password; empty for none.
            embedder: makes vectors.
            clock: times the retries of the embedder.
            ledger: takes a record of what is sent to another machine.

        Raises:
            StorageError: the server cannot be reached, has no pgvector, or does not let this user make tables.
        """
        index = cls(
            PostgresServer(address, password, ledger), PostgresServer(address, password, ledger), embedder, clock
        )
        try:
            await index._server.run(_nothing, data=DataClass.NONE)
        except BaseException:
            await index.close()
            raise
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
        size = sum(len(each.text.encode("utf-8", "replace")) for each in passages)
        await self._server.run(
            partial(work.replace, project=project, file=file, passages=passages, name=name), size=size
        )
        self._filling.wake()

    async def remove(self, project: str, file: str | None = None) -> None:
        """See ``PassageIndex``."""
        await self._server.run(partial(work.remove, project=project, file=file), data=DataClass.NONE)

    async def search(
        self, question: str, projects: Collection[str], *, files: Collection[str] | None = None, limit: int = 10
    ) -> Sequence[Hit]:
        """See ``PassageIndex``."""
        question = plain(question)
        vector = await self._filling.question(question)
        asked = partial(work.found, question=question, projects=projects, files=files, vector=vector, limit=limit)
        return await self._server.run(asked, size=len(question.encode()), data=DataClass.QUERY)

    async def state(self, project: str) -> IndexState:
        """See ``PassageIndex``."""
        passages, waiting = await self._server.run(partial(work.counts, project=project), data=DataClass.NONE)
        return IndexState(passages=passages, waiting=waiting, meaning=self._filling.works or waiting < passages)

    async def files(self, project: str) -> frozenset[str]:
        """See ``PassageIndex``."""
        return await self._server.run(partial(work.files_of, project=project), data=DataClass.NONE)

    async def close(self) -> None:
        """See ``PassageIndex``."""
        await self._tasks.close()
        self._filling.close()
        await self._server.close()
        await self._filling_server.close()


class _Vectors:
    """``VectorStore`` on the server."""

    def __init__(self, server: PostgresServer) -> None:
        self._server = server

    async def use(self, embedder: str) -> None:
        await self._server.run(partial(work.use_vectors_of, embedder=embedder), data=DataClass.NONE)

    async def missing(self, after: int) -> Sequence[Missing]:
        return await self._server.run(partial(work.missing, after=after), data=DataClass.NONE)

    async def keep(self, digests: Sequence[bytes], vectors: Vectors) -> None:
        await self._server.run(partial(work.keep, digests=digests, vectors=vectors), size=vectors.nbytes)


def _nothing(connection: Connection) -> None:
    """Connecting makes the tables."""
    del connection
