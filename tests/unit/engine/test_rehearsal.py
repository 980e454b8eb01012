"""Engines have worked once before anybody waits for them, and a rehearsal that fails harms nothing."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.core.errors import EngineError
from assistant.engine.rehearsal import rehearse_voice, rehearsed_recognizer, rehearsed_turn_end, rehearsed_wake
from assistant.speech.stt.recognizer import Recognizer, Transcript
from assistant.speech.text.sentences import SentenceChunker
from assistant.speech.text.spoken import spoken_text
from assistant.speech.tts.choice import SynthesizerSet
from assistant.speech.tts.synthesizer import SynthesizerEngine, Voice
from assistant.speech.wake.detector import WakeHit


class CountingEngines(Recognizer):
    """A recogniser, an end-of-turn model and a wake word that count, or break."""

    def __init__(self, *, broken: bool = False) -> None:
        self.calls: list[str] = []
        self._broken = broken

    def transcribe(
        self,
        pcm: NDArray[np.int16],
        *,
        language: str | None,
        likely: str | None = None,
        prefix: str = "",
        draft: bool = False,
        grows: bool = False,
    ) -> Transcript:
        self._work("transcribe", pcm)
        return Transcript(text="", language="ko", samples=pcm.size)

    def probability(self, pcm: NDArray[np.int16]) -> float:
        self._work("probability", pcm)
        return 0.5

    @property
    def name(self) -> str:
        return "alexa"

    def feed(self, pcm: NDArray[np.int16], *, active: bool = True) -> WakeHit | None:
        self._work("feed", pcm)
        return None

    def reset(self) -> None:
        self.calls.append("reset")

    def close(self) -> None:
        """Nothing to free."""

    def _work(self, name: str, pcm: NDArray[np.int16]) -> None:
        assert pcm.any()
        self.calls.append(name)
        if self._broken:
            raise EngineError(name, "broken")


class PlainVoice:
    """A voice that notes what it is asked to say."""

    sample_rate = 16_000

    def __init__(self) -> None:
        self.asked: list[str] = []

    def synthesize(self, text: str, voice: Voice) -> Iterator[NDArray[np.int16]]:
        self.asked.append(text)
        yield np.ones(10, np.int16)

    def close(self) -> None:
        """Nothing to free."""


def test_each_engine_works_once_and_the_wake_word_forgets_it() -> None:
    engines = CountingEngines()
    assert rehearsed_recognizer(engines) is engines
    assert rehearsed_turn_end(engines) is engines
    assert rehearsed_wake(engines) is engines
    assert engines.calls == ["transcribe", "probability", "feed", "reset"]


def test_what_fails_in_its_rehearsal_is_there_all_the_same(caplog: pytest.LogCaptureFixture) -> None:
    engines = CountingEngines(broken=True)
    assert rehearsed_recognizer(engines) is engines
    assert rehearsed_turn_end(engines) is engines
    assert rehearsed_wake(engines) is engines
    rehearse_voice(SynthesizerSet("auto", lambda _name: pytest.fail("nothing is looked for"), engines=()), "ko", 1.0)
    assert caplog.text.count("in its rehearsal") == 4


def test_the_frequent_beginnings_of_answers_need_no_synthesis_after_the_rehearsal() -> None:
    voice = PlainVoice()
    engine = SynthesizerEngine(
        id="plain", languages=frozenset({"ko"}), models=(), neural=True, create=lambda _path, _threads: voice
    )
    voices = SynthesizerSet("auto", Path, engines=(engine,))
    rehearse_voice(voices, "ko", 1.2)
    rehearsed = len(voice.asked)
    opening = SentenceChunker().feed("네, 오늘은 맑아요.")[0]
    assert [*voices.synthesize(spoken_text(opening, "ko"), Voice(language="ko", speed=1.2, awaited=True))]
    assert len(voice.asked) == rehearsed > 0
