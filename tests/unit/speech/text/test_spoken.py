import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.core.settings import Language
from assistant.speech.text import pieces as pieces_module
from assistant.speech.text import spoken as spoken_module
from assistant.speech.text.pieces import PIECE_CHARACTERS
from assistant.speech.text.sentences import SentenceChunker
from assistant.speech.text.spoken import has_words, spoken_language, spoken_text, written_up_to

CASES = Path(__file__).parents[3] / "data" / "spoken"
KOREAN = re.compile(r"(?:[가-힣]+(?:[.,?!…]? |[.?!…]?$|$))*")
ENGLISH = re.compile(r"(?:[A-Za-z]+(?:['-][A-Za-z]+)*(?:[.,?!…]? |[.?!…]?$|$))*")


def cases(language: str) -> list[tuple[str, str]]:
    """Pairs of written and spoken text; a third column names the case."""
    lines = (CASES / f"{language}.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return [(written.replace("\\n", "\n"), spoken) for written, spoken, _why in rows]


def misread(language: Language) -> list[tuple[str, str, str]]:
    """The cases that are read otherwise: written, expected and read."""
    read = [(written, spoken, spoken_text(written, language)) for written, spoken in cases(language)]
    return [case for case in read if case[1] != case[2]]


def test_korean_is_spoken_as_a_korean_reads_it_aloud() -> None:
    assert misread("ko") == []


def test_english_is_spoken_as_an_english_speaker_reads_it_aloud() -> None:
    assert misread("en") == []


@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_tables_have_three_hundred_different_cases_each(language: str) -> None:
    assert len({written for written, _ in cases(language)}) >= 300


FRAGMENTS = r"""
    3 12 007 1,234 3.5 0.05 1/2 11/22 2026-11-22 14:30 3:2 010-1234-5678 ~ - – + = < > × ÷ ± ° % $ ₩ € £ # @ & * _ ` |
    ( ) [ ] { } / \ ^ . , ? ! … ... : ; ' " ~~ ** ``` $x$ \frac{1}{2} \( \) 개 명 시 분 월 일 년 번 대 살 제 도
    은 는 을(를) (으)로 이(가) 만 억 원 km km/h °C kg GB ㎡ API USB iPhone Wi-Fi v1.2.3 e.g. Dr. St. U.S. a.m.
    PM II 3rd 1990s Mr http://a.b/c
    a@b.co main.py 안녕 ㅋㅋ ㄱ 漢 あ é ½ ² ① Ⅳ 😀 → # - 1. > A B's it's - -- No.
    vs w/ no. p. 24/7 C# C++ 50-50 '99 월~금
"""
HOSTILE = st.one_of(
    st.text(max_size=60),
    st.lists(st.one_of(st.sampled_from(FRAGMENTS.split()), st.just(" "), st.text(max_size=3)), max_size=25).map(
        "".join
    ),
)


@given(HOSTILE)
def test_a_korean_voice_meets_only_hangul_spaces_and_sentence_punctuation(text: str) -> None:
    assert KOREAN.fullmatch(spoken_text(text, "ko"))


@given(HOSTILE)
def test_an_english_voice_meets_only_latin_words_and_sentence_punctuation(text: str) -> None:
    assert ENGLISH.fullmatch(spoken_text(text, "en"))


@given(HOSTILE, st.sampled_from(["ko", "en"]))
def test_speaking_what_is_spoken_already_changes_nothing(text: str, language: str) -> None:
    spoken = spoken_text(text, language)
    assert spoken_text(spoken, language) == spoken


UNITS = (
    *(
        "`",
        "*",
        "[",
        "](",
        "<a ",
        "_a",
        "$x ",
        "\\frac{",
        "1,",
        "1.",
        "1-",
        "1:",
        "1/",
        "1~",
        "1 ",
        "a@",
        "a.",
        "A.",
        "~",
    ),
    *("/a", "(", "://", "가 1 ", "3만", "x<", "=", "|", "'", "-", "가", "A", "Ab", "IV", "\n", "> ", "제3", "http://"),
)


HOSTILE_CHARACTERS = 4_000
"""Length of ten pieces. The bounds below are counts that hold for each piece, so more pieces add no coverage."""


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("unit", UNITS)
def test_the_work_for_hostile_text_grows_with_its_length(
    unit: str, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rules read one piece at a time. The number and the length of the pieces are bounded, so the work is too."""
    lengths: list[int] = []

    def counted(text: str, limit: int = PIECE_CHARACTERS) -> list[str]:
        found = list(pieces_module.pieces(text, limit))
        lengths.extend(len(piece) for piece in found)
        return found

    monkeypatch.setattr(spoken_module, "pieces", counted)
    text = unit * (HOSTILE_CHARACTERS // len(unit))
    spoken = spoken_text(text, language)
    assert max(lengths, default=0) <= PIECE_CHARACTERS
    assert len(lengths) <= 2 * len(text) / (PIECE_CHARACTERS / 2) + 1
    assert len(spoken) <= 12 * len(text)


@pytest.mark.parametrize(
    "sentence",
    [
        "오늘 기온은 3.5도입니다.",
        "v1.2.3을 설치하세요.",
        "See https://example.com/a.b?c=d.e for more.",
        "Version v1.2.3 costs $3.50 today.",
        "Dr. Kim arrives at 7:05 a.m. today.",
        "그는 2026. 11. 22. 출발했습니다.",
        "음... 1,234.5원쯤입니다.",
        "main.py를 README.md와 함께 여세요.",
        "192.168.0.1에 접속하세요.",
    ],
)
def test_a_sentence_reaches_the_reading_in_one_piece(sentence: str) -> None:
    chunker = SentenceChunker()
    pieces = ["네.", *chunker.feed("네.\n\n" + sentence)[1:], *chunker.flush()]
    assert pieces[1:] == [sentence]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Python 3.11을 씁니다.", "ko"),
        ("The word 안녕 means hello.", "en"),
        ("[서울](https://example.com/a-very-long-address-in-latin-letters)", "ko"),
        ("3.5!", "ko"),
    ],
)
def test_the_language_is_that_of_the_words(text: str, language: str) -> None:
    assert spoken_language(text, "ko") == language


@pytest.mark.parametrize("text", ["🙂🎉", "---", "```python\nprint(1)\n```", "…", "**", ""])
def test_nothing_is_given_to_a_voice_where_there_are_no_words(text: str) -> None:
    assert not has_words(text)
    assert spoken_text(text, "ko") == spoken_text(text, "en") == ""


@pytest.mark.parametrize(
    ("text", "language", "fraction", "heard"),
    [
        ("하나는 이렇고 둘은 저렇습니다.", "ko", 0.5, "하나는 이렇고"),
        ("값은 1,234,567원이고 지금 주문하면 됩니다.", "ko", 0.4, "값은"),
        ("값은 1,234,567원이고 지금 주문하면 됩니다.", "ko", 0.65, "값은 1,234,567원이고"),
        (
            "[긴 주소](https://example.com/a/b/c/d/e/f/g)를 열고 기다리세요.",
            "ko",
            0.5,
            "[긴 주소](https://example.com/a/b/c/d/e/f/g)를",
        ),
        ("It costs $1,234.56 if you order today.", "en", 0.5, "It costs"),
        ("It costs $1,234.56 if you order today.", "en", 0.0, ""),
        ("It costs $1,234.56 if you order today.", "en", 1.0, "It costs $1,234.56 if you order today."),
    ],
)
def test_what_was_heard_is_told_in_written_words(text: str, language: str, fraction: float, heard: str) -> None:
    assert written_up_to(text, language, fraction) == heard
