import pytest

from assistant.speech.endpoint.continuation import goes_on, joined_text


@pytest.mark.parametrize(
    ("before", "after", "language"),
    [
        ("모든 불닭", "파란색으로 다 바꿔 줘.", "ko"),
        ("내일 서울에서", "부산까지 얼마나 걸려?", "ko"),
        ("우유를 적어 줘.", "그리고 빵도 적어 줘.", "ko"),
        ("Can I have a medium.", "double shot americano?", "en"),
        ("Can I?", "Can I have a medium americano?", "en"),
        ("Turn off the lights.", "in the living room", "en"),
        ("Book a table for four people.", "on Friday evening", "en"),
        ("Cancel all of my meetings.", "Thursday afternoon", "en"),
    ],
)
def test_the_rest_of_a_sentence_goes_on_with_it(before: str, after: str, language: str) -> None:
    assert goes_on(before, after, language)


@pytest.mark.parametrize(
    ("before", "after", "language"),
    [
        ("불을 꺼 줘.", "지금 몇 시야?", "ko"),
        ("오늘 날씨 알려 줘.", "아니 내일 날씨", "ko"),
        ("Turn off the lights.", "What time is it?", "en"),
        ("Turn off the lights.", "No, turn them on.", "en"),
        ("What is the capital of New Zealand?", "Tell me a joke.", "en"),
    ],
)
def test_a_new_thought_does_not_go_on_with_a_whole_sentence(before: str, after: str, language: str) -> None:
    assert not goes_on(before, after, language)


def test_the_first_half_loses_the_mark_that_ended_it() -> None:
    assert joined_text("Can I have a medium?", "double shot?") == "Can I have a medium double shot?"
