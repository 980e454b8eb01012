"""Amounts of money in Korean and English."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.core.amounts import find_amounts, foreign_money, loose_amount

WHOLE = {
    "삼만 오천 원": 35_000,
    "3만5천원": 35_000,
    "5만": 50_000,
    "오만원만": 50_000,
    "만 원씩": 10_000,
    "백이십만 원이요": 1_200_000,
    "1억 2천만원": 120_000_000,
    "1.5만 원": 15_000,
    "십이만 삼천사백오십육 원": 123_456,
    "만 육천원": 16_000,
    "1만2천3백원": 12_300,
    "50000": 50_000,
    "이만 원": 20_000,
    "5만이요": 50_000,
    "영 원": 0,
    "마이너스 오만 원": -50_000,
    "fifty thousand won": 50_000,
    "35,000 won": 35_000,
    "50,000 Korean won": 50_000,
    "50,000 one": 50_000,
    "50,000 1": 50_000,
    "50,000 Korean one": 50_000,
    "35k": 35_000,
    "a hundred thousand won": 100_000,
    "1.2 million won": 1_200_000,
    "two hundred and fifty thousand won": 250_000,
    "₩35,000": 35_000,
    "half a million won": 500_000,
    "thirty-five thousand": 35_000,
}
NONE = (
    *("이만", "천만에", "이삼만 원", "몇만 원", "5", "오빠", "만나", "천천히", "3시 반", "010-1234-5678", "오천 원룸"),
    *("twenty", "one", "123-456-789", "2026-11-26", "3.5", "2 people", "a k", "hundred"),
)


def whole_amount(text: str) -> int | None:
    """The amount in won that a text is as a whole; ``None`` if it has any other word."""
    amounts = find_amounts(text.strip())
    if len(amounts) != 1 or (amounts[0].start, amounts[0].end) != (0, len(text.strip())):
        return None
    return amounts[0].won


@pytest.mark.parametrize(("words", "won"), WHOLE.items())
def test_an_amount_is_read(words: str, won: int) -> None:
    assert whole_amount(words) == won


@pytest.mark.parametrize("words", NONE)
def test_other_words_are_no_amount(words: str) -> None:
    assert whole_amount(words) is None


@given(st.integers(1, 10**9))
def test_figures_with_and_without_units_are_the_same_amount(won: int) -> None:
    big, small = divmod(won, 10_000)
    in_units = f"{big}만 {small}원" if big and small else f"{big}만 원" if big else f"{small}원"
    assert whole_amount(f"{won:,}원") == whole_amount(in_units) == whole_amount(f"{won:,} won") == won


def test_several_amounts_are_found_with_their_places() -> None:
    text = "엄마한테 3만 원씩, 아빠한테 5만보내 줘"
    assert [(text[each.start : each.end], each.won, each.each) for each in find_amounts(text)] == [
        ("3만 원씩", 30_000, True),
        ("5만", 50_000, False),
    ]


@pytest.mark.parametrize("words", ["50달러", "$50", "fifty dollars", "백 유로", "3,000엔", "five bucks"])
def test_money_of_other_countries_is_told_apart(words: str) -> None:
    assert foreign_money(words)


@pytest.mark.parametrize("words", ["몇만 원", "2~3만 원", "a few thousand won"])
def test_words_that_name_no_certain_amount_are_found(words: str) -> None:
    assert loose_amount(words)


@pytest.mark.parametrize("words", ["every day at 1003 PM", "at 930 pm", "at 700 a.m.", "tomorrow at 1130am"])
def test_a_time_is_no_amount(words: str) -> None:
    assert find_amounts(words) == ()
