from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.speech.text.korean_sound.hangul import CODAS, is_syllable, syllable
from assistant.speech.text.korean_sound.pronunciation import pronounced

TABLE = Path(__file__).parents[4] / "data" / "text" / "korean_pronunciation.tsv"
LINES = TABLE.read_text(encoding="utf-8").splitlines()
ROWS = [tuple(line.split("\t")) for line in LINES if line and not line.startswith("#")]
SPEAKABLE = set("ㄱㄴㄷㄹㅁㅂㅇ") | {""}


@pytest.mark.parametrize(("written", "said", "article"), ROWS, ids=[f"{row[2]}-{row[0]}" for row in ROWS])
def test_words_sound_as_the_standard_says(written: str, said: str, article: str) -> None:
    assert pronounced(written) == said, article


def test_the_table_is_large_enough_to_mean_something() -> None:
    assert len({written for written, _, _ in ROWS}) >= 300
    assert {article.partition(".")[0] for _, _, article in ROWS} >= {
        str(number) for number in (*range(9, 21), *range(23, 31))
    }


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("오늘 할 일이 많아요.", "오늘 할 리리 마나요."),
        ("회의는 열 시에 시작할 거예요.", "회이는 열 씨에 시자칼 꺼예요."),
        ("서울역에서 만날 수 있습니다!", "서울려게서 만날 쑤 읻씀니다!"),
        ("값이 싸지만 맛은 없네요, 그렇죠?", "갑씨 싸지만 마슨 엄네요, 그러쵸?"),
        ("우리의 목표는 물가를 낮추는 것입니다.", "우리에 목표는 물까를 랃추는 거심니다."),
        ("무엇을 알게 되었는지 말할게요.", "무어슬 알게 되언는지 말할께요."),
    ],
)
def test_sentences_sound_as_they_are_read(sentence: str, said: str) -> None:
    assert pronounced(sentence) == said


def test_what_is_no_hangul_stays_and_parts_phrases() -> None:
    assert pronounced("3시, OK?") == "3시, OK?"
    assert pronounced("옷. 안") == "옫. 안"


@given(st.text(st.characters(min_codepoint=ord("가"), max_codepoint=ord("힣")) | st.sampled_from(" .,a1"), max_size=12))
def test_any_syllables_have_a_sound_of_as_many_syllables(text: str) -> None:
    said = pronounced(text)
    assert sum(map(is_syllable, said)) == sum(map(is_syllable, text))
    assert all(syllable(letter).coda in SPEAKABLE for letter in said if is_syllable(letter))


def test_letters_of_every_syllable_go_together_again() -> None:
    for code in range(ord("가"), ord("힣") + 1):
        letters = syllable(chr(code))
        assert str(letters) == chr(code)
        assert letters.coda in CODAS
