import pytest

from assistant.speech.stt.recognizer import Transcript
from assistant.voice.waking.allowance import EVERY_MS, MOST, Allowance
from assistant.voice.waking.name_said import NameSaid


@pytest.mark.parametrize(
    ("heard", "request_text"),
    [("토치야 불 켜 줘", "불 켜 줘"), ("도치야.", ""), ("거지야, 불 켜 줘", "불 켜 줘"), ("불 켜 줘", "불 켜 줘")],
)
def test_the_name_is_taken_off_the_request(heard: str, request_text: str) -> None:
    transcript = Transcript(text=heard, language="ko", samples=1)
    assert NameSaid(phrase="도치야").request_in(transcript, 1_000).text == request_text


def test_the_name_is_transcribed_with_the_request() -> None:
    assert NameSaid(phrase="도치야").sound_to_read(b"sound", 100) == b"sound"


def test_transcriptions_are_counted() -> None:
    allowance = Allowance()
    assert [allowance.take() for _ in range(MOST + 1)] == [True] * MOST + [False]
    allowance.passed(EVERY_MS)
    assert [allowance.take(), allowance.take()] == [True, False]
    allowance.passed(100 * EVERY_MS)
    assert [allowance.take() for _ in range(MOST + 1)] == [True] * MOST + [False]


def test_a_further_spelling_is_removed_as_well() -> None:
    transcript = Transcript(text="벌피아, 오늘 며칠이야?", language="ko", samples=16_000)
    assert NameSaid(phrase="뽀삐야", spellings=("벌피아",)).request_in(transcript, 1_000).text == "오늘 며칠이야?"


@pytest.mark.parametrize(
    ("heard", "words"), [("토치야 불 켜 줘", "도치야, 불 켜 줘"), ("또치야.", "도치야"), ("불 켜 줘", "불 켜 줘")]
)
def test_the_name_of_another_agent_stays_as_it_is_written(heard: str, words: str) -> None:
    transcript = Transcript(text=heard, language="ko", samples=1)
    assert NameSaid(phrase="도치야", stays=True).request_in(transcript, 1_000).text == words
