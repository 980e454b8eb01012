"""Letters that are indexed in a second of one core: Sori beside LlamaIndex and Haystack.

    python -m venv PEERS && PEERS/bin/pip install llama-index-core haystack-ai numpy tokenizers
    python -m benchmarks.knowledge.indexing_rate FOLDER PEERS/bin/python [--rounds 3]

The Markdown and text files of FOLDER are read, cut, turned into vectors by the same multilingual-e5-small (each peer
through its own interface for it) and written to the disk. Each arm runs in a process of its own, and the arms take
turns. A second is one of the processor, of the process and its children, without start-up and loading. The peers run
as their documentation shows and with their own sizes of passages, so the letters that were turned into vectors differ;
the time outside the model is printed too. Sori also writes an index of words, which the peers' stores do not have.
A round over a million letters takes about 17 minutes of a quiet core.

Four pages of FastAPI's documentation (25,146 letters), two rounds on a quiet machine, letters a second: LlamaIndex 1180
and 1535, Haystack 1449 and 1587, Sori 1564 and 2212. Sori is 1.39 and 1.24 times as fast; its passages are shorter (64
beside 17 and 20), and a letter of a shorter text costs the model less.
"""

import argparse
import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from assistant.knowledge.meaning.e5_model import E5Model, Numbers

ROOT = Path(__file__).resolve().parents[2]
_ENDINGS = (".md", ".txt")


class Meter(E5Model):
    """The model, and what it was given.

    Attributes:
        began_s: time of the processor when the work began.
    """

    began_s: float
    model_s = 0.0
    passages = 0
    letters = 0

    def passage(self, text: str) -> list[float]:
        """The vector of a passage as the peers take it."""
        return [float(each) for each in self.vector("passage: " + text)]

    def vector(self, text: str) -> Numbers:
        """See ``E5Model``."""
        before = time.thread_time()
        vector = super().vector(text)
        self.model_s += time.thread_time() - before
        self.passages += 1
        self.letters += len(text) - len("passage: ")
        return vector

    def begin(self) -> None:
        """Count from now on."""
        self.vector("passage: ")
        self.model_s, self.passages, self.letters = 0.0, 0, 0
        self.began_s = sum(os.times()[:4])

    def counted(self) -> dict[str, float]:
        """What was counted, as JSON."""
        spent_s = sum(os.times()[:4]) - self.began_s
        return {"cpu_s": spent_s, "model_s": self.model_s, "passages": self.passages, "letters": self.letters}


def llama_index(folder: Path, model: Meter, output: Path) -> None:
    """Index as LlamaIndex's first steps do, and write its store."""
    from llama_index.core import SimpleDirectoryReader, VectorStoreIndex
    from llama_index.core.embeddings import BaseEmbedding

    class Embedding(BaseEmbedding):  # type: ignore[misc]
        def _get_text_embedding(self, text: str) -> list[float]:
            return model.passage(text)

        def _get_query_embedding(self, query: str) -> list[float]:
            raise NotImplementedError

        async def _aget_query_embedding(self, query: str) -> list[float]:
            raise NotImplementedError

    embedding = Embedding()
    model.begin()
    documents = SimpleDirectoryReader(str(folder), recursive=True).load_data()
    VectorStoreIndex.from_documents(documents, embed_model=embedding).storage_context.persist(str(output))


def haystack(folder: Path, model: Meter, output: Path) -> None:
    """Index with a pipeline of Haystack's parts, and write its store."""
    from haystack import Document, Pipeline, component
    from haystack.components.converters import TextFileToDocument
    from haystack.components.preprocessors import DocumentSplitter
    from haystack.components.writers import DocumentWriter
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    @component
    class Embedder:
        @component.output_types(documents=list[Document])  # type: ignore[untyped-decorator]
        def run(self, documents: list[Document]) -> dict[str, list[Document]]:
            return {"documents": [replace(each, embedding=model.passage(each.content)) for each in documents]}

    store = InMemoryDocumentStore()
    parts = {
        "read": TextFileToDocument(),
        "split": DocumentSplitter(),
        "embed": Embedder(),
        "write": DocumentWriter(store),
    }
    pipeline = Pipeline()
    for name, part in parts.items():
        pipeline.add_component(name, part)
    for before, after in (("read", "split"), ("split", "embed"), ("embed", "write")):
        pipeline.connect(f"{before}.documents", f"{after}.documents")
    model.begin()
    pipeline.run({"read": {"sources": [each for each in folder.rglob("*") if each.is_file()]}})
    store.save_to_disk(str(output / "store.json"))


def sori(folder: Path, model: Meter, output: Path) -> None:
    """Index as the engine does, and end it, which waits for the process that reads."""
    asyncio.run(_sori(folder, model, output))


async def _sori(folder: Path, model: Meter, output: Path) -> None:
    from assistant.knowledge.meaning import e5_model
    from benchmarks.knowledge.questions import documentation, opened_chat

    e5_model.E5Model = lambda _path: model  # type: ignore[assignment,misc]
    chat = await opened_chat(output)
    model.begin()
    try:
        await documentation(chat, [str(folder)])
    finally:
        await chat.close()


ARMS: dict[str, Callable[[Path, Meter, Path], None]] = {"llama_index": llama_index, "haystack": haystack, "sori": sori}


def run(name: str, python: str, folder: Path, model: Path) -> dict[str, float]:
    """Run an arm in a process of its own; what it counted."""
    command = [python, "-m", "benchmarks.knowledge.indexing_rate", str(folder), python]
    with tempfile.TemporaryDirectory() as output:
        command += ["--arm", name, str(model), output]
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
        done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    counted: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return counted


def main(folder: Path, peers: str, rounds: int) -> None:
    """Run the arms in turn and print the table."""
    from assistant.host.places import default_home, models_folder
    from assistant.knowledge.meaning.local_embedder import FILE, MODEL

    model = models_folder(default_home()) / MODEL / FILE
    rates: dict[str, list[float]] = {name: [] for name in ARMS}
    with tempfile.TemporaryDirectory() as made:
        files = [each for each in sorted(folder.rglob("*")) if each.suffix in _ENDINGS]
        for at, file in enumerate(files):
            shutil.copy(file, Path(made) / f"{at:05}{file.suffix}")
        letters = sum(len(each.read_text("utf-8")) for each in files)
        print(f"{len(files)} files, {letters} letters")
        for _ in range(rounds):
            for name in ARMS:
                counted = run(name, sys.executable if name == "sori" else peers, Path(made), model)
                rates[name].append(letters / counted["cpu_s"])
                outside_s = counted["cpu_s"] - counted["model_s"]
                print(
                    f"{name:12} {rates[name][-1]:7.0f} letters/s; {counted['passages']:.0f} passages,"
                    f" {counted['letters'] / letters:.2f} of the letters; {outside_s:.1f} s outside the model",
                    flush=True,
                )
    middle = {name: statistics.median(each) for name, each in rates.items()}
    print(*(f"sori / {name}: {middle['sori'] / each:.2f}" for name, each in middle.items() if name != "sori"), sep="\n")


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("peers", help="the Python of an environment with the peers")
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--arm", nargs=3, help=argparse.SUPPRESS)
    given: Any = arguments.parse_args()
    if given.arm:
        arm, weights, place = given.arm
        meter = Meter(Path(weights))
        ARMS[arm](given.folder, meter, Path(place))
        print(json.dumps(meter.counted()))
    else:
        main(given.folder, given.peers, given.rounds)
