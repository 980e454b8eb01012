"""Which paragraph answers a question: the index of passages beside words, pairs of letters and vectors alone.

    python -m benchmarks.knowledge.korquad FILE [--questions 1000]

FILE is the development set of KorQuAD 1.0 (https://korquad.github.io, CC BY-ND 2.0 KR). The questions are shuffled with
seed 0. The first 1500 were used to choose the terms and the weights; this measures the ones after them. It takes
about 0.6 s a paragraph and 0.2 s a question. The model must be here (``sori models pull multilingual-e5-small``).
"""

import argparse
import asyncio
import json
import random
import re
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from math import log
from pathlib import Path

from assistant.core.knowledge.passages import Passage
from assistant.host.places import default_home, models_folder
from assistant.knowledge.index.terms import terms_of
from assistant.knowledge.meaning.local_embedder import FILE, MODEL, LocalEmbedder
from benchmarks.knowledge.index_at_scale import index_in

TUNED = 1500
Rank = Callable[[str], Sequence[int]]


def read(path: Path) -> tuple[list[str], list[tuple[str, int]]]:
    """The paragraphs, and the questions with the number of the paragraph that answers each."""
    paragraphs, questions = list[str](), list[tuple[str, int]]()
    for article in json.loads(path.read_text(encoding="utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            questions += [(each["question"], len(paragraphs)) for each in paragraph["qas"]]
            paragraphs.append(paragraph["context"])
    random.Random(0).shuffle(questions)  # noqa: S311 - the same order every time
    return paragraphs, questions


def bm25(paragraphs: Sequence[str], split: Callable[[str], Sequence[str]]) -> Rank:
    """BM25 (k1 1.2, b 0.75) over what ``split`` makes of a text."""
    counts = [Counter(split(each)) for each in paragraphs]
    lengths = [each.total() for each in counts]
    average = sum(lengths) / len(lengths)
    postings = defaultdict[str, list[tuple[int, int]]](list)
    for at, each in enumerate(counts):
        for term, count in each.items():
            postings[term].append((at, count))

    def rank(question: str) -> Sequence[int]:
        scores = defaultdict[int, float](float)
        for term in set(split(question)):
            found = postings.get(term, [])
            weight = log(1 + (len(counts) - len(found) + 0.5) / (len(found) + 0.5))
            for at, count in found:
                scores[at] += weight * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * lengths[at] / average))
        return sorted(scores, key=lambda at: -scores[at])[:10]

    return rank


def told(name: str, found: Sequence[tuple[Sequence[int], int]], took_s: float) -> None:
    """Print recall at 1, 5 and 10, and the time of a question."""
    shares = [sum(right in each[:top] for each, right in found) / len(found) for top in (1, 5, 10)]
    print(f"{name:24}", *(f"{share:.3f}" for share in shares), f"{1000 * took_s / len(found):7.1f} ms", flush=True)


async def measure(path: Path, most: int) -> None:
    """Measure all ways over the same questions."""
    paragraphs, questions = read(path)
    asked = questions[TUNED : TUNED + most]
    for name, split in (("BM25, words", lambda text: re.findall(r"\w+", text)), ("BM25, pairs of letters", terms_of)):
        rank = bm25(paragraphs, split)
        began = time.perf_counter()
        told(name, [(rank(question), right) for question, right in asked], time.perf_counter() - began)
    embedder = LocalEmbedder(models_folder(default_home()) / MODEL / FILE)
    with tempfile.TemporaryDirectory() as folder:
        index = index_in(Path(folder), embedder)
        began = time.perf_counter()
        for at, text in enumerate(paragraphs):
            await index.replace("p", str(at), [Passage(number=1, start=0, end=len(text), text=text)])
        while (await index.state("p")).waiting:  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.5)
        letters = sum(map(len, paragraphs))
        print(f"indexed {letters} letters in {time.perf_counter() - began:.0f} s")
        vectors = await embedder.passages(paragraphs)
        began = time.perf_counter()
        near = [(vectors @ await embedder.question(question)).argsort()[::-1][:10].tolist() for question, _ in asked]
        rights = [right for _, right in asked]
        told("vectors", list(zip(near, rights, strict=True)), time.perf_counter() - began)
        began = time.perf_counter()
        both = [[int(hit.file) for hit in await index.search(question, ["p"])] for question, _ in asked]
        told("the index of passages", list(zip(both, rights, strict=True)), time.perf_counter() - began)
        await index.close()


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("file", type=Path)
    arguments.add_argument("--questions", type=int, default=1000)
    given = arguments.parse_args()
    asyncio.run(measure(given.file, given.questions))
