"""Long texts in parts: at most 4,096 UTF-16 code units each, cut at good places, and nothing lost."""

import cProfile
import random

import pytest

from assistant.remote.telegram.form.markup import rich
from assistant.remote.telegram.form.rich_text import LONGEST, MOST_SPANS, RichText, Span, units
from assistant.remote.telegram.form.splitting import parts

SENTENCE = "오늘은 비가 오고 바람이 많이 붑니다. "
FAMILY = "👨‍👩‍👧‍👦"


def squeezed(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("text", ["", " \n ", "\n\n\n"])
def test_white_space_alone_is_no_message(text: str) -> None:
    assert parts(RichText(text)) == []


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("가나다 라마바\n\n사아자 차카타파하", "가나다 라마바"),
        ("하나. 둘. 셋. 넷. 다섯 여섯", "하나. 둘. 셋. 넷."),
        ("one two three four five", "one two three"),
        ("첫 줄입니다\n둘째 줄은 더 길어요", "첫 줄입니다"),
        ("가" * 40, "가" * 16),
        ("😀" * 20, "😀" * 8),
        ("가나다 라마바사아자차\n\n타파하가", "가나다 라마바사아자차"),
        ("a\n\nbcdefghijklmnop qrs", "a\n\nbcdefghijklmn"),
        ("1\n\n2\n\n3\n\n4\n\n5\n\n6\n\n7\n\n8", "1\n\n2\n\n3\n\n4\n\n5\n\n6"),
        ("끝이다!정말 끝이다! 그래요네요", "끝이다!정말 끝이다!"),
        ("0123456789abcde 가나다", "0123456789abcde"),
        ("0123456789abcdef 가나다", "0123456789abcdef"),
    ],
)
def test_a_text_is_cut_at_a_paragraph_a_line_a_sentence_a_word_or_a_letter(text: str, first: str) -> None:
    found = parts(RichText(text), 16)
    assert found[0].text == first
    assert squeezed("".join(each.text for each in found)) == squeezed(text)


@pytest.mark.parametrize(
    "letter",
    [FAMILY, "👍🏽", "🇰🇷", "e\u0301", "❤️", "1️⃣", "각", "🏴‍☠️", "🧑🏿‍🚀", "ก็"],
)
@pytest.mark.parametrize("before", range(1, 12))
def test_what_is_seen_as_one_letter_is_not_cut(letter: str, before: int) -> None:
    text = "가" * before + letter * 6
    found = parts(RichText(text), 24)
    assert "".join(each.text for each in found) == text
    for each in found:
        assert units(each.text) <= 24
        assert each.text.lstrip("가") == letter * each.text.count(letter)


@pytest.mark.parametrize("count", [1, 100, 4096, 4097, 9000])
@pytest.mark.parametrize("letter", ["가", "a", "😀", "\U00020000"])
def test_code_units_are_counted_as_telegram_does(letter: str, count: int) -> None:
    found = parts(RichText(letter * count))
    assert "".join(each.text for each in found) == letter * count
    assert all(0 < len(each.text.encode("utf-16-le")) // 2 <= LONGEST for each in found)


def test_a_program_is_cut_between_its_lines_and_stays_a_program() -> None:
    code = "\n".join(f"    print({number})  # 줄" for number in range(800))
    found = parts(rich(f"먼저 이렇게요.\n\n```python\n{code}\n```\n\n끝이에요."))
    shown = [
        each.text[span.start : span.end]
        for each in found
        for span in each.spans
        if (span.kind, span.value) == ("pre", "python")
    ]
    assert len(shown) > 2
    assert "\n".join(shown) == code
    assert "끝이에요." in found[-1].text


def test_a_long_table_loses_no_cell() -> None:
    rows = [(f"이름{number}", f"값 {number * 7}") for number in range(600)]
    table = "| 이름 | 값 |\n|---|---|\n" + "".join(f"| {name} | {value} |\n" for name, value in rows)
    whole = "\n".join(each.text for each in parts(rich(table)))
    assert all(name in whole and value in whole for name, value in rows)


def test_a_format_that_is_cut_goes_on_in_the_next_part() -> None:
    text = (SENTENCE * 400).strip()
    found = parts(RichText(text, (Span(0, len(text), "bold"), Span(10, 30, "italic"))))
    assert len(found) > 1
    assert all(Span(0, len(each.text), "bold") in each.spans for each in found)
    assert sum(span.kind == "italic" for each in found for span in each.spans) == 1


def test_a_part_has_no_more_formats_than_telegram_keeps() -> None:
    source = " ".join(f"**말{number}**과" for number in range(450))
    found = parts(rich(source))
    assert all(len(each.spans) <= MOST_SPANS for each in found)
    assert sum(len(each.spans) for each in found) == 450


def test_a_text_of_twice_the_length_takes_twice_the_steps() -> None:
    def steps(words: int) -> int:
        profile = cProfile.Profile()
        profile.runcall(lambda: parts(rich("가나다 **굵게** `c` " * words)))
        return sum(each.callcount for each in profile.getstats())

    assert steps(4000) < 2.5 * steps(2000)


def test_no_text_loses_anything_but_white_space() -> None:
    chance = random.Random(31)
    pieces = [
        "가나다 ",
        "word ",
        "끝. ",
        "\n",
        "\n\n",
        "😀",
        FAMILY,
        "👍🏽",
        "x" * 30,
        "    ",
        "한글" * 9,
        "e\u0301",
        "\t",
        "🇰🇷",
    ]
    for _ in range(300):
        text = "".join(chance.choices(pieces, k=chance.randrange(1, 120)))
        longest = chance.choice([16, 33, 64, 200])
        found = parts(RichText(text), longest)
        assert squeezed("".join(each.text for each in found)) == squeezed(text)
        assert all(each.text.strip() and units(each.text) <= longest for each in found)
