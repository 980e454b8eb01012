"""The share of the ten nearest passages that the approximate index of vectors finds, beside the exact ten.

    python -m benchmarks.knowledge.index_recall FILE [--vectors 150000] [--real 3000] [--questions 300]

FILE is the development set of KorQuAD 1.0, as for ``korquad``. ``--real`` sentences of its paragraphs are turned into
vectors by multilingual-e5-small, and so are questions that people asked about them. There are too few for a large
index, so the others are made with noise: each is a real vector, moved as far as the real ones are from their nearest
other one. The noise has the covariance of the real vectors, because texts differ in far fewer directions than the 384
of a vector. (Among copies that lie around 400 texts in all directions, the index found 0.05 of the nearest.) The model
takes about 0.1 s a sentence on a quiet core, and 150,000 vectors are sealed in 5 minutes; 10 minutes in all.

Seen in the same way with 1000 passages of FastAPI's documentation, enlarged to 20,000, and 59 questions: 0.995.
"""

import argparse
import asyncio
import random
import re
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.host.places import default_home, models_folder
from assistant.knowledge.index.embedded.vector_files import Ids, VectorFiles
from assistant.knowledge.index.fusion import CANDIDATES
from assistant.knowledge.meaning.embedder import Vectors
from assistant.knowledge.meaning.local_embedder import FILE, MODEL, LocalEmbedder
from benchmarks.knowledge.korquad import read

_NEAREST = 10
_SHORTEST = 20
"""Letters of a piece of text that is a sentence."""


def sentences(path: Path, most: int) -> list[str]:
    """Sentences of the paragraphs, at most so many, from all articles."""
    paragraphs, _ = read(path)
    split = [each for text in paragraphs for each in re.split(r"(?<=[.])\s+", text) if len(each) > _SHORTEST]
    return random.Random(0).sample(split, min(most, len(split)))  # noqa: S311 - the same ones every time


def made(real: Vectors, count: int, chance: np.random.Generator) -> Vectors:
    """Real vectors with noise; shape: count, numbers of a vector."""
    products = real @ real.T
    np.fill_diagonal(products, -1)
    apart = np.sqrt(np.maximum(0, 2 - 2 * products.max(axis=1)))
    chosen = chance.integers(0, len(real), count)
    _, spread, directions = np.linalg.svd(real - real.mean(axis=0), full_matrices=False)
    noise = (chance.standard_normal((count, len(spread)), np.float32) * spread) @ directions
    noise *= apart[chosen, None] / np.linalg.norm(noise, axis=1, keepdims=True)
    moved = real[chosen] + noise
    unit: Vectors = moved / np.linalg.norm(moved, axis=1, keepdims=True)
    return unit


def nearest_products(vectors: Vectors, asked: Vectors) -> str:
    """The products of questions with their nearest and tenth nearest vectors, at the median."""
    products = np.sort(vectors @ asked.T, axis=0)
    return f"nearest {np.median(products[-1]):.3f}, tenth {np.median(products[-_NEAREST]):.3f}"


async def measure(path: Path, vectors: int, real: int, questions: int) -> None:
    """Fill the files of vectors, ask, and print the share."""
    embedder = LocalEmbedder(models_folder(default_home()) / MODEL / FILE)
    known = await embedder.passages(sentences(path, real))
    texts = random.Random(1).sample([text for text, _ in read(path)[1]], questions)  # noqa: S311
    asked = np.stack([await embedder.question(text) for text in texts])
    embedder.close()
    every = np.concatenate([known, made(known, vectors - len(known), np.random.default_rng(0))])
    every = every.astype(np.float16).astype(np.float32)  # as the rows store them
    print(f"{len(known)} real: {nearest_products(known, asked)}; all {len(every)}: {nearest_products(every, asked)}")

    def fetch(ids: Sequence[int]) -> tuple[Ids, Vectors]:
        return np.asarray(ids, np.int64), every[list(ids)]

    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        files = VectorFiles(Path(folder), every.shape[1], np.arange(len(every)), fetch)
        took_s = time.perf_counter() - began
        print(f"sealed in {took_s:.0f} s", flush=True)
        shares, times = list[float](), list[float]()
        for vector in asked:
            exact: NDArray[np.int64] = (every @ vector).argsort()[: -_NEAREST - 1 : -1]
            began = time.perf_counter()
            found = files.search(vector, CANDIDATES)[:_NEAREST]
            times.append(1000 * (time.perf_counter() - began))
            shares.append(len({id_ for id_, _ in found} & set(exact.tolist())) / _NEAREST)
    print(f"recall@{_NEAREST} {np.mean(shares):.4f}, a search {np.median(times):.1f} ms at the median")


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("file", type=Path)
    arguments.add_argument("--vectors", type=int, default=150_000)
    arguments.add_argument("--real", type=int, default=3000)
    arguments.add_argument("--questions", type=int, default=300)
    given = arguments.parse_args()
    asyncio.run(measure(given.file, given.vectors, given.real, given.questions))
