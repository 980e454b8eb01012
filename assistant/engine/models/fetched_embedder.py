"""Fetches the model of meanings when the first project needs it."""

from collections.abc import Sequence

from assistant.engine.models.fetches import ModelFetches
from assistant.knowledge.meaning.embedder import Vectors
from assistant.knowledge.meaning.local_embedder import MODEL, LocalEmbedder


class FetchedEmbedder:
    """``Embedder`` whose model is fetched in the background as soon as there are passages. Until then words alone find.

    Args:
        local: runs the model.
        fetches: fetches it.
    """

    def __init__(self, local: LocalEmbedder, fetches: ModelFetches) -> None:
        self._local, self._fetches = local, fetches

    @property
    def name(self) -> str:
        """See ``Embedder``."""
        return self._local.name

    @property
    def at_once(self) -> int:
        """See ``Embedder``."""
        return self._local.at_once

    async def question(self, text: str) -> Vectors:
        """See ``Embedder``."""
        return await self._local.question(text)

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder``."""
        await self._fetches.ensure(MODEL)
        return await self._local.passages(texts)

    def close(self) -> None:
        """See ``Embedder``."""
        self._local.close()
