import pytest

from assistant.speech.text.language import language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("안녕하세요", "ko"),
        ("Hello there", "en"),
        ("Python에서 list comprehension을 사용하면 됩니다", "ko"),
        ("The Korean word 안녕 means hello", "en"),
        ("ㅋㅋㅋ", "ko"),
        ("API 키", "ko"),
    ],
)
def test_the_share_of_hangul_decides(text: str, language: str) -> None:
    assert language_of(text, "en" if language == "ko" else "ko") == language


@pytest.mark.parametrize("default", ["ko", "en"])
def test_numbers_alone_are_spoken_in_the_users_language(default: str) -> None:
    assert language_of("3.14, 42!", default) == default
