"""Says a few words with every voice of a language, one after another (V-06)."""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.core.errors import SoriError
from assistant.speech.tts.synthesizer import NamedVoice, Synthesizer, SynthesizerEngine, Voice

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineVoice:
    """A voice and the engine that has it."""

    engine: str
    name: str


def voices_of(engine: SynthesizerEngine, language: str) -> tuple[NamedVoice, ...]:
    """The voices of a neural engine for a language, with those that the user cannot choose."""
    every = (*engine.voices, *engine.further_voices) if engine.neural and not engine.remote else ()
    return tuple(each for each in every if each.language == language)


class EveryVoice:
    """Speaks with engines of its own, of which one is loaded at a time. Calls block; one thread uses an instance.

    Args:
        engines: the engines.
        path_of: maps a model's manifest name to its directory.
    """

    def __init__(self, engines: Iterable[SynthesizerEngine], path_of: Callable[[str], Path]) -> None:
        self._engines = {each.id: each for each in engines}
        self._path_of = path_of
        self._loaded: tuple[str, Synthesizer] | None = None

    def say(self, text: str, voice: EngineVoice, language: str, speed: float) -> tuple[NDArray[np.int16], int] | None:
        """The sound and its sample rate; ``None`` if this voice cannot speak here."""
        try:
            synthesizer = self._load(voice.engine)
            pieces = [*synthesizer.synthesize(text, Voice(language=language, name=voice.name, speed=speed))]
        except SoriError as error:
            log.warning("%s/%s says no name: %s", voice.engine, voice.name, error)
            return None
        return (np.concatenate(pieces), synthesizer.sample_rate) if pieces else None

    def close(self) -> None:
        """Free the engine; the next call loads it again."""
        loaded, self._loaded = self._loaded, None
        if loaded is not None:
            loaded[1].close()

    def _load(self, engine: str) -> Synthesizer:
        if self._loaded is None or self._loaded[0] != engine:
            self.close()
            # One thread of the processor, because nobody waits for these words.
            self._loaded = engine, self._engines[engine].create(self._path_of, 1)
        return self._loaded[1]
