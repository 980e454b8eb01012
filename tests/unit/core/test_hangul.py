import pytest

from assistant.core.hangul import final_of, open_syllables, vowel_of


@pytest.mark.parametrize(
    ("word", "final"),
    [("", 0), ("가", 0), ("의사", 0), ("오월 삼일", 8), ("힣", 27), ("값", 18), ("tea", 0), ("ㄱ", 0)],
)
def test_the_final_consonant_of_the_last_syllable_is_found(word: str, final: int) -> None:
    assert final_of(word) == final


@pytest.mark.parametrize(
    ("word", "vowel"),
    [
        ("", None),
        ("가", 0),
        ("배워", 14),
        ("와", 9),
        ("먹어", 4),
        ("약", 2),
        ("힣", 20),
        ("tea", None),
        ("ㅏ", None),
        ("3", None),
    ],
)
def test_the_vowel_of_the_last_syllable_is_found(word: str, vowel: int | None) -> None:
    assert vowel_of(word) == vowel


def test_all_open_syllables_with_a_vowel_are_listed() -> None:
    assert open_syllables(0) == "가까나다따라마바빠사싸아자짜차카타파하"
    assert {(vowel_of(each), final_of(each)) for each in open_syllables(4, 20)} == {(4, 0), (20, 0)}
    assert len(open_syllables(4, 20)) == 2 * 19
