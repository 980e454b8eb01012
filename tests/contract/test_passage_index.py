"""What every index of passages must do (K-03): the one on this machine, and the one on a PostgreSQL server."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import pytest

from assistant.core.errors import StorageError
from assistant.core.knowledge.passages import Passage
from assistant.knowledge.index.filled_index import FilledIndex
from assistant.knowledge.index.passage_index import PassageIndex
from assistant.knowledge.index.postgres.postgres_passages import PostgresPassages
from tests.fakes.ledger import MemoryLedger
from tests.fakes.meaning import ConceptEmbedder, embedded_index, index_over

DOG = "강아지는 하루에 두 번 산책시켜 주세요."
CAT = "고양이는 집 밖에 나가지 않아도 돼요."
REFUND = "You can get a refund within 14 days."
SHIPPING = "Shipping takes three days, or five to an island."

Open = Callable[[ConceptEmbedder], PassageIndex]


@pytest.fixture(params=["embedded", "postgres"])
def open_index(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    if request.param == "embedded":
        return lambda embedder: embedded_index(tmp_path / "knowledge", embedder)
    address = request.getfixturevalue("postgres")
    return lambda embedder: index_on(address, embedder, MemoryLedger())


def index_on(server: str, embedder: ConceptEmbedder, ledger: MemoryLedger) -> FilledIndex:
    return index_over(lambda: PostgresPassages.open(server, "secret", ledger), embedder)


@pytest.fixture
def embedder() -> ConceptEmbedder:
    return ConceptEmbedder()


@pytest.fixture
async def index(open_index: Open, embedder: ConceptEmbedder) -> AsyncIterator[PassageIndex]:
    opened = open_index(embedder)
    yield opened
    for project in ("p", "q"):
        await opened.remove(project)
    await opened.close()


def passages(*texts: str, headings: tuple[str, ...] = ()) -> Sequence[Passage]:
    return [
        Passage(number=at, start=at * 1000, end=at * 1000 + len(text), text=text, headings=headings)
        for at, text in enumerate(texts, 1)
    ]


async def found(index: PassageIndex, question: str, *projects: str, **how: object) -> list[tuple[str, int]]:
    hits = await index.search(question, projects or ("p",), **how)  # type: ignore[arg-type]
    return [(hit.file, hit.number) for hit in hits]


async def filled(index: PassageIndex, project: str = "p") -> None:
    await until_vectors(index, lambda: True, project)


async def until_vectors(index: PassageIndex, ready: Callable[[], bool], project: str = "p") -> None:
    while (await index.state(project)).waiting or not ready():  # noqa: ASYNC110 - nothing tells of it
        await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("강아지 산책", ("a", 1)),
        ("강아지를 산책시키는 횟수", ("a", 1)),
        ("고양이는?", ("a", 2)),
        ("집밖에", ("a", 2)),
        ("refunds", ("b", 1)),
        ("REFUND", ("b", 1)),
        ("islands", ("b", 2)),
        ("14", ("b", 1)),
        ("개를 얼마나 자주 걷게 해야 해?", ("a", 1)),
        ("How often should I walk my dog?", ("a", 1)),
        ("반품할 수 있어?", ("b", 1)),
        ("delivery time", ("b", 2)),
    ],
)
async def test_words_and_meanings_find_the_passage(index: PassageIndex, question: str, best: tuple[str, int]) -> None:
    await index.replace("p", "a", passages(DOG, CAT))
    await index.replace("p", "b", passages(REFUND, SHIPPING))
    await filled(index)
    assert (await found(index, question))[0] == best


async def test_words_find_at_once_where_there_is_no_model(index: PassageIndex, embedder: ConceptEmbedder) -> None:
    embedder.fails = True
    await index.replace("p", "a", passages(DOG, CAT))
    assert await found(index, "고양이") == [("a", 2)]
    assert await found(index, "How often should I walk my dog?") == []
    state = await index.state("p")
    assert (state.passages, state.waiting, state.meaning) == (2, 2, False)


async def test_meanings_follow_when_the_model_comes(index: PassageIndex, embedder: ConceptEmbedder) -> None:
    embedder.fails = True
    await index.replace("p", "a", passages(DOG, CAT))
    await index.search("x", ["p"])
    embedder.fails = False
    await index.replace("p", "b", passages(REFUND))
    await filled(index)
    assert (await found(index, "How often should I walk my dog?"))[0] == ("a", 1)
    assert (await index.state("p")).meaning


async def test_a_changed_file_asks_only_for_what_changed(index: PassageIndex, embedder: ConceptEmbedder) -> None:
    await index.replace("p", "a", passages(DOG, CAT, REFUND))
    await filled(index)
    embedder.texts.clear()
    await index.replace("p", "a", passages("새로운 문단이에요.", DOG, CAT, SHIPPING))
    await filled(index)
    assert sorted(embedder.texts) == sorted(["새로운 문단이에요.", SHIPPING])
    assert await found(index, "강아지 산책", limit=1) == [("a", 2)]
    assert ("a", 3) in await found(index, "고양이")
    assert (await index.state("p")).passages == 4


async def test_what_is_gone_is_not_found(index: PassageIndex) -> None:
    await index.replace("p", "a", passages(DOG, CAT))
    await index.replace("p", "b", passages(DOG))
    await filled(index)
    await index.replace("p", "a", passages(CAT))
    assert await found(index, "강아지 산책", limit=1) == [("b", 1)]
    await index.remove("p", "b")
    assert "b" not in {file for file, _ in await found(index, "강아지 산책")}
    await index.remove("p")
    assert await found(index, "고양이") == []
    assert await index.files("p") == frozenset()
    assert (await index.state("p")).passages == 0


async def test_a_file_that_comes_back_is_found_again(index: PassageIndex) -> None:
    for _ in range(3):
        await index.replace("p", "a", passages(DOG, CAT))
        await filled(index)
        assert (await found(index, "강아지"))[0] == ("a", 1)
        await index.remove("p")


async def test_nothing_is_doubled(index: PassageIndex) -> None:
    for _ in range(3):
        await index.replace("p", "a", passages(DOG, DOG, CAT))
    await filled(index)
    hits = await found(index, "강아지 산책")
    assert sorted(hits) == [("a", 1), ("a", 2), ("a", 3)]
    assert (await index.state("p")).passages == 3


async def test_projects_are_apart(index: PassageIndex) -> None:
    await index.replace("p", "a", passages(DOG))
    await index.replace("q", "b", passages(DOG, CAT))
    await filled(index)
    await filled(index, "q")
    assert {file for file, _ in await found(index, "강아지", "p")} == {"a"}
    assert {file for file, _ in await found(index, "강아지", "p", "q")} == {"a", "b"}
    await index.remove("p")
    assert (await found(index, "강아지", "q"))[0] == ("b", 1)


async def test_files_narrow_the_search(index: PassageIndex) -> None:
    await index.replace("p", "a", passages(DOG))
    await index.replace("p", "b", passages(DOG, CAT))
    await filled(index)
    assert {file for file, _ in await found(index, "강아지", files=["b"])} == {"b"}
    assert {file for file, _ in await found(index, "walk the dog", files=["a"])} == {"a"}
    assert await found(index, "강아지", files=[]) == []
    assert await found(index, "강아지", files=["gone"]) == []


@pytest.mark.parametrize(
    ("question", "file"),
    [
        ("서울 지점 환불 기간", "seoul"),
        ("부산 지점의 환불 기간은?", "busan"),
        ("refund period in Busan", "busan"),
        ("refund period in Seoul", "seoul"),
    ],
)
async def test_files_that_differ_in_one_fact_are_told_apart_by_their_names_and_headings(
    index: PassageIndex, question: str, file: str
) -> None:
    await index.replace("p", "seoul", passages("환불 기간은 14일이에요.", headings=("서울 지점 Seoul",)), name="a.md")
    await index.replace("p", "busan", passages("환불 기간은 30일이에요."), name="부산 Busan.md")
    await filled(index)
    assert (await found(index, question))[0] == (file, 1)


async def test_a_file_without_text_is_known_and_not_found(index: PassageIndex) -> None:
    await index.replace("p", "a", passages())
    assert await index.files("p") == {"a"}
    assert await found(index, "강아지") == []


@pytest.mark.parametrize(
    "question", ["", " ", "?!", "\x00", '"', "' OR 1=1 --", "AND OR NOT (", "가" * 5000, "🐶", "\ud800"]
)
async def test_no_question_breaks_the_search(index: PassageIndex, question: str) -> None:
    await index.replace("p", "a", passages(DOG))
    assert isinstance(await found(index, question), list)


async def test_no_text_breaks_the_index(index: PassageIndex) -> None:
    odd = ["\x00강아지", "\ud800 dog", "word " * 2000, "가" * 3000, "🐶" * 100, "'; DROP TABLE passages; --"]
    await index.replace("p", "a", passages(*odd), name="\x00'\ud800.txt")
    await filled(index)
    assert (await index.state("p")).passages == len(odd)
    assert (await found(index, "강아지"))[0] == ("a", 1)


async def test_everything_is_there_after_another_start(open_index: Open, embedder: ConceptEmbedder) -> None:
    index = open_index(embedder)
    await index.replace("p", "a", passages(DOG, CAT))
    await filled(index)
    await index.close()
    embedder.texts.clear()
    index = open_index(embedder)
    try:
        assert (await found(index, "walk the dog"))[0] == ("a", 1)
        assert (await index.state("p")).waiting == 0
        assert embedder.texts == []
    finally:
        await index.remove("p")
        await index.close()


async def test_vectors_of_another_model_are_made_anew(open_index: Open, embedder: ConceptEmbedder) -> None:
    index = open_index(embedder)
    await index.replace("p", "a", passages(DOG, CAT))
    await filled(index)
    await index.close()
    other = ConceptEmbedder("other")
    index = open_index(other)
    try:
        await until_vectors(index, lambda: len(other.texts) == 2)
        assert (await found(index, "walk the dog"))[0] == ("a", 1)
    finally:
        await index.remove("p")
        await index.close()


async def test_many_changes_at_once_lose_nothing(index: PassageIndex) -> None:
    await asyncio.gather(
        *(index.replace("p", f"f{at}", passages(DOG, f"문서 {at}번이에요.")) for at in range(20)),
        *(found(index, "강아지") for _ in range(20)),
    )
    assert (await index.state("p")).passages == 40
    assert len(await index.files("p")) == 20
    assert ("f7", 2) in await found(index, "7", limit=50)


async def test_what_cannot_be_recorded_is_not_sent(postgres: str, embedder: ConceptEmbedder) -> None:
    with pytest.raises(StorageError, match="disk is full"):
        await index_on(postgres, embedder, MemoryLedger(broken=True)).state("p")


async def test_a_server_that_is_not_there_is_told(embedder: ConceptEmbedder) -> None:
    with pytest.raises(StorageError) as told:
        await index_on("postgresql://u@127.0.0.1:9/x", embedder, MemoryLedger()).state("p")
    assert "secret" not in str(told.value)


async def test_documents_that_go_to_a_server_are_in_the_ledger(postgres: str, embedder: ConceptEmbedder) -> None:
    ledger = MemoryLedger()
    index = index_on(postgres, embedder, ledger)
    await index.replace("p", "a", passages(DOG))
    await index.remove("p")
    await index.close()
    sent = [row for row in ledger.rows if "document" in row.data]
    assert sent[0].size >= len(DOG)
