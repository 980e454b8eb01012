"""Sound, words and policy together, on complete and on paused human speech."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assistant.core.audio import to_samples
from assistant.speech.endpoint.completeness import text_completeness
from assistant.speech.endpoint.policy import EndpointPolicy, PauseSigns
from assistant.speech.endpoint.smart_turn import SmartTurn
from assistant.speech.stt.faster_whisper import FasterWhisper
from tests.fakes.sound.human_speech import THREADS, recording, silence

pytestmark = pytest.mark.models

WHOLE = {
    "ko_lights_blue.wav": (0.24, 3.10),
    "ko_read_sentence.wav": (0.27, 3.42),
    "ko_hotel_question.wav": (0.50, 8.03),
    "en_read_sentence.wav": (0.14, 5.50),
    "en_coffee_order.wav": (1.23, 4.32),
}
"""From 400 ms before the voice to its end, in seconds."""

PAUSED = [
    ("ko_lights_blue.wav", 0.24, 1.28),  # 모든 불을
    ("ko_lights_blue.wav", 0.24, 2.04),  # 모든 불을 파란색으로
    ("ko_read_sentence.wav", 0.27, 2.08),  # 그는 이리저리 피하면서
    ("ko_hotel_question.wav", 0.50, 2.62),  # 4명 숙박할 건데
    ("ko_hotel_question.wav", 0.50, 5.17),  # … 그런데
    ("en_read_sentence.wav", 0.14, 1.64),  # Mr. Quilter is the
    ("en_read_sentence.wav", 0.14, 4.87),  # … glad to welcome his
]


@pytest.fixture(scope="module")
def required_ms(model_path: Callable[[str], Path]) -> Callable[[str, float, float], int]:
    policy = EndpointPolicy("balanced")
    smart_turn = SmartTurn(model_path("smart-turn-v3"), THREADS)
    whisper = FasterWhisper(model_path("whisper-base"), THREADS)

    def required(name: str, start_s: float, end_s: float) -> int:
        """The silence that the policy requires at the first probe."""
        pause = silence(policy.probe_at_ms[0] / 1000)
        sound = np.concatenate((recording(name)[to_samples(start_s) : to_samples(end_s)], pause))
        transcript = whisper.transcribe(sound, language=None)
        evidence = PauseSigns(
            silence_ms=policy.probe_at_ms[0],
            speech_ms=round((end_s - start_s) * 1000),
            probability=smart_turn.probability(sound),
            completeness=text_completeness(transcript.text, transcript.language),
        )
        return policy.decide(evidence).required_ms

    return required


@pytest.mark.parametrize("name", WHOLE)
def test_whole_utterances_end_within_450_ms(required_ms: Callable[[str, float, float], int], name: str) -> None:
    assert 250 <= required_ms(name, *WHOLE[name]) <= 450


def test_a_list_of_names_gets_time_for_another_one(required_ms: Callable[[str, float, float], int]) -> None:
    assert 800 <= required_ms("ko_wake_words.wav", 1.17, 7.39) <= 1_500


@pytest.mark.parametrize(("name", "start_s", "end_s"), PAUSED)
def test_pauses_inside_of_sentences_are_waited_through(
    required_ms: Callable[[str, float, float], int], name: str, start_s: float, end_s: float
) -> None:
    assert required_ms(name, start_s, end_s) > 800
