import pytest

from assistant.speech.text.names.common import confusable


@pytest.mark.parametrize(
    ("phrase", "word"), [("도시야", "도시야"), ("토리", "도리"), ("나비야", "나비야"), ("Friday", "friday")]
)
def test_a_name_that_sounds_like_a_common_word_is_known(phrase: str, word: str) -> None:
    assert word in confusable(phrase)


@pytest.mark.parametrize("phrase", ["자비스", "김비서", "꼬마 요정", "hey computer", "Samantha"])
def test_a_distinct_name_is_not_confusable(phrase: str) -> None:
    assert confusable(phrase) == ()
