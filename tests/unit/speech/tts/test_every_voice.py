"""Every voice of a language says a word, with one engine loaded at a time."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.core.errors import EngineError, ModelFileError
from assistant.speech.tts.every_voice import EngineVoice, EveryVoice, voices_of
from assistant.speech.tts.synthesizer import NamedVoice, SynthesizerEngine, Voice


@dataclass
class Engine:
    """An engine that writes down what happens to it."""

    name: str
    events: list[str]
    sample_rate: int = 24_000

    def synthesize(self, text: str, voice: Voice) -> Iterator[NDArray[np.int16]]:
        if voice.name == "dumb":
            raise EngineError(self.name, "dumb")
        self.events.append(f"{self.name} {voice.name} {text} {voice.speed:g}")
        if text:
            yield np.ones(3, np.int16)
            yield np.ones(2, np.int16)

    def close(self) -> None:
        self.events.append(f"{self.name} closed")


def engine(name: str, events: list[str], *, neural: bool = True, missing: bool = False) -> SynthesizerEngine:
    def create(_: object, threads: int) -> Engine:
        if missing:
            raise ModelFileError("no file", model=name)
        events.append(f"{name} loaded with {threads}")
        return Engine(name, events)

    return SynthesizerEngine(
        id=name,
        languages=frozenset({"ko"}),
        models=(),
        neural=neural,
        voices=(NamedVoice(name="a", language="ko"), NamedVoice(name="b", language="en")),
        further_voices=(NamedVoice(name="c", language="ko"),),
        create=create,
    )


def test_all_voices_of_a_neural_engine_count() -> None:
    assert [each.name for each in voices_of(engine("x", []), "ko")] == ["a", "c"]
    assert [each.name for each in voices_of(engine("x", []), "en")] == ["b"]
    assert voices_of(engine("x", [], neural=False), "ko") == ()


def test_engines_are_loaded_one_after_another_with_one_thread() -> None:
    events: list[str] = []
    voices = EveryVoice([engine("x", events), engine("y", events)], Path)
    for each in (("x", "a"), ("x", "c"), ("y", "a")):
        said = voices.say("토리야.", EngineVoice(engine=each[0], name=each[1]), "ko", 0.9)
        assert said is not None
        assert (len(said[0]), said[1]) == (5, 24_000)
    voices.close()
    assert events == [
        *("x loaded with 1", "x a 토리야. 0.9", "x c 토리야. 0.9", "x closed"),
        *("y loaded with 1", "y a 토리야. 0.9", "y closed"),
    ]


def test_a_voice_that_cannot_speak_is_none() -> None:
    voices = EveryVoice([engine("x", []), engine("gone", [], missing=True)], Path)
    assert voices.say("a", EngineVoice(engine="x", name="dumb"), "ko", 1.0) is None
    assert voices.say("", EngineVoice(engine="x", name="a"), "ko", 1.0) is None
    assert voices.say("a", EngineVoice(engine="gone", name="a"), "ko", 1.0) is None
