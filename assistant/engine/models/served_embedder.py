"""Meanings from the model of ``[files] meanings``, on a server that the user chose."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from assistant.agent.model_choice import ModelChoice
from assistant.core.clock import Clock
from assistant.core.errors import ErrorCode, ProviderError, SoriError
from assistant.core.records.egress import DataClass
from assistant.core.settings import Provider
from assistant.knowledge.meaning.embedder import Vectors
from assistant.knowledge.meaning.prefixes import prefixes_of
from assistant.llm.backend import EmbeddingRequest, ProviderBackend

_QUESTION_S: Final = 5.0
"""Longest time of a question in seconds. Somebody waits, and words find without it."""
_PASSAGES_S: Final = 120.0
"""Longest time of a group of passages in seconds: a server may load its model first."""
_ALONE_S: Final = 30.0
"""Seconds for which a server that failed is not asked a question."""


class ServedEmbedder:
    """``Embedder`` that asks a server.

    Args:
        choice: the provider and its model.
        backend_for: gives the backend of a provider.
        clock: tells how long a server that failed is left alone.
        failed: told of the first failure after something that worked.
    """

    def __init__(
        self,
        choice: ModelChoice,
        backend_for: Callable[[Provider], ProviderBackend],
        clock: Clock,
        failed: Callable[[SoriError], None],
    ) -> None:
        self._choice, self._backend_for, self._clock, self._failed = choice, backend_for, clock, failed
        self._prefixes = prefixes_of(choice.model)
        self._failed_at: float | None = None
        self._size = 0

    @property
    def name(self) -> str:
        """See ``Embedder``. Vectors of a text with a prefix and without one do not compare."""
        return "|".join(filter(None, (self._choice.reference, *self._prefixes)))

    @property
    def at_once(self) -> int:
        """See ``Embedder``."""
        return 8

    async def question(self, text: str) -> Vectors:
        """See ``Embedder``."""
        if self._failed_at is not None and self._clock.monotonic() - self._failed_at < _ALONE_S:
            raise ProviderError(ErrorCode.ENGINE_UNAVAILABLE, "it failed just now", provider=self._choice.provider.name)
        vectors = await self._asked([self._prefixes.question + text], DataClass.QUERY, _QUESTION_S)
        only: Vectors = vectors[0]
        return only

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder``."""
        return await self._asked([self._prefixes.passage + each for each in texts], DataClass.DOCUMENT, _PASSAGES_S)

    def close(self) -> None:
        """See ``Embedder``. Its backend belongs to others."""

    async def _asked(self, texts: Sequence[str], data: DataClass, limit_s: float) -> Vectors:
        try:
            vectors = await self._vectors(
                EmbeddingRequest(model=self._choice.model, texts=tuple(texts), data=data), limit_s
            )
        except SoriError as error:
            if self._failed_at is None:
                self._failed(error)
            self._failed_at = self._clock.monotonic()
            raise
        self._failed_at = None
        return vectors

    async def _vectors(self, request: EmbeddingRequest, limit_s: float) -> Vectors:
        provider = self._choice.provider
        try:
            async with asyncio.timeout(limit_s):
                found = await self._backend_for(provider).embed(provider, request)
        except TimeoutError as late:
            detail = f"no vectors within {limit_s:g} s"
            raise ProviderError(ErrorCode.TIMEOUT, detail, provider=provider.name) from late
        except ProviderError as error:
            if error.code is not ErrorCode.MODEL_NOT_FOUND:
                raise
            raise error.with_text("embedding_model_missing") from error
        vectors = np.asarray(found, np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        self._size = self._size or vectors.shape[1]
        if not np.isfinite(lengths).all() or not lengths.all() or vectors.shape[1] != self._size:
            detail = "the vectors have no direction, or another size than before"
            raise ProviderError(ErrorCode.INVALID_RESPONSE, detail, provider=provider.name)
        unit: Vectors = vectors / lengths
        return unit
