"""What only the index on this machine does: files that break, processes that are killed, sealed vectors."""

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from assistant.core.knowledge.passages import Passage
from assistant.host.clock import SystemClock
from assistant.host.places import PROJECT
from assistant.knowledge.index.embedded import vector_files
from assistant.knowledge.index.embedded.embedded_passages import EmbeddedPassages
from assistant.knowledge.index.embedded.vector_files import Ids, VectorFiles
from assistant.knowledge.index.filled_index import FilledIndex
from assistant.knowledge.meaning.embedder import Vectors
from tests.fakes.meaning import ConceptEmbedder, embedded_index

TEXTS = ("강아지는 하루에 두 번 산책시켜 주세요.", "고양이는 집에 있어도 돼요.", "The refund takes 14 days.")


def passages(*texts: str) -> list[Passage]:
    return [Passage(number=at, start=0, end=len(text), text=text) for at, text in enumerate(texts, 1)]


def opened(folder: Path) -> FilledIndex:
    return embedded_index(folder, ConceptEmbedder())


def spoil(path: Path) -> None:
    path.write_bytes(b"broken" * 100)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@pytest.mark.parametrize("harm", [spoil, cut, Path.unlink])
async def test_broken_files_of_words_are_made_anew(tmp_path: Path, harm: Callable[[Path], None]) -> None:
    index = opened(tmp_path)
    await index.replace("p", "a", passages(*TEXTS))
    assert (await index.search("고양이", ["p"]))[0].number == 2
    await index.close()
    for path in (tmp_path / "index").rglob("*"):
        if path.is_file():
            harm(path)
    index = opened(tmp_path)
    assert (await index.search("고양이", ["p"]))[0].number == 2
    await index.close()


async def test_a_broken_file_of_rows_is_set_aside_and_told(tmp_path: Path) -> None:
    index = opened(tmp_path)
    await index.replace("p", "a", passages(*TEXTS))
    await index.close()
    spoil(tmp_path / "passages.db")
    store = await EmbeddedPassages.open(tmp_path, SystemClock())
    assert store.set_aside is not None
    assert store.set_aside.exists()
    await store.close()
    index = opened(tmp_path)
    assert await index.files("p") == frozenset()
    await index.replace("p", "a", passages(*TEXTS))
    assert (await index.search("refund", ["p"]))[0].number == 3
    await index.close()


async def test_a_question_waits_for_no_write(tmp_path: Path) -> None:
    index = opened(tmp_path)
    await index.replace("p", "a", passages(*TEXTS))
    await index.search("고양이", ["p"])
    other = sqlite3.connect(tmp_path / "passages.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    async with asyncio.TaskGroup() as tasks:
        writing = tasks.create_task(index.replace("p", "b", passages("강아지")))
        await asyncio.sleep(0)
        assert (await index.search("고양이", ["p"]))[0].number == 2
        assert not writing.done()
        other.close()
    assert {hit.file for hit in await index.search("강아지", ["p"])} == {"a", "b"}
    await index.close()


async def test_a_question_that_is_asked_again_needs_no_other_vector(tmp_path: Path) -> None:
    embedder = ConceptEmbedder()
    index = embedded_index(tmp_path, embedder)
    for question in ("개 산책", "고양이", "개 산책", "고양이"):
        await index.search(question, ["p"])
    assert embedder.questions == ["개 산책", "고양이"]
    await index.close()


async def test_sealed_vectors_of_another_model_are_thrown_away(tmp_path: Path) -> None:
    sealed = tmp_path / "index" / "a project" / "000000.usearch"
    store = await EmbeddedPassages.open(tmp_path, SystemClock())
    sealed.parent.mkdir(parents=True)
    await store.use("one")
    sealed.touch()
    await store.use("one")
    assert sealed.exists()
    await store.use("two")
    assert not sealed.exists()
    await store.close()


_WRITER = """
import asyncio, sys
from pathlib import Path
from tests.unit.knowledge.index.test_embedded_index import opened, passages

async def main():
    index = opened(Path(sys.argv[1]))
    for at in range(int(sys.argv[2]), 10_000):
        await index.replace("p", f"file {at % 40}", passages(f"문서 {at % 40}번의 글", f"판 {at}", "강아지 산책"))
        await index.search("문서", ["p"])
        print(at, flush=True)

asyncio.run(main())
"""


def written_until_killed(folder: Path, start: int, writes: int) -> int:
    """Write files in another process, which is killed during a later write; the number of its last whole write."""
    command = [sys.executable, "-c", _WRITER, str(folder), str(start)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=PROJECT) as writer:
        assert writer.stdout is not None
        whole = [int(writer.stdout.readline()) for _ in range(writes)]
        writer.kill()
        return max([*whole, *map(int, writer.stdout.read().split())])


async def test_a_kill_loses_and_doubles_nothing(tmp_path: Path) -> None:
    last = -1
    for writes in (3, 5, 8):
        last = written_until_killed(tmp_path, last + 1, writes)
    index = opened(tmp_path)
    files = await index.files("p")
    assert files >= {f"file {at % 40}" for at in range(last + 1)}
    assert (await index.state("p")).passages == 3 * len(files)
    hits = await index.search("문서 글", ["p"], limit=200)
    assert len({(hit.file, hit.number) for hit in hits}) == len(hits)
    assert {hit.file for hit in hits if hit.number == 1} == files
    await index.close()


@pytest.fixture
def many() -> Vectors:
    numbers = np.random.default_rng(0).standard_normal((2000, 16)).astype(np.float32)
    unit: Vectors = numbers / np.linalg.norm(numbers, axis=1, keepdims=True)
    return unit


def fetched(vectors: Vectors) -> Callable[[Sequence[int]], tuple[Ids, Vectors]]:
    return lambda ids: (np.asarray(ids, np.int64), vectors[list(ids)])


@pytest.fixture
def small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_files, "SEALED_AT", 100)
    monkeypatch.setattr(vector_files, "_PART", 50)


@pytest.mark.usefixtures("small_files")
def test_sealed_vectors_are_found_nearly_as_by_comparing_all(tmp_path: Path, many: Vectors) -> None:
    files = VectorFiles(tmp_path, 16, np.arange(2000), fetched(many))
    files.remove(range(0, 2000, 7))
    alive = [at for at in range(2000) if at % 7]
    hits = 0
    for question in many[:50]:
        exact = sorted(alive, key=lambda at: -float(many[at] @ question))[:10]
        found = [id_ for id_, _ in files.search(question, 10)]
        assert not {id_ for id_ in found if id_ % 7 == 0}
        hits += len(set(exact) & set(found))
    assert hits >= 0.95 * 500
    assert 1 < len(list(tmp_path.glob("*.usearch"))) < 20


@pytest.mark.usefixtures("small_files")
def test_sealed_files_are_used_again_and_broken_ones_made_anew(tmp_path: Path, many: Vectors) -> None:
    VectorFiles(tmp_path, 16, np.arange(2000), fetched(many))
    spoil(min(tmp_path.glob("*.usearch"), key=lambda path: path.stat().st_size))
    asked: list[int] = []

    def fetch(ids: Sequence[int]) -> tuple[Ids, Vectors]:
        asked.extend(ids)
        return fetched(many)(ids)

    files = VectorFiles(tmp_path, 16, np.arange(2000), fetch)
    assert 0 < len(set(asked)) < 2000
    assert all(files.search(many[at], 1)[0][0] == at for at in range(0, 2000, 97))
