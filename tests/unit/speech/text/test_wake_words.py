import pytest

from assistant.speech.text.wake_words import holds_wake_word, without_wake_word


@pytest.mark.parametrize(
    ("text", "word", "rest"),
    [
        ("Alexa, can I have a coffee?", "alexa", "can I have a coffee?"),
        ("A Lexus can I have a coffee?", "alexa", "can I have a coffee?"),
        ("알렉사 모든 불을 꺼 줘.", "alexa", "모든 불을 꺼 줘."),
        ("엘렉사? 모든 불을 꺼 줘.", "alexa", "모든 불을 꺼 줘."),
        ("렉사 모든 불을 꺼 줘.", "alexa", "모든 불을 꺼 줘."),
        ("탈렉스? 모든 불을 꺼 줘.", "alexa", "모든 불을 꺼 줘."),
        ("Hey Jarvis, what time is it?", "hey_jarvis", "what time is it?"),
        ("hey Travis what time is it", "hey_jarvis", "what time is it"),
        ("헤이 자비스 불 꺼", "hey_jarvis", "불 꺼"),
        ("알렉사！ 불 꺼 줘", "alexa", "불 꺼 줘"),
        ("Alexa – lights off", "alexa", "lights off"),
        ("Alexa?", "alexa", ""),
        ("알렉사", "alexa", ""),
    ],
)
def test_the_wake_word_is_taken_off_however_it_is_spelled(text: str, word: str, rest: str) -> None:
    assert without_wake_word(text, word) == rest


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Can I have a coffee?",
        "모든 불을 꺼 줘.",
        "알겠어 모든 불을 꺼 줘",
        "All lights off",
        "Alarm at seven",
        "Thank you.",
    ],
)
def test_a_text_that_begins_otherwise_has_no_wake_word(text: str) -> None:
    assert without_wake_word(text, "alexa") is None


@pytest.mark.parametrize(
    ("text", "word", "held"),
    [
        ("Okay, so Alexa.", "alexa", True),
        ("음, 저기 알렉사", "alexa", True),
        ("Well, hey Jarvis", "hey_jarvis", True),
        ("Selections are lost,", "alexa", False),
        ("A connection to the server", "alexa", False),
        ("알겠어", "alexa", False),
        ("", "alexa", False),
    ],
)
def test_a_wake_word_is_found_anywhere_in_a_transcript(text: str, word: str, held: bool) -> None:
    assert holds_wake_word(text, word) is held
