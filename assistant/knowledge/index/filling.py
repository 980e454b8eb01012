"""Computes the vectors that an index lacks, in the background."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

import numpy as np

from assistant.core.clock import Clock
from assistant.core.errors import SoriError, StorageError
from assistant.knowledge.idle_times import AlwaysIdle, IdleTimes
from assistant.knowledge.meaning.embedder import Embedder, Vectors
from assistant.tasks import first_of

_log = logging.getLogger(__name__)

AT_ONCE: Final = 8
"""Passages whose vectors are stored together. A kill loses the work on so many."""
_RETRY_S: Final = 30.0
"""Time after which an embedder that could not work is asked again."""


class Missing(NamedTuple):
    """A passage whose text has no vector."""

    id: int
    digest: bytes
    text: str


class VectorStore(Protocol):
    """What keeps the vectors of an index."""

    async def use(self, embedder: str) -> None:
        """Forget all vectors unless this embedder made them."""
        ...

    async def missing(self, after: int) -> Sequence[Missing]:
        """The next passages without a vector, in the order of their ids: ``AT_ONCE`` of them with greater ids."""
        ...

    async def keep(self, digests: Sequence[bytes], vectors: Vectors) -> None:
        """Store vectors of texts, those that are gone left out."""
        ...


class Filling:
    """Asks an embedder for what a store lacks.

    Args:
        store: keeps the vectors.
        embedder: makes them.
        clock: times the retries.
    """

    def __init__(self, store: VectorStore, embedder: Embedder, clock: Clock) -> None:
        self._store, self._embedder, self._clock = store, embedder, clock
        self._news, self._still = asyncio.Event(), asyncio.Event()
        self.pause: IdleTimes = AlwaysIdle()
        """Lets the work wait while Sori answers or speaks."""
        self.works = False
        """Whether the embedder worked when it was asked last."""

    async def run(self) -> None:
        """Compute the vectors that are missing, until it is cancelled."""
        after, made_by = 0, ""
        while True:
            self._news.clear()
            try:
                if made_by != self._embedder.name:
                    after, made_by = 0, self._embedder.name
                    await self._store.use(made_by)
                missing = await self._store.missing(after)
                if not missing:
                    self._still.set()
                    await self._news.wait()
                    continue
                await self._fill(missing)
                after = missing[-1].id
            except StorageError as error:
                _log.warning("The vectors of passages cannot be stored: %s", error)
                await self._rest()
            except SoriError as error:
                _log.info("Passages have no vectors yet: %s", error)
                self.works = False
                await self._rest()

    def wake(self) -> None:
        """Passages were added, or the embedder can work now."""
        self._still.clear()
        self._news.set()

    async def settled(self) -> None:
        """Wait until no vector is missing, or none can be computed at present."""
        await self._still.wait()

    async def question(self, text: str) -> Vectors | None:
        """The vector of a question; ``None`` if there is none at present."""
        try:
            vector = await self._embedder.question(text)
        except SoriError as error:
            _log.info("A question has no vector: %s", error)
            return None
        return vector

    def close(self) -> None:
        """End the threads of the embedder."""
        self._embedder.close()

    async def _fill(self, missing: Sequence[Missing]) -> None:
        texts = {each.digest: each.text for each in missing}
        each, at_once = list(texts.values()), self._embedder.at_once
        vectors: list[Vectors] = []
        for start in range(0, len(each), at_once):
            await self.pause.free()
            vectors.append(await self._embedder.passages(each[start : start + at_once]))
            self.works = True
        await self._store.keep(list(texts), np.concatenate(vectors))

    async def _rest(self) -> None:
        self._still.set()
        await first_of(self._clock.sleep(_RETRY_S), self._told())

    async def _told(self) -> None:
        await self._news.wait()
