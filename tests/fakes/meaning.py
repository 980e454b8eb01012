"""An embedder whose vectors are known: each of its concepts is one number of the vector."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from assistant.core.errors import ModelFileError
from assistant.host.clock import SystemClock
from assistant.knowledge.index.embedded.embedded_passages import EmbeddedPassages
from assistant.knowledge.index.filled_index import FilledIndex
from assistant.knowledge.index.filling import Filling
from assistant.knowledge.index.passage_store import PassageStore
from assistant.knowledge.meaning.embedder import Embedder, Vectors

CONCEPTS: Mapping[str, int] = {
    **dict.fromkeys(("개", "강아지", "dog", "dogs", "puppy"), 0),
    **dict.fromkeys(("산책", "걷게", "walk", "walks"), 1),
    **dict.fromkeys(("환불", "반품", "refund", "return"), 2),
    **dict.fromkeys(("배송", "shipping", "delivery"), 3),
    **dict.fromkeys(("고양이", "cat", "cats"), 4),
}
"""The words that it knows, by what they mean."""
SIZE = 8


class ConceptEmbedder:
    """``Embedder`` for tests.

    Attributes:
        texts: the passages that it was asked for, in order.
        questions: the questions that it was asked for, in order.
        fails: whether it cannot work.
    """

    def __init__(self, name: str = "concepts") -> None:
        self.name = name
        self.texts: list[str] = []
        self.questions: list[str] = []
        self.fails = False
        self.at_once = 1

    async def question(self, text: str) -> Vectors:
        """The vector of a question."""
        self.questions.append(text)
        return self._vector(text)

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """The vectors of passages."""
        vectors = np.stack([self._vector(text) for text in texts])
        self.texts += texts
        return vectors

    def close(self) -> None:
        """Nothing to end."""

    def _vector(self, text: str) -> Vectors:
        if self.fails:
            raise ModelFileError("its file is missing", model=self.name, message_key="model_missing")
        return vector_of(text)


def index_over(store: Callable[[], Awaitable[PassageStore]], embedder: Embedder) -> FilledIndex:
    """The index over a store that is opened when it is needed."""

    async def filling() -> Filling:
        return Filling(await store(), embedder, SystemClock())

    return FilledIndex(filling)


def embedded_index(folder: Path, embedder: Embedder) -> FilledIndex:
    """The index in a folder."""
    return index_over(lambda: EmbeddedPassages.open(folder, SystemClock()), embedder)


def vector_of(text: str) -> Vectors:
    """The vector of a text."""
    vector = np.full(SIZE, 0.05, np.float32)
    for word in re.findall(r"[가-힣]+|[a-z]+", text.lower()):
        for known, at in CONCEPTS.items():
            if word == known or (not word.isascii() and word.startswith(known)):
                vector[at] = 1
    return vector / np.float32(np.linalg.norm(vector))
