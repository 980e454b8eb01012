import pytest

from assistant.speech.text.korean_pronunciation import pronounced


@pytest.mark.parametrize(("written", "said"), [("값이 없다", "갑씨 업따"), ("독립", "동닙"), ("할 것을", "할 꺼슬")])
def test_letters_change_as_the_standard_says(written: str, said: str) -> None:
    assert pronounced(written) == said


def test_what_is_no_hangul_stays() -> None:
    assert pronounced("3시, OK?") == "3시, OK?"
