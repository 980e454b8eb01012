"""A recording is cut at pauses into pieces that a recogniser takes, and silence is not given to it."""

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.audio.cards.recordings import read_recording
from assistant.core.audio import SAMPLE_RATE
from assistant.core.service.requests.speech import HeardSpeech
from assistant.engine.speech.file_transcription import (
    LONGEST_PIECE_S,
    SHORTEST_PIECE_S,
    Voiced,
    pieces,
    transcription,
)
from assistant.host.places import PROJECT
from assistant.speech.stt.recognizer import Recognizer, Transcript

RATE = 100
"""Frames per second."""


def voiced(*runs: tuple[bool, float]) -> Voiced:
    """Frames of these runs: whether somebody speaks, and for how many seconds."""
    return np.concatenate([np.full(round(seconds * RATE), speaks, dtype=np.bool_) for speaks, seconds in runs])


@pytest.mark.parametrize(
    "runs",
    [
        [(True, 5)],
        [(False, 3), (True, 5), (False, 3)],
        [(True, 28)],
        [(True, 40)],
        [(True, 100)],
        [(True, 20), (False, 0.5), (True, 20)],
        [(True, 13), (False, 2), (True, 13), (False, 1), (True, 13)],
        [(False, 60), (True, 2), (False, 60)],
        [(True, 0.5), (False, 10)] * 12,
        [(True, 27.9), (False, 0.2), (True, 27.5)],
    ],
)
def test_every_voice_is_in_one_piece_and_no_piece_is_too_long(runs: list[tuple[bool, float]]) -> None:
    frames = voiced(*runs)
    covered = np.zeros(len(frames), dtype=np.int64)
    for first, last in pieces(frames):
        assert 0 < last - first <= LONGEST_PIECE_S * RATE
        covered[first:last] += 1
    assert covered.max() == 1
    assert (covered[frames] == 1).all()


@pytest.mark.parametrize("runs", [[(False, 0.5)], [(False, 100)], [(False, 5), (True, 0.03), (False, 5)], []])
def test_without_a_voice_there_is_no_piece(runs: list[tuple[bool, float]]) -> None:
    assert [*pieces(voiced(*runs) if runs else np.zeros(0, dtype=np.bool_))] == []


def test_a_piece_ends_in_the_middle_of_the_longest_pause() -> None:
    frames = voiced((True, 15), (False, 0.4), (True, 4), (False, 1.0), (True, 20))
    (_, end), (begin, _) = pieces(frames)
    pause = (15 + 0.4 + 4) * RATE
    assert SHORTEST_PIECE_S * RATE < end <= pause + RATE
    assert pause <= begin <= pause + RATE


class Hears(Recognizer):
    """Recognises the same words in every sound."""

    def __init__(self, words: str, probability: float = -0.2) -> None:
        self.words, self.probability = words, probability

    def transcribe(self, pcm: NDArray[np.int16], **_: object) -> Transcript:
        return Transcript(
            text=self.words, language="ko", samples=len(pcm), average_log_probability=self.probability, engine="fake"
        )


VOICE = read_recording(PROJECT / "tests" / "data" / "speech" / "ko_lights_blue.wav", SAMPLE_RATE)
ANSWER = "오늘은 날씨가 맑고 바람이 조금 불어요."


def heard(words: str, *, saying: str | None, pcm: NDArray[np.int16] = VOICE, probability: float = -0.2) -> HeardSpeech:
    return transcription(Hears(words, probability), pcm, None, "ko", saying=saying)


@pytest.mark.parametrize(
    ("words", "saying", "over"),
    [
        ("내일은 어때?", ANSWER, "interruption"),
        ("날씨가 맑고 바람이", ANSWER, "echo"),
        ("날씨가 맑고 바람이", "", "interruption"),
        ("네", ANSWER, "agreement"),
        ("그만", ANSWER, "stop"),
        ("내일은 어때?", None, ""),
    ],
)
def test_it_is_told_what_speech_over_an_answer_was(words: str, saying: str | None, over: str) -> None:
    assert heard(words, saying=saying).over == over


@pytest.mark.parametrize(("voice", "over"), [(False, "echo"), (True, "interruption")])
def test_doubtful_words_in_a_sound_that_ended_with_the_voice_end_no_answer(voice: bool, over: str) -> None:
    heard = transcription(Hears("and how we shall see", -0.6), VOICE, None, "ko", saying=ANSWER, voice=voice)
    assert heard.over == over


def test_silence_over_an_answer_is_nothing() -> None:
    silent = heard("뭐", saying=ANSWER, pcm=np.zeros(SAMPLE_RATE, np.int16))
    assert (silent.over, silent.text) == ("nothing", "")


def test_a_sentence_that_is_whole_ends_after_a_shorter_pause() -> None:
    whole, cut = heard("불을 다 꺼 줘", saying=None), heard("불을 다 끄고", saying=None)
    assert 0 < whole.pause_ms < cut.pause_ms
