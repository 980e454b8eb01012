"""Computes the vectors that an index lacks, in the background."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Final

import numpy as np

from assistant.core.clock import Clock
from assistant.core.errors import SoriError, StorageError
from assistant.knowledge.idle_times import AlwaysIdle, IdleTimes
from assistant.knowledge.index.fusion import is_scaled
from assistant.knowledge.index.passage_store import Missing, PassageStore
from assistant.knowledge.meaning.embedder import Embedder, Vectors
from assistant.tasks import first_of

_log = logging.getLogger(__name__)

_RETRY_S: Final = 30.0
"""Time after which an embedder that could not work is asked again."""
_QUESTIONS: Final = 16
"""Questions whose vectors are kept. A turn asks the same question again for another model or an early answer."""


class Filling:
    """Asks an embedder for what a store lacks.

    Args:
        store: keeps passages and their vectors.
        embedder: makes them.
        clock: times the retries.
    """

    def __init__(self, store: PassageStore, embedder: Embedder, clock: Clock) -> None:
        self.store = store
        self._embedder, self._clock = embedder, clock
        self._questions: dict[tuple[str, str], Vectors] = {}
        self._news, self._still = asyncio.Event(), asyncio.Event()
        self.pause: IdleTimes = AlwaysIdle()
        """Lets the work wait while Sori answers or speaks."""
        self.works = False
        """Whether the embedder worked when it was asked last."""

    @property
    def is_scaled(self) -> bool:
        """Whether the nearness of its vectors is on the scale of all searches."""
        return is_scaled(self._embedder.name)

    async def run(self) -> None:
        """Compute the vectors that are missing, until it is cancelled."""
        after, made_by = 0, ""
        while True:
            self._news.clear()
            try:
                if made_by != self._embedder.name:
                    after, made_by = 0, self._embedder.name
                    await self.store.use(made_by)
                missing = await self.store.missing(after)
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
        asked = self._embedder.name, text
        if (vector := self._questions.get(asked)) is None:
            try:
                vector = await self._embedder.question(text)
            except SoriError as error:
                _log.info("A question has no vector: %s", error)
                return None
            self._questions[asked] = vector
            if len(self._questions) > _QUESTIONS:
                del self._questions[next(iter(self._questions))]
        return vector

    async def close(self) -> None:
        """End the threads of the embedder, and close the store. ``run`` has ended."""
        self._embedder.close()
        await self.store.close()

    async def _fill(self, missing: Sequence[Missing]) -> None:
        texts = {each.digest: each.text for each in missing}
        each, at_once = list(texts.values()), self._embedder.at_once
        vectors: list[Vectors] = []
        for start in range(0, len(each), at_once):
            await self.pause.free()
            vectors.append(await self._embedder.passages(each[start : start + at_once]))
            self.works = True
        await self.store.keep(list(texts), np.concatenate(vectors))

    async def _rest(self) -> None:
        self._still.set()
        await first_of(self._clock.sleep(_RETRY_S), self._told())

    async def _told(self) -> None:
        await self._news.wait()
