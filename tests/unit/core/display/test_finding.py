import pytest

from assistant.core.display.finding import is_found

TEXT = "말하는 속도 목소리의 빠르기. 1이 보통 Speed Pace of speech voice.speed"


@pytest.mark.parametrize(
    "query",
    [
        "",
        "속도",
        "말하는속도",
        "하는 속",
        "목솔",  # 목소리 while its third syllable is being typed
        "목소ㄹ",
        "ㅁㅅㄹ",
        "ㅁㅎㄴ ㅅㄷ",
        "ㅁㅎㄴㅅㄷ",
        "ㅃㄹㄱ",
        "빠륵",  # 빠르기 while its last syllable is being typed
        "speed",
        "SPEED",
        "pace speech",
        "속도 speed",
        "voice.speed",
        "of",
    ],
)
def test_what_is_typed_finds_the_setting(query: str) -> None:
    assert is_found(query, TEXT)


@pytest.mark.parametrize(
    "query",
    [
        "테마",
        "속두",
        "ㅅㄷㅂ",
        "ㅎㅁ",
        "speedy",
        "속도 테마",
        "목산",
        "목소링크",
        "빠를",
        "빠르깅",
        "theme",
        ".*",
        "말하던",
    ],
)
def test_other_words_do_not(query: str) -> None:
    assert not is_found(query, TEXT)


def test_decomposed_hangul_is_the_same_text() -> None:
    assert is_found("속도", "속도")
