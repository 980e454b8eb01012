import pytest

from assistant.speech.endpoint.continuation import (
    Relation,
    is_afterthought,
    joined_text,
    one_sentence,
    relation,
    rest_after,
)


@pytest.mark.parametrize(
    ("before", "after", "language"),
    [
        ("모든 불닭", "파란색으로 다 바꿔 줘.", "ko"),
        ("내일 서울에서", "부산까지 얼마나 걸려?", "ko"),
        ("우유를 적어 줘.", "그리고 빵도 적어 줘.", "ko"),
        ("Can I have a medium.", "double shot americano?", "en"),
        ("Can I?", "Can I have a medium americano?", "en"),
        ("Turn off the lights.", "in the living room", "en"),
        ("Book a table for four people.", "on Friday evening", "en"),
        ("Cancel all of my meetings.", "Thursday afternoon", "en"),
    ],
)
def test_the_rest_of_a_sentence_goes_on_with_it(before: str, after: str, language: str) -> None:
    assert relation(before, after, language) is Relation.HALVES


@pytest.mark.parametrize(
    ("before", "after", "language"),
    [
        ("불을 꺼 줘.", "지금 몇 시야?", "ko"),
        ("오늘 날씨 알려 줘.", "아니 내일 날씨", "ko"),
        ("Turn off the lights.", "What time is it?", "en"),
        ("Turn off the lights.", "No, turn them on.", "en"),
        ("What is the capital of New Zealand?", "Tell me a joke.", "en"),
        ("Cancel that.", "Set a timer for ten minutes.", "en"),
    ],
)
def test_a_new_thought_does_not_go_on_with_a_whole_sentence(before: str, after: str, language: str) -> None:
    assert relation(before, after, language) is not Relation.HALVES


def test_the_first_half_loses_the_mark_that_ended_it() -> None:
    assert joined_text("Can I have a medium?", "double shot?") == "Can I have a medium double shot?"


@pytest.mark.parametrize(
    ("before", "both", "rest"),
    [
        ("십 분 타이머 맞춰 줘.", "십분 타이머 맞춰 줘 그리고 불 꺼 줘.", "그리고 불 꺼 줘."),
        ("Set a timer.", "Set a timer for the pasta.", "for the pasta."),
        ("Set a timer for five", "Set a timer for 5 minutes", "minutes"),
        ("Turn it off", "Turn it off", "off"),
        ("Turn it off", "", ""),
    ],
)
def test_the_second_half_is_what_follows_the_letters_of_the_first(before: str, both: str, rest: str) -> None:
    assert rest_after(before, both) == rest


@pytest.mark.parametrize(
    ("text", "language", "afterthought"),
    [
        ("서울역으로", "ko", True),
        ("내일 아침 여섯 시", "ko", True),
        ("늦는다고", "ko", True),
        ("두 개", "ko", True),
        ("거실도", "ko", True),
        ("창문도 닫아 줘.", "ko", False),
        ("몇 시야?", "ko", False),
        ("고마워요.", "ko", False),
        ("two bottles", "en", True),
        ("in the", "en", True),
        ("What time is it?", "en", False),
        ("", "ko", False),
    ],
)
def test_words_that_are_no_sentence_belong_to_the_one_before(text: str, language: str, afterthought: bool) -> None:
    assert is_afterthought(text, language) is afterthought


def test_what_english_words_leave_open_is_told_by_both_read_together() -> None:
    assert relation("Can I have a medium top?", "We'll try it americano.", "en") is Relation.UNCLEAR
    assert one_sentence("Can I have a medium double-shot americano?")
    assert not one_sentence("Turn off the lights. What time is it?")
    assert not one_sentence("")


@pytest.mark.parametrize(
    "text",
    ["Mr. Quilter is the apostle, and we are glad.", "Take 3.5 liters to Dr. Brown at 5 p.m. today.", "Move e.g. two."],
)
def test_the_dot_of_an_abbreviation_ends_no_sentence(text: str) -> None:
    assert one_sentence(text)


@pytest.mark.parametrize(
    ("before", "after", "known"),
    [
        ("내일 서울", "날씨 어때?", Relation.HALVES),
        ("Can I have a", "medium americano?", Relation.HALVES),
        ("우유를 적어 줘.", "그리고 빵도 적어 줘.", Relation.APART),
        ("Turn off the lights.", "in the kitchen", Relation.APART),
    ],
)
def test_after_an_answer_only_what_lacked_something_goes_on(before: str, after: str, known: Relation) -> None:
    language = "ko" if before[0] > "z" else "en"
    assert relation(before, after, language, answered=True) is known


def test_a_korean_sentence_that_is_closed_stays_closed() -> None:
    assert relation("불을 꺼 줘.", "지금 몇 시야?", "ko") is Relation.APART
