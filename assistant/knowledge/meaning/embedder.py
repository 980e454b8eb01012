"""The interface of what turns texts into vectors."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""Vectors of length 1. The product of two tells how near their texts are in meaning."""


class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def name(self) -> str:
        """What made a vector. Vectors of different names do not compare."""
        ...

    @property
    def at_once(self) -> int:
        """Passages that are best computed together. Between two such groups the work waits while Sori is busy."""
        ...

    async def question(self, text: str) -> Vectors:
        """The vector of a question; shape: numbers of a vector. Somebody waits for it.

        Raises:
            SoriError: there is none at present.
        """
        ...

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """The vectors of passages, at low priority; shape: number of texts, numbers of a vector.

        Raises:
            SoriError: there are none at present.
        """
        ...

    def close(self) -> None:
        """End its threads."""
        ...
