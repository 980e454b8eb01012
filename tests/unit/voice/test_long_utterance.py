"""A long utterance is cut in a pause of its end."""

import numpy as np
import pytest

from assistant.core.audio import SAMPLE_RATE
from assistant.speech.stt.recognizer import Transcript
from assistant.voice.long_utterance import Part, Parts, quietest
from tests.unit.audio.sounds import noise


@pytest.mark.parametrize(("pause_at_s", "length_s"), [(9.0, 10.0), (7.5, 10.0), (9.6, 10.0), (1.5, 2.0)])
def test_the_cut_is_in_the_last_pause_of_three_seconds(pause_at_s: float, length_s: float) -> None:
    sound = noise(-20, length_s)
    begins = round(pause_at_s * SAMPLE_RATE)
    sound[begins : begins + SAMPLE_RATE // 4] //= 50
    at_s = quietest(sound.tobytes()) / 2 / SAMPLE_RATE
    assert pause_at_s <= at_s <= pause_at_s + 0.25


def test_without_a_pause_the_cut_is_still_in_the_end_and_between_frames() -> None:
    at = quietest(noise(-20, 28.0).tobytes())
    assert at % 320 == 0
    assert 25 <= at / 2 / SAMPLE_RATE <= 28


def test_a_pause_before_the_end_is_not_looked_for() -> None:
    sound = np.concatenate((noise(-60, 2.0), noise(-20, 8.0)))
    assert quietest(sound.tobytes()) / 2 / SAMPLE_RATE >= 7


def read(text: str | None) -> Part:
    part = Part(b"", shown="?")
    part.transcript = None if text is None else Transcript(text=text, language="en", samples=1)
    part.read.set()
    return part


@pytest.mark.parametrize(
    ("parts", "rest", "text"),
    [
        (("We are glad.",), "to welcome him.", "We are glad to welcome him."),
        (("We are glad.",), "Welcome him.", "We are glad. Welcome him."),
        (("우유 사고",), "빵도 사 줘.", "우유 사고 빵도 사 줘."),
        (("One.", None, "two."), "", "One two."),
        ((None,), "", ""),
    ],
)
def test_the_parts_become_one_text(parts: tuple[str | None, ...], rest: str, text: str) -> None:
    it = Parts()
    for each in parts:
        it.add(read(each))
    assert it.with_rest(rest) == text
