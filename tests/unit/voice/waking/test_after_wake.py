import pytest

from assistant.core.audio import FRAME_BYTES
from assistant.speech.stt.recognizer import Transcript
from assistant.voice.waking.after_wake import (
    KEPT_MS,
    AfterWake,
    Followed,
    RequestBeforeWakeWord,
    SoundBefore,
    WakeWordSaid,
)


def frame(number: int) -> bytes:
    return number.to_bytes(2, "little") * (FRAME_BYTES // 2)


def numbers(pcm: bytes) -> list[int]:
    """The frames that make up a sound."""
    return [int.from_bytes(pcm[at : at + 2], "little") for at in range(0, len(pcm), FRAME_BYTES)]


def before(*runs_ms: int) -> SoundBefore:
    """Sound up to a hit: alternating milliseconds of silence and voice, silence first."""
    sound = SoundBefore()
    number = 0
    for index, length_ms in enumerate(runs_ms):
        for _ in range(length_ms // 10):
            number += 1
            sound.push(frame(number), speech=index % 2 == 1)
    return sound


def after(sound: SoundBefore, *runs_ms: int) -> Followed | None:
    """The result for the sound after the hit: alternating milliseconds of voice and silence, voice first."""
    following = AfterWake("alexa", sound)
    number = 1000
    for index, length_ms in enumerate(runs_ms):
        for _ in range(length_ms // 10):
            number += 1
            if followed := following.feed(frame(number), speech=index % 2 == 0):
                return followed
    return None


@pytest.mark.parametrize("rest_ms", [0, 10, 200, 390])
def test_the_rest_of_the_word_is_no_utterance(rest_ms: int) -> None:
    followed = after(before(500, 500), rest_ms, 600)
    assert followed is not None
    assert not followed.request
    # Nothing of the word is kept, only the silence since its end.
    assert numbers(followed.pcm)[0] > 1000 + rest_ms // 10


def test_a_word_that_falls_apart_is_no_utterance() -> None:
    followed = after(before(500, 300), 50, 120, 250, 600)
    assert followed is not None
    assert not followed.request


def test_voice_that_goes_on_is_a_request_from_where_the_word_ended() -> None:
    followed = after(before(500, 550), 1000)
    assert followed is not None
    assert followed.request
    # The hit came 550 ms after the word's start, and the word takes at least 450 ms: the request may be 100 ms old.
    assert numbers(followed.pcm)[:11] == [*range(96, 106), 1001]
    assert isinstance(followed.said, WakeWordSaid)
    assert numbers(followed.said.pcm) == list(range(31, 96))


def test_a_hit_that_comes_late_loses_nothing_that_was_said_before_it() -> None:
    followed = after(before(500, 900), 1000)
    assert followed is not None
    assert len(numbers(followed.pcm)) == 45 + 45


def test_talk_before_the_word_is_no_part_of_the_request() -> None:
    followed = after(before(100, 1500), 1000)
    assert followed is not None
    assert len(numbers(followed.pcm)) == 10 + 45


def test_a_request_after_a_gap_begins_with_the_gap() -> None:
    followed = after(before(500, 500), 150, 150, 1000)
    assert followed is not None
    assert followed.request
    assert followed.said is None
    assert numbers(followed.pcm)[0] == 1016


def test_a_request_after_a_pause_is_left_to_the_usual_ears() -> None:
    followed = after(before(500, 500), 200, 400, 1000)
    assert followed is not None
    assert not followed.request


def transcript(text: str) -> Transcript:
    return Transcript(text=text, language="en", samples=16_000)


SAID = WakeWordSaid(word="alexa", pcm=b"word")


def test_a_long_request_is_read_without_the_word_and_keeps_its_words() -> None:
    assert SAID.sound_to_read(b"request", 2_000) == b"request"
    assert SAID.request_in(transcript("Can I have a coffee?"), 2_000).text == "Can I have a coffee?"
    assert SAID.request_in(transcript("Alexa, can I have a coffee?"), 2_000).text == "can I have a coffee?"
    assert SAID.request_in(transcript("Thank you."), 2_000).text == "Thank you."


@pytest.mark.parametrize(
    ("text", "request_text"),
    [
        ("Alexa, stop.", "stop."),
        ("알렉사 꺼", "꺼"),
        ("Alexa.", ""),
        ("Thank you.", ""),
        ("Alexa. Bye.", ""),
        ("I like so.", ""),
    ],
)
def test_a_short_one_is_read_with_the_word_and_counts_only_behind_it(text: str, request_text: str) -> None:
    assert SAID.sound_to_read(b"request", 500) == b"wordrequest"
    assert SAID.request_in(transcript(text), 500).text == request_text


def test_a_word_that_ends_a_sentence_may_end_a_request() -> None:
    followed = after(before(500, 800, 300, 600), 50, 600)
    assert followed is not None
    assert followed.request
    assert isinstance(followed.said, RequestBeforeWakeWord)
    # From 200 ms before the sentence on, and with all that was heard since the hit.
    assert numbers(followed.pcm) == [*range(31, 221), *range(1001, 1036)]
    assert (followed.speech_ms, followed.silence_ms) == (1_400, 300)


@pytest.mark.parametrize("pause_ms", [0, 100, 300, 450, 600, 650])
def test_a_pause_before_the_word_keeps_the_request(pause_ms: int) -> None:
    followed = after(before(500, 1_200, pause_ms, 600), 50, 600)
    assert followed is not None
    assert isinstance(followed.said, RequestBeforeWakeWord)


@pytest.mark.parametrize("runs_ms", [(500, 900), (500, 800, 800, 900), (100, 600, 750, 500)])
def test_a_word_that_is_said_alone_ends_no_request(runs_ms: tuple[int, ...]) -> None:
    followed = after(before(*runs_ms), 50, 600)
    assert followed is not None
    assert not followed.request


def test_the_wake_word_is_looked_for_in_the_last_moment_only() -> None:
    assert len(numbers(before(500, 4_000).pcm)) == KEPT_MS // 10


@pytest.mark.parametrize(
    ("word", "heard", "request_text"),
    [
        ("alexa", "What's the weather, Alexa?", "What's the weather?"),
        ("alexa", "지금 몇 시야 알렉사?", "지금 몇 시야?"),
        ("hey_jarvis", "What time is it, Jarvis?", "What time is it?"),
        ("hey_jarvis", "불 꺼 줘, 자비스！", "불 꺼 줘！"),
        ("hey_jarvis", "I told you so. Hey Jarvis.", ""),
        ("hey_jarvis", "그래서 내가 말했지. 헤이 자비스, 불 꺼 줘.", "불 꺼 줘."),
        ("hey_jarvis", "그랬지. 헤이 트래비스, 불 꺼 줘.", "불 꺼 줘."),
        ("alexa", "I told you. A Lexus, lights off.", "lights off."),
        ("alexa", "The middle classes and we are glad to welcome his gospel Alexa", ""),
        ("alexa", "I talked to Alexa", ""),
        ("alexa", "다음 소식입니다.", ""),
    ],
)
def test_only_a_sentence_to_the_wake_word_is_a_request(word: str, heard: str, request_text: str) -> None:
    transcript = Transcript(text=heard, language="en", samples=1)
    assert RequestBeforeWakeWord(word=word).request_in(transcript, 1_000).text == request_text
