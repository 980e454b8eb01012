import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.speech.text.korean.latin_words.loanwords import hangul_word
from assistant.speech.text.korean.latin_words.romanised import from_romanised
from assistant.speech.text.korean_sound.hangul import is_syllable


@pytest.mark.parametrize(
    ("word", "spoken"),
    [
        ("strawberry", "스트로베리"),
        ("computer", "컴퓨터"),
        ("technology", "테크놀로지"),
        ("algorithms", "알고리즘스"),
        ("question", "퀘스천"),
        ("nation", "네이션"),
        ("vision", "비전"),
        ("judge", "저지"),
        ("bridge", "브리지"),
        ("catch", "캐치"),
        ("fashion", "패션"),
        ("flash", "플래시"),
        ("shrimp", "슈림프"),
        ("twist", "트위스트"),
        ("quick", "퀵"),
        ("yellow", "옐로"),
        ("million", "밀리언"),
        ("flower", "플라워"),
        ("science", "사이언스"),
        ("helmet", "헬멋"),
        ("apples", "애플스"),
        ("hats", "해츠"),
        ("beds", "베즈"),
        ("signal", "시그널"),
        ("music", "뮤직"),
        ("cat", "캣"),
        ("cut", "컷"),
        ("sport", "스포트"),
        ("chair", "체어"),
    ],
)
def test_an_english_word_is_written_as_it_sounds(word: str, spoken: str) -> None:
    assert hangul_word(word) == spoken


@pytest.mark.parametrize(
    ("word", "spoken"),
    [
        ("API", "에이피아이"),
        ("APIs", "에이피아이스"),
        ("IT", "아이티"),
        ("it", "잇"),
        ("HELLO", "헬로"),
        ("XYZW", "엑스와이제트더블유"),
        ("zxcvb", "제트엑스씨브이비"),
        ("DataFrame", "데이터프레임"),
        ("LangChain", "랭체인"),
    ],
)
def test_abbreviations_are_spelled_and_words_are_not(word: str, spoken: str) -> None:
    assert hangul_word(word) == spoken


@pytest.mark.parametrize(
    ("word", "korean"),
    [("gyeongbokgung", "경복궁"), ("haneul", "하늘"), ("seongnam", "성남"), ("kubernetes", ""), ("xeon", "")],
)
def test_romanised_korean_comes_back(word: str, korean: str) -> None:
    assert from_romanised(word) == korean


@given(st.from_regex(r"[A-Za-z]{1,60}", fullmatch=True))
def test_every_word_of_latin_letters_has_a_reading_in_hangul(word: str) -> None:
    spoken = hangul_word(word)
    assert spoken
    assert all(is_syllable(letter) for letter in spoken)
