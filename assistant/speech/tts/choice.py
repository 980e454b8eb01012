"""Which engine speaks, and which one when it cannot (V-12)."""

import logging
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.core.errors import EngineError, ModelFileError, SoriError
from assistant.speech.tts.registry import synthesizers
from assistant.speech.tts.synthesizer import Synthesizer, SynthesizerEngine, Voice

log = logging.getLogger(__name__)

AUTO = "auto"


class SynthesizerSet:
    """Speaks with the best engine that can, loading each at its first use.

    The user's choice comes first where it speaks the language, then engines that sound human, then the others. An
    engine that cannot be loaded is not tried again before ``retry``; one that fails at a text is tried again with
    the next text. Blocking; used from one thread only.

    Args:
        preferred: an engine's id, or ``auto``.
        path_of: from a manifest model's name to its directory.
        threads: threads that an engine may use.
        engines: what there is to choose from; every engine of this package by default.
    """

    def __init__(
        self,
        preferred: str,
        path_of: Callable[[str], Path],
        threads: int = 1,
        *,
        engines: Iterable[SynthesizerEngine] | None = None,
    ) -> None:
        known = synthesizers().engines.values() if engines is None else engines
        self._engines = sorted(known, key=lambda each: (each.id != preferred, not each.neural, each.id))
        self._path_of = path_of
        self._threads = threads
        self._loaded: dict[str, Synthesizer] = {}
        self._failed: dict[str, SoriError] = {}

    def order(self, language: str) -> tuple[str, ...]:
        """Ids of the engines that are tried for a language, in this order."""
        return tuple(each.id for each in self._engines if language in each.languages and each.id not in self._failed)

    def prepare(self, language: str) -> str:
        """Load the engine that will speak a language, and return its id.

        Raises:
            EngineError: none can be loaded.
        """
        reasons: list[SoriError] = []
        for engine in self._candidates(language):
            try:
                self._load(engine)
            except (EngineError, ModelFileError) as error:
                reasons.append(error)
                continue
            return engine.id
        raise self._nobody(language, reasons)

    def synthesize(self, text: str, voice: Voice) -> Iterator[tuple[NDArray[np.int16], int]]:
        """Mono speech in pieces, each with its samples a second.

        When an engine fails before its first piece, the next one speaks the text. After that nobody repeats what was
        already heard, and the error is raised.

        Raises:
            EngineError: no engine can speak the text; ``detail`` tells why of each.
        """
        reasons: list[SoriError] = []
        for engine in self._candidates(voice.language):
            begun = False
            try:
                synthesizer = self._load(engine)
                for piece in synthesizer.synthesize(text, voice):
                    begun = True
                    yield piece, synthesizer.sample_rate
            except (EngineError, ModelFileError) as error:
                if begun:
                    raise
                log.warning("%s cannot speak, trying the next engine: %s", engine.id, error)
                reasons.append(error)
                continue
            return
        raise self._nobody(voice.language, reasons)

    def retry(self) -> None:
        """Try engines again that could not be loaded, after a model has arrived or a setting has changed."""
        self._failed.clear()

    def close(self) -> None:
        """Free every voice."""
        for synthesizer in self._loaded.values():
            synthesizer.close()
        self._loaded.clear()

    def _candidates(self, language: str) -> list[SynthesizerEngine]:
        return [each for each in self._engines if language in each.languages and each.id not in self._failed]

    def _load(self, engine: SynthesizerEngine) -> Synthesizer:
        if engine.id not in self._loaded:
            try:
                self._loaded[engine.id] = engine.create(self._path_of, self._threads)
            except (EngineError, ModelFileError) as error:
                self._failed[engine.id] = error
                raise
        return self._loaded[engine.id]

    def _nobody(self, language: str, reasons: list[SoriError]) -> EngineError:
        told = [*reasons, *(error for error in self._failed.values() if error not in reasons)]
        detail = "; ".join(error.detail for error in told) or f"no engine speaks {language}"
        return EngineError("tts", detail, message_key="speech_unavailable", cause=told[0] if told else None)
