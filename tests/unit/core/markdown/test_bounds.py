"""The work of parsing grows with the length of a text, whatever marks it is made of."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from markdown_it.parser_inline import ParserInline

from assistant.core.markdown import bounds, unfinished
from assistant.core.markdown.bounds import COLUMNS, FORMULA_LINES, LONGEST, PIECE, pieces
from assistant.core.markdown.highlighting import GrowingInks
from assistant.core.markdown.reading import LINE_BREAK, read
from assistant.core.markdown.unfinished import presentable
from assistant.core.markdown.units import Paragraph, Table

SIZE = 400
BOMBS = {
    "brackets": "[",
    "pictures": "![",
    "links": "[a](",
    "empty links": "[](",
    "nested links": "[[a](b)](",
    "references": "[a]",
    "definitions": "[a]: b\n",
    "open definitions": '[a]: b "',
    "angle destinations": "[a](<",
    "titles": '[a](b "',
    "quotes": ">",
    "quoted lines": "> > > > a\n",
    "quoted lists": "> - ",
    "quotation marks": '"**가',
    "stars": "*",
    "open stars": "**한 ",
    "words between stars": "a**b",
    "mixed emphasis": "*a_ ",
    "underscores": "_a ",
    "strikes": "~~a",
    "backticks": "`",
    "open code": "`a",
    "fences": "```\n",
    "list in list": "- ",
    "numbers in numbers": "1. ",
    "items": "- 가\n",
    "empty items": "-\n",
    "dollars": "$",
    "open formulas": "$a",
    "formulas": "$a$ ",
    "double dollars": "$$a",
    "lines of dollars": "$$\n",
    "dollars and blank lines": "$$a\n\n",
    "round formulas": "\\(",
    "square formulas": "\\[a\n\n",
    "environments": "\\begin{align}a\n\n",
    "fractions": "\\frac{",
    "bars": "|",
    "rows": "a|\n",
    "ruled rows": "|-",
    "angles": "<",
    "tags": "<a ",
    "entities": "&",
    "numbered entities": "&#1",
    "escapes": "\\",
    "addresses": "http://a.",
    "schemes": "://",
    "Korean addresses": "http://a.kr가",
    "mails": "a@a.",
    "domains": "a.",
    "headings": "# 글\n",
    "rules": "***\n",
    "blanks": " ",
    "lines": "\n",
    "hard breaks": "a  \n",
}


def steps(work: Callable[[], object]) -> int:
    """How many functions are called, those of C included."""
    count = 0

    def counted(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("mark", BOMBS.values(), ids=BOMBS)
def test_three_times_the_text_is_little_more_than_three_times_the_work(
    mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "PIECE", SIZE // 2)
    monkeypatch.setattr(bounds, "FORMULA_LINES", 12)
    monkeypatch.setattr(unfinished, "PIECE", SIZE // 2)
    text = mark * (SIZE // len(mark))
    read(3 * mark)  # compiles expressions
    assert steps(lambda: read(3 * text)) < 4 * steps(lambda: read(text)) + 1000
    assert steps(lambda: presentable(3 * text)) < 4 * steps(lambda: presentable(text)) + 1000


@pytest.mark.parametrize("mark", BOMBS.values(), ids=BOMBS)
def test_no_rule_of_a_line_sees_more_than_a_piece(mark: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen, parse = [0], ParserInline.parse

    def recorded(self: ParserInline, text: str, *rest: Any) -> Any:
        seen.append(len(text))
        return parse(self, text, *rest)

    monkeypatch.setattr(ParserInline, "parse", recorded)
    read(mark * (2 * PIECE // len(mark)))
    assert max(seen) <= PIECE


@pytest.mark.parametrize("mark", ["*", "`", "[a", "**가 ", "$", "a "])
def test_what_is_closed_at_the_end_of_a_growing_text_is_looked_for_in_its_last_piece_only(mark: str) -> None:
    last = mark * (PIECE // len(mark))
    before = "가" * PIECE
    assert presentable(before + last).removeprefix(before[: len(mark)])[: PIECE // 2] == before[: PIECE // 2]


@pytest.mark.parametrize(
    "text",
    [
        "짧은 글",
        "가나다라 " * PIECE,
        "한 줄\n" * PIECE,
        "A sentence ends. " * PIECE,
        "가" * (3 * PIECE),
        "[" * (2 * PIECE + 1),
    ],
)
def test_pieces_are_bounded_and_lose_nothing(text: str) -> None:
    parts = [*pieces(text)]
    assert "".join(parts) == text
    assert max(map(len, parts)) <= PIECE
    assert len(parts) <= 2 * len(text) // PIECE + 1


def test_a_long_paragraph_keeps_its_words_and_the_emphasis_of_each_sentence() -> None:
    sentence = "이 문장에는 **중요한** 말이 있다. "
    (unit,) = read(sentence * 400).units
    assert isinstance(unit, Paragraph)
    assert sum(run.bold for run in unit.runs) == 400
    assert "".join(run.text for run in unit.runs) == (sentence.replace("**", "") * 400).strip()


def test_lines_of_a_long_paragraph_stay_lines() -> None:
    (unit,) = read("\n".join(["한 줄이 여기 있다"] * 500)).units
    assert isinstance(unit, Paragraph)
    assert "".join(run.text for run in unit.runs).count(LINE_BREAK) == 499


@pytest.mark.parametrize(("opening", "closing"), [("$$", "$$"), ("\\[", "\\]"), ("\\begin{align}", "\\end{align}")])
def test_a_formula_of_many_lines_is_one_and_a_longer_one_is_text(opening: str, closing: str) -> None:
    def formulas(lines: int) -> int:
        units = read("\n".join([opening, *["x = 1"] * lines, closing])).units
        return sum(isinstance(each, Paragraph) and each.centred for each in units)

    assert formulas(FORMULA_LINES - 2) == 1
    assert formulas(FORMULA_LINES + 2) == 0


def test_a_table_of_many_columns_is_one_and_a_wider_one_is_text() -> None:
    def is_table(columns: int) -> bool:
        units = read(f"{'|a' * columns}|\n{'|-' * columns}|\n{'|1' * columns}|\n").units
        return any(isinstance(each, Table) for each in units)

    assert is_table(COLUMNS)
    assert not is_table(COLUMNS + 1)


def test_the_end_of_an_endless_text_is_shown_as_it_is_written() -> None:
    *_, last = read("```\n" + "가\n" * (LONGEST // 2) + "```\n**끝**").units
    assert isinstance(last, Paragraph)
    assert last.runs[-1].text.endswith("**끝**")


@pytest.mark.parametrize("language", ["python", "bash", "json", "perl", "java", "html", "rust"])
def test_code_has_the_colours_of_its_place_however_long_the_code_before_it_is(language: str) -> None:
    line = "x = 1\n"
    long = GrowingInks(language)
    long.grow(line * 2000)
    short = GrowingInks(language)
    short.grow(line)
    assert len(long.inks) == 2000 * len(short.inks)
