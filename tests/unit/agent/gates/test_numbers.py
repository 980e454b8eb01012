import pytest

from assistant.agent.gates.numbers import sino_korean, spoken_numbers


@pytest.mark.parametrize(
    ("value", "word"), [(1, "일"), (10, "십"), (25, "이십오"), (100, "백"), (119, "백십구"), (999, "구백구십구")]
)
def test_sino_korean_numbers(value: int, word: str) -> None:
    assert sino_korean(value) == word


def test_native_korean_numbers_have_their_counting_form() -> None:
    known = dict(spoken_numbers("ko"))
    assert {word: known[word] for word in ("하나", "한", "스물", "스무", "스물한", "열두", "쉰다섯", "아흔아홉")} == {
        "하나": 1,
        "한": 1,
        "스물": 20,
        "스무": 20,
        "스물한": 21,
        "열두": 12,
        "쉰다섯": 55,
        "아흔아홉": 99,
    }


def test_every_number_up_to_999_can_be_said_and_no_word_has_two_values() -> None:
    for language in ("ko", "en"):
        numbers = spoken_numbers(language)
        assert {value for word, value in numbers if not word.isdigit()} >= set(range(1000)) - {0}
        assert len(dict(numbers)) == len({(word, value) for word, value in numbers})


def test_english_hundreds_are_said_with_and_without_and() -> None:
    known = dict(spoken_numbers("en"))
    assert known["a hundred and twenty one"] == known["one hundred twenty one"] == 121
