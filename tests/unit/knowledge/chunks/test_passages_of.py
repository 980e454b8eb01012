"""How texts are cut into passages."""

import random
from collections.abc import Sequence

import pytest

from assistant.core.knowledge.texts import Block, BlockKind, ExtractedText
from assistant.knowledge.chunks.passages_of import LARGEST, chunks_of
from assistant.knowledge.chunks.widths import Widths

KOREAN = "환불은 물건을 받은 날부터 열네 날 안에 말씀해 주시면 됩니다. "
ENGLISH = "You may return what you bought within fourteen days of its arrival. "

Part = tuple[BlockKind, str] | tuple[BlockKind, str, int] | tuple[BlockKind, str, int, tuple[str, ...]]


def read(*parts: Part) -> ExtractedText:
    """A text of these blocks, each with its kind, its text, its page and its headings."""
    text = ""
    blocks: list[Block] = []
    for kind, words, *rest in parts:
        page = rest[0] if rest else 0
        headings = rest[1] if len(rest) > 1 else ()
        blocks.append(Block(kind=kind, start=len(text), end=len(text) + len(words), page=page, headings=headings))  # type: ignore[arg-type]
        text += words + "\n\n"
    return ExtractedText(text=text, blocks=tuple(blocks))


def paragraphs(count: int, seed: int = 0, sentence: str = KOREAN) -> list[str]:
    chance = random.Random(seed)
    return [f"{seed}-{at} " + sentence * chance.randint(1, 6) for at in range(count)]


def texts_of(text: ExtractedText) -> Sequence[str]:
    return [each.text for each in chunks_of(text)]


def test_a_short_text_is_one_passage() -> None:
    assert texts_of(read((BlockKind.TEXT, KOREAN.strip()))) == [KOREAN.strip()]


@pytest.mark.parametrize("text", ["", " ", "\n\n\n", "\t"])
def test_a_text_without_letters_has_no_passage(text: str) -> None:
    assert chunks_of(ExtractedText(text=text, blocks=())) == []


@pytest.mark.parametrize(
    "text",
    [
        KOREAN * 200,
        ENGLISH * 200,
        "가" * 5000,
        "x" * 20000,
        "word " * 5000,
        "a,b,c\n" * 3000,
        "    indented = 1\n" * 500,
        "\n\n\n" + ENGLISH * 30,
        "🐶" * 3000,
        "한 줄.\n" * 2000,
    ],
    ids=["korean", "english", "syllables", "letters", "words", "rows", "code", "blank lines", "emoji", "lines"],
)
@pytest.mark.parametrize("known", [True, False], ids=["as a block", "without blocks"])
def test_every_letter_is_in_one_passage_and_none_is_too_large(text: str, known: bool) -> None:
    block = Block(kind=BlockKind.TEXT, start=0, end=len(text))
    read_text = ExtractedText(text=text, blocks=(block,) if known else ())
    passages = chunks_of(read_text)
    assert "".join("".join(each.text.split()) for each in passages) == "".join(text.split())
    assert [each.number for each in passages] == list(range(1, len(passages) + 1))
    for each in passages:
        assert each.text == text[each.start : each.end]
        assert Widths(each.text).before(len(each.text)) <= LARGEST


@pytest.mark.parametrize("kind", [BlockKind.TABLE, BlockKind.CODE, BlockKind.LIST])
def test_a_block_that_fits_stays_whole(kind: BlockKind) -> None:
    whole = "\n".join(f"| {row} | {row * row} |" for row in range(60))
    text = read((BlockKind.TEXT, KOREAN * 8), (kind, whole), (BlockKind.TEXT, KOREAN * 8))
    assert any(whole in each for each in texts_of(text))


@pytest.mark.parametrize("kind", [BlockKind.TABLE, BlockKind.CODE, BlockKind.LIST])
def test_a_large_block_is_cut_between_its_lines(kind: BlockKind) -> None:
    lines = [f"row {row}: {'x' * 40}." for row in range(200)]
    cut = texts_of(read((kind, "\n".join(lines))))
    assert [line for each in cut for line in each.split("\n")] == lines


def test_a_long_paragraph_is_cut_between_its_sentences() -> None:
    assert all(each.endswith("됩니다.") for each in texts_of(read((BlockKind.TEXT, (KOREAN * 100).strip()))))


def test_a_heading_stays_with_what_follows_it() -> None:
    parts: list[Part] = []
    for at in range(30):
        parts += [(BlockKind.HEADING, f"Part {at}"), (BlockKind.TEXT, f"{at} " + ENGLISH * 7, 0, (f"Part {at}",))]
    assert not [each for each in texts_of(read(*parts)) if each.split("\n")[-1].startswith("Part")]


def test_a_heading_is_a_better_place_than_the_end_of_a_paragraph() -> None:
    text = read(
        *((BlockKind.TEXT, f"{at} " + KOREAN * 6) for at in range(2)),
        (BlockKind.HEADING, "배송"),
        *((BlockKind.TEXT, f"{at} " + KOREAN * 6, 0, ("배송",)) for at in range(2, 4)),
    )
    assert any(each.startswith("배송") for each in texts_of(text))


def test_slides_are_passages_of_their_own() -> None:
    text = read(*((BlockKind.SLIDE, f"Slide {page}", page) for page in range(1, 6)))
    assert [(each.text, each.page) for each in chunks_of(text)] == [(f"Slide {page}", page) for page in range(1, 6)]


def test_a_passage_knows_its_page_and_its_headings() -> None:
    text = read(
        (BlockKind.HEADING, "안내", 1),
        (BlockKind.TEXT, KOREAN * 12, 1, ("안내",)),
        (BlockKind.HEADING, "환불", 2, ("안내",)),
        (BlockKind.TEXT, KOREAN * 12, 2, ("안내", "환불")),
    )
    known = {each.page: each.headings for each in chunks_of(text)}
    assert known[1] == ()
    assert known[2] == ("안내",)
    assert all(each.page in (1, 2) for each in chunks_of(text))


def test_the_first_line_of_code_keeps_its_indentation() -> None:
    assert texts_of(ExtractedText(text="\n\n    def f():\n        pass\n", blocks=()))[0].startswith("    def")


def test_the_same_text_has_the_same_passages() -> None:
    text = read(*((BlockKind.TEXT, each) for each in paragraphs(100)))
    assert chunks_of(text) == chunks_of(text)


@pytest.mark.parametrize("sentence", [KOREAN, ENGLISH])
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("change", ["insert", "remove", "edit", "insert first", "remove first"])
def test_a_change_in_one_place_changes_the_passages_around_it_only(change: str, seed: int, sentence: str) -> None:
    before = paragraphs(200, seed, sentence)
    after = list(before)
    at = 0 if change.endswith("first") else 40 + seed * 20
    if change.startswith("insert"):
        after.insert(at, "여기에 새로운 문단이 하나 들어왔어요. A new paragraph.")
    elif change.startswith("remove"):
        del after[at]
    else:
        after[at] += "그리고 한 문장이 더해졌어요."
    known = set(texts_of(read(*((BlockKind.TEXT, each) for each in before))))
    now = texts_of(read(*((BlockKind.TEXT, each) for each in after)))
    assert 1 <= len([each for each in now if each not in known]) <= 5
