"""Short phrases are synthesised once, and sound as they did then."""

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.core.errors import EngineError
from assistant.speech.tts.kept_phrases import MOST_PHRASES, KeptPhrases
from assistant.speech.tts.synthesizer import Voice

KO = Voice(language="ko", name="ann")


class Counting:
    """A synthesiser whose sound tells how often it was asked."""

    sample_rate = 16_000

    def __init__(self, *, breaks_at: int = 0) -> None:
        self.asked: list[str] = []
        self.breaks_at = breaks_at

    def synthesize(self, text: str, voice: Voice) -> Iterator[NDArray[np.int16]]:
        self.asked.append(text)
        yield np.full(2, len(self.asked), np.int16)
        if len(self.asked) == self.breaks_at:
            raise EngineError("counting", "broken")
        yield np.full(3, len(self.asked), np.int16)

    def close(self) -> None:
        """Nothing to free."""


def heard(phrases: KeptPhrases, counting: Counting, text: str, voice: Voice = KO, engine: str = "a") -> list[int]:
    return [int(sample) for piece in phrases.said_by(engine, counting, text, voice) for sample in piece]


def test_a_short_phrase_is_synthesised_once() -> None:
    phrases, counting = KeptPhrases(), Counting()
    first = heard(phrases, counting, "네,")
    assert heard(phrases, counting, "네,") == first == [1, 1, 1, 1, 1]
    assert heard(phrases, counting, "네,", Voice(language="ko", name="ann", awaited=True)) == first
    assert counting.asked == ["네,"]


@pytest.mark.parametrize("other", ["text", "engine", "voice", "speed", "language"])
def test_another_text_engine_or_voice_is_synthesised_anew(other: str) -> None:
    phrases, counting = KeptPhrases(), Counting()
    heard(phrases, counting, "네,")
    text, engine, voice = "네,", "a", KO
    match other:
        case "text":
            text = "네!"
        case "engine":
            engine = "b"
        case "voice":
            voice = Voice(language="ko", name="bob")
        case "speed":
            voice = Voice(language="ko", name="ann", speed=1.2)
        case _:
            voice = Voice(language="en", name="ann")
    assert heard(phrases, counting, text, voice, engine)[0] == 2


def test_a_sentence_is_not_kept() -> None:
    phrases, counting = KeptPhrases(), Counting()
    sentence = "내일은 대체로 맑겠습니다."
    assert [heard(phrases, counting, sentence)[0] for _ in range(2)] == [1, 2]


def test_a_phrase_that_was_cut_off_or_failed_is_not_kept() -> None:
    phrases, counting = KeptPhrases(), Counting(breaks_at=2)
    next(phrases.said_by("a", counting, "네,", KO))
    with pytest.raises(EngineError):
        heard(phrases, counting, "네,")
    assert heard(phrases, counting, "네,") == [3, 3, 3, 3, 3]


def test_the_phrase_that_was_not_said_for_the_longest_time_is_dropped() -> None:
    phrases, counting = KeptPhrases(), Counting()
    for number in range(MOST_PHRASES):
        heard(phrases, counting, str(number))
    heard(phrases, counting, "0")
    heard(phrases, counting, "new")
    asked = len(counting.asked)
    heard(phrases, counting, "0")
    assert len(counting.asked) == asked
    heard(phrases, counting, "1")
    assert len(counting.asked) == asked + 1
