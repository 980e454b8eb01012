"""Which paragraph answers a question: the index of passages beside words, morphemes, pairs of letters, vectors alone.

    pip install --no-deps --target KIWI kiwipiepy kiwipiepy_model
    PYTHONPATH=KIWI python -m benchmarks.knowledge.korquad FILE [--questions 1000] [--paragraphs 964]

FILE is the development set of KorQuAD 1.0 (https://korquad.github.io, CC BY-ND 2.0 KR). The questions are shuffled with
seed 0. The first 1500 were used to choose the terms and the weights; this measures the ones after them. Every way goes
through the index of the product: words alone with other terms (BM25 of tantivy), vectors alone with no weight for
words. Morphemes need ``kiwipiepy``, which Sori does not; the line is left out without it. It takes about 0.2 s a
paragraph and 0.1 s a question on a quiet core: 6 minutes for all 964 paragraphs and 1000 questions. The model must be
here (``sori models pull multilingual-e5-small``).

Seen with 600 questions, recall@1, @5 and @10: words .755 .903 .933, morphemes .898 .978 .985, pairs of letters .910
.980 .992, vectors .752 .937 .962, the index .917 .988 .997.
"""

import argparse
import asyncio
import json
import random
import re
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from unittest.mock import patch

from assistant.core.knowledge.passages import Passage
from assistant.host.places import default_home, models_folder
from assistant.knowledge.index import fusion
from assistant.knowledge.index.embedded import lexical
from assistant.knowledge.index.filled_index import FilledIndex
from assistant.knowledge.index.terms import terms_of
from assistant.knowledge.meaning.local_embedder import FILE, MODEL, LocalEmbedder
from benchmarks.knowledge.index_at_scale import index_in

TUNED = 1500
Split = Callable[[str], Sequence[str]]
_MEANT = ("N", "V", "SN", "SL", "MA", "XR")
"""Beginnings of the tags of morphemes that mean something: nouns, verbs, numbers, foreign words, adverbs, roots."""


def read(path: Path) -> tuple[list[str], list[tuple[str, int]]]:
    """The paragraphs, and the questions with the number of the paragraph that answers each."""
    paragraphs, questions = list[str](), list[tuple[str, int]]()
    for article in json.loads(path.read_text(encoding="utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            questions += [(each["question"], len(paragraphs)) for each in paragraph["qas"]]
            paragraphs.append(paragraph["context"])
    random.Random(0).shuffle(questions)  # noqa: S311 - the same order every time
    return paragraphs, questions


def splits() -> dict[str, Split]:
    """The ways of splitting a text into terms."""
    ways: dict[str, Split] = {"words": partial(re.findall, r"\w+")}
    if find_spec("kiwipiepy"):
        from kiwipiepy import Kiwi

        kiwi = Kiwi()
        ways["morphemes"] = lambda text: [each.form for each in kiwi.tokenize(text) if each.tag.startswith(_MEANT)]
    return {**ways, "pairs of letters": terms_of}


async def indexed(folder: Path, model: Path, paragraphs: Sequence[str]) -> FilledIndex:
    """An index of the paragraphs; of their words alone where the model is missing."""
    index = index_in(folder, LocalEmbedder(model))
    for at, text in enumerate(paragraphs):
        await index.replace("p", str(at), [Passage(number=1, start=0, end=len(text), text=text)])
    await index.search(paragraphs[0], ["p"])
    await index.settled()
    return index


async def told(name: str, index: FilledIndex, asked: Sequence[tuple[str, int]]) -> None:
    """Ask, and print recall at 1, 5 and 10 and the time of a question."""
    began = time.perf_counter()
    found = [([int(hit.file) for hit in await index.search(question, ["p"])], right) for question, right in asked]
    took_ms = 1000 * (time.perf_counter() - began) / len(asked)
    shares = [sum(right in each[:top] for each, right in found) / len(found) for top in (1, 5, 10)]
    print(f"{name:24}", *(f"{share:.3f}" for share in shares), f"{took_ms:7.1f} ms", flush=True)


async def measure(path: Path, questions: int, most: int) -> None:
    """Measure all ways over the same questions."""
    paragraphs, pairs = read(path)
    paragraphs = paragraphs[:most]
    asked = [each for each in pairs[TUNED:] if each[1] < most][:questions]
    print(f"{len(paragraphs)} paragraphs, {len(asked)} questions: recall@1, @5, @10, time of a question")
    model = models_folder(default_home()) / MODEL / FILE
    with tempfile.TemporaryDirectory() as folder:
        for name, split in splits().items():
            with patch.object(lexical, "terms_of", split):
                index = await indexed(Path(folder, name), model.with_suffix(".missing"), paragraphs)
                await told(f"BM25, {name}", index, asked)
                await index.close()
        began = time.perf_counter()
        index = await indexed(Path(folder, "both"), model, paragraphs)
        print(f"indexed {sum(map(len, paragraphs))} letters in {time.perf_counter() - began:.0f} s")
        with patch.object(fusion, "WORDS_SHARE", 0.0):
            await told("vectors", index, asked)
        await told("the index of passages", index, asked)
        await index.close()


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("file", type=Path)
    arguments.add_argument("--questions", type=int, default=1000)
    arguments.add_argument("--paragraphs", type=int, default=964)
    given = arguments.parse_args()
    asyncio.run(measure(given.file, given.questions, given.paragraphs))
