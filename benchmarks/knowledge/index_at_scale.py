"""How long a search takes among many passages, and how much memory that needs.

    python -m benchmarks.knowledge.index_at_scale [--passages 100000] [--questions 100]

Passages are made of random words, their vectors lie around 500 centres. The time of a question is that of the index
without the model, because a vector of a question takes the same however many passages there are. On two quiet cores it
took 2 minutes for 100,000 passages (median 7.8 ms, 95th percentile 15.8 ms, 430 MB); 1,000,000 take about 45 minutes.
"""

import argparse
import asyncio
import random
import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import accumulate
from pathlib import Path
from zlib import crc32

import numpy as np

from assistant.core.knowledge.passages import Passage
from assistant.host.clock import SystemClock
from assistant.knowledge.index.embedded.embedded_passages import EmbeddedPassages
from assistant.knowledge.index.filled_index import FilledIndex
from assistant.knowledge.index.filling import Filling
from assistant.knowledge.meaning.embedder import Embedder, Vectors
from assistant.speech.numpy_threads import keep_numpy_to_one_thread

PROJECT = "p"
_A_FILE = 500
_WORDS = 30_000
_SYLLABLES = "가나다라마바사아자차카타파하고노도로모보소오조초코토포호기니디리미비시이지치키티피히"


class CentreEmbedder:
    """Makes a vector from the checksum of a text, so the same text has the same vector; no model is measured."""

    name = "centres"
    at_once = 64

    def __init__(self) -> None:
        self._centres = np.random.default_rng(0).standard_normal((500, 384)).astype(np.float32)

    async def question(self, text: str) -> Vectors:
        """The vector of a question."""
        return self._vector(text)

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """The vectors of passages."""
        return np.stack([self._vector(text) for text in texts])

    def close(self) -> None:
        """Nothing to end."""

    def _vector(self, text: str) -> Vectors:
        chance = np.random.default_rng(crc32(text.encode()))
        parts = self._centres[chance.integers(0, 500, 3)] * chance.random((3, 1), np.float32)
        vector = parts.sum(axis=0) + chance.standard_normal(384).astype(np.float32) * np.float32(0.3)
        unit: Vectors = vector / np.float32(np.linalg.norm(vector))
        return unit


def index_in(folder: Path, embedder: Embedder) -> FilledIndex:
    """The index in a folder, as the product opens it."""

    async def filling() -> Filling:
        return Filling(await EmbeddedPassages.open(folder, SystemClock()), embedder, SystemClock())

    return FilledIndex(filling)


def random_words() -> Callable[[int], str]:
    """Gives texts of so many words, which are as frequent as words are; the same texts every time."""
    chance = random.Random(0)  # noqa: S311
    words = ["".join(chance.choices(_SYLLABLES, k=chance.randint(2, 4))) for _ in range(_WORDS)]
    weights = list(accumulate(1 / (rank + 10) for rank in range(_WORDS)))
    return lambda count: " ".join(chance.choices(words, cum_weights=weights, k=count))


async def measure(passages: int, questions: int) -> None:
    """Index, then ask."""
    keep_numpy_to_one_thread()
    words = random_words()
    embedder = CentreEmbedder()
    with tempfile.TemporaryDirectory() as folder:
        index = index_in(Path(folder), embedder)
        began = time.perf_counter()
        for start in range(0, passages, _A_FILE):
            texts = [words(80) for _ in range(_A_FILE)]
            await index.replace(
                PROJECT,
                str(start),
                [Passage(number=at, start=0, end=len(text), text=text) for at, text in enumerate(texts, 1)],
            )
        await index.search(words(1), [PROJECT])
        while (await index.state(PROJECT)).waiting:  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(1)
        print(f"{passages} passages after {time.perf_counter() - began:.0f} s")
        times: list[float] = []
        for _ in range(questions):
            question = words(6)
            before = time.perf_counter()
            await index.search(question, [PROJECT])
            times.append((time.perf_counter() - before) * 1000)
        times.sort()
        print(f"search: median {times[len(times) // 2]:.1f} ms, 95th percentile {times[int(len(times) * 0.95)]:.1f} ms")
        print(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000:.0f} MB")
        await index.close()


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--passages", type=int, default=100_000)
    arguments.add_argument("--questions", type=int, default=100)
    given = arguments.parse_args()
    asyncio.run(measure(given.passages, given.questions))
