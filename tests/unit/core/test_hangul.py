import pytest

from assistant.core.hangul import final_of


@pytest.mark.parametrize(
    ("word", "final"),
    [("", 0), ("가", 0), ("의사", 0), ("오월 삼일", 8), ("힣", 27), ("값", 18), ("tea", 0), ("ㄱ", 0)],
)
def test_the_final_consonant_of_the_last_syllable_is_found(word: str, final: int) -> None:
    assert final_of(word) == final
