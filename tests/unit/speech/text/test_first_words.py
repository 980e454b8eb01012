import pytest

from assistant.speech.text.first_words import MOST_WEIGHT, first_words


@pytest.mark.parametrize(
    ("sentence", "first"),
    [
        ("가장 가까운 약국은 걸어서 오 분 거리에 있습니다.", "가장 가까운 약국은"),
        ("내일은 대체로 맑고, 낮 기온은 이십 도까지 오르겠습니다.", "내일은 대체로 맑고,"),
        ("The nearest pharmacy that is open now is five minutes away.", "The nearest pharmacy"),
    ],
)
def test_a_long_sentence_is_cut_where_a_reader_takes_a_breath(sentence: str, first: str) -> None:
    assert first_words(sentence) == (first, sentence[len(first) :].strip())


@pytest.mark.parametrize("sentence", ["", "네, 알겠습니다.", "Yes, I will do that.", "가" * MOST_WEIGHT])
def test_what_is_short_or_has_no_place_to_cut_stays_whole(sentence: str) -> None:
    assert first_words(sentence) == (sentence, "")
