"""Citations in answers: what is one, what is none, and that none is ever shown half."""

import random

import pytest

from assistant.core.citing.markers import (
    LONGEST_HELD,
    CitationReader,
    numbers_in,
    parts_of,
    without_citations,
    written,
)

GIVEN = frozenset({1, 2, 3, 12})

CITED = [
    ("회의는 3시예요 [1].", "회의는 3시예요 [1]."),
    ("회의는 3시예요[1].", "회의는 3시예요[1]."),
    ("The meeting is at three [2].", "The meeting is at three [2]."),
    ("It opened in 2019[1].", "It opened in 2019[1]."),
    ("The capital is Paris[1], and", "The capital is Paris[1], and"),
    ("둘 다 그래요 [1][2].", "둘 다 그래요 [1][2]."),
    ("둘 다 그래요 [1, 2].", "둘 다 그래요 [1][2]."),
    ("둘 다 그래요 [1], [2].", "둘 다 그래요 [1][2]."),
    ("셋 다 그래요 [1-3].", "셋 다 그래요 [1][2][3]."),
    ("All three [1–3].", "All three [1][2][3]."),
    ("그래요【1】.", "그래요[1]."),
    ("It is so 【2†source】.", "It is so [2]."),
    ("그래요 [^1].", "그래요 [1]."),
    ("그래요 (문서 1).", "그래요 [1]."),
    ("그래요 (출처: 문서 1, 문서 2).", "그래요 [1][2]."),
    ("It is so (see document 2).", "It is so [2]."),
    ("It is so (Documents 1, 2).", "It is so [1][2]."),
    ("그래요 [문서 2].", "그래요 [2]."),
    ("그래요 ([1]).", "그래요 ([1])."),
    ("[1]에 따르면 그래요.", "[1]에 따르면 그래요."),
    ("According to [12], it is.", "According to [12], it is."),
    ("- 첫째 [1]\n- 둘째 [2]\n", "- 첫째 [1]\n- 둘째 [2]\n"),
    ("| 이름 | 값 [1] |", "| 이름 | 값 [1] |"),
    ("코드 `x`예요 [1].", "코드 `x`예요 [1]."),
    ("```\na[9]\n```\n그래요 [1].", "```\na[9]\n```\n그래요 [1]."),
    ("(서울)[1]에 있어요.", "(서울)[1]에 있어요."),
    ("따옴표 `하나\n\n그래요 [1, 2].", "따옴표 `하나\n\n그래요 [1][2]."),
]
REMOVED = [
    ("회의는 3시예요 [9].", "회의는 3시예요."),
    ("회의는 3시예요[9].", "회의는 3시예요."),
    ("It is so [99]. Next", "It is so. Next"),
    ("It is so [9] and so on", "It is so and so on"),
    ("둘 다 그래요 [1, 9].", "둘 다 그래요 [1]."),
    ("둘 다 그래요 [1][9].", "둘 다 그래요 [1]."),
    ("둘 다 그래요 [8][9].", "둘 다 그래요."),
    ("둘 다 그래요 [8, 9].", "둘 다 그래요."),
    ("그래요 【9】.", "그래요."),
    ("그래요 [^9].", "그래요."),
    ("It is so ([9]).", "It is so."),
    ("[9] 그래요.", "그래요."),
    ("[9]에 따르면 그래요.", "그래요."),
    ("그런데 [9]에 따르면 그래요.", "그런데 그래요."),
    ("끝이 잘린 답 [1", "끝이 잘린 답"),
]
KEPT = [
    "`a[9]` 와 `b [1]`",
    "``x ` [9]`` 끝",
    "```python\nitems [9]\nx = [1, 9]\n```",
    "~~~\n[9]\n~~~",
    "```\n열린 코드 [9]",
    "a[1] 과 a[9]",
    "items[9] = 3",
    "row_2[1].",
    "f(x)[1]",
    "[9](https://example.org)",
    "![1](picture.png)",
    "[이름][1]",
    "[1]: https://example.org/a",
    "[^1]: 각주",
    "https://example.org/a?b[1]=2",
    "https://example.org/[9]",
    "\\[9]",
    "배열은 = [8, 9]",
    "답은 [8, 9]입니다",
    "[0]은 처음이에요",
    "[0-9]",
    "[2024] 기록",
    "계약서(문서 9)",
    "(서울 1)",
    "[확인]",
    "[ ] 할 일",
    "- [x] 한 일",
    "f(1, 2)",
    "(1) 첫째 (2) 둘째",
    "(2024)",
    "1 < 2 [",
]


def streamed(text: str, sizes: list[int]) -> str:
    reader, out, at = CitationReader(lambda: GIVEN), "", 0
    for size in sizes:
        out += written(reader.take(text[at : at + size]))
        at += size
    return out + written(reader.take(text[at:])) + written(reader.end())


def split(text: str, seed: int) -> list[int]:
    chosen = random.Random(seed)
    return [chosen.randint(1, 4) for _ in range(len(text))]


@pytest.mark.parametrize(("text", "shown"), [*CITED, *REMOVED, *((text, text) for text in KEPT)])
def test_each_form_is_understood_however_it_is_split(text: str, shown: str) -> None:
    assert streamed(text, [len(text)]) == shown
    assert streamed(text, [1] * len(text)) == shown
    for seed in range(4):
        assert streamed(text, split(text, seed)) == shown


@pytest.mark.parametrize(("text", "shown"), [*CITED, *REMOVED])
def test_no_half_of_a_marker_is_shown_and_little_is_held(text: str, shown: str) -> None:
    reader, out = CitationReader(lambda: GIVEN), ""
    for at, letter in enumerate(text):
        out += written(reader.take(letter))
        assert shown.startswith(out)
        assert at + 1 - len(out) <= LONGEST_HELD + 20


@pytest.mark.parametrize("text", ["보통 글은 바로 나와요", "plain words pass at once", "괄호(서울)도", "링크 [여기"])
def test_plain_text_is_not_delayed(text: str) -> None:
    reader, out = CitationReader(lambda: GIVEN), ""
    for letter in text:
        out += written(reader.take(letter))
    assert out == text


def test_a_long_beginning_is_let_go() -> None:
    reader = CitationReader(lambda: GIVEN)
    assert written(reader.take("[" + "1, " * 60)).startswith("[1, 1, ")


@pytest.mark.parametrize(
    ("text", "numbers", "shown"),
    [
        ("회의는 3시예요 [1]. 장소는 서울이에요[2].", {1, 2}, "회의는 3시예요. 장소는 서울이에요."),
        ("It is so [1][2] and `x[1]`.", {1, 2}, "It is so and `x[1]`."),
        ("배열 [3]", {1}, "배열 [3]"),
        ("[1]", set(), "[1]"),
    ],
)
def test_citations_can_be_taken_out_of_a_stored_answer(text: str, numbers: set[int], shown: str) -> None:
    assert without_citations(text, numbers) == shown


def test_a_stored_answer_has_the_parts_that_it_was_written_of() -> None:
    assert parts_of("가 [1][2] 나 [9]", {1, 2}) == ["가 ", 1, 2, " 나 [9]"]


@pytest.mark.parametrize(
    ("marker", "numbers"), [("[1, 3]", [1, 3]), ("[2-4]", [2, 3, 4]), ("[9-1]", []), ("[1-99]", []), ("【3†7】", [3])]
)
def test_the_numbers_of_a_marker(marker: str, numbers: list[int]) -> None:
    assert numbers_in(marker) == numbers
