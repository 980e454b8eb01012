import pytest

from assistant.memory.facts import Fact, about, facts_in, same_fact, with_fact, without_facts

DAY = "2026-11-23"
BY_HAND = "# 나\n\n글입니다.\n- 커피를 안 마신다\n\n* 생일은 5월 3일 <!-- 2026-01-02 -->\n"


def test_facts_are_the_lines_of_a_list_and_every_other_line_is_the_users() -> None:
    assert facts_in(BY_HAND) == (
        Fact(text="커피를 안 마신다"),
        Fact(text="생일은 5월 3일", since="2026-01-02"),
    )
    longer = with_fact(BY_HAND, Fact(text="차는 B2에 있다", since=DAY))
    assert longer == f"{BY_HAND}- 차는 B2에 있다 <!-- 2026-11-23 -->\n"
    assert without_facts(longer, facts_in(longer)[-1:]) == BY_HAND


def test_a_file_without_a_last_line_end_gets_one() -> None:
    assert with_fact("- a", Fact(text="b", since=DAY)) == "- a\n- b <!-- 2026-11-23 -->\n"


def test_a_fact_stays_one_line_and_hides_nothing() -> None:
    content = with_fact("", Fact(text="one\n- two <!-- three --> four", since=DAY))
    assert facts_in(content) == (Fact(text="one - two three four", since="2026-11-23"),)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("나는 땅콩 알레르기가 있다", "땅콩알레르기 있다"),
        ("내 생일은 5월 3일", "생일 5월 3일이야"),
        ("강아지 이름은 보리", "강아지 이름이 보리예요"),
        ("I like tea.", "i like  TEA"),
        ("My sister's name is Ann", "sister name is Ann"),
    ],
)
def test_nearly_the_same_words_are_the_same_fact(one: str, other: str) -> None:
    assert same_fact(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("생일은 5월 3일", "생일은 5월 4일"),
        ("커피를 마신다", "커피를 안 마신다"),
        ("커피를 좋아해", "아내는 커피를 좋아해"),
        ("I like tea", "I do not like tea"),
        ("My sister lives in Busan", "My brother lives in Busan"),
    ],
)
def test_another_number_word_or_person_is_another_fact(one: str, other: str) -> None:
    assert not same_fact(one, other)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("내 생일", ["생일은 5월 3일"]),
        ("커피", ["커피를 안 마신다"]),
        ("커피를", ["커피를 안 마신다"]),
        ("차", []),
        ("커피 생일", []),
        ("", []),
    ],
)
def test_facts_are_found_by_their_words(words: str, found: list[str]) -> None:
    assert [fact.text for fact in about(facts_in(BY_HAND), words)] == found
