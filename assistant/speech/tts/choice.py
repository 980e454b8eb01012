"""Which engine speaks, and which one when it cannot (V-12)."""

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.core.errors import EngineError, ModelFileError, SoriError
from assistant.speech.text.first_words import first_words
from assistant.speech.tts.pace import Pace, Paces, measure
from assistant.speech.tts.registry import synthesizers
from assistant.speech.tts.synthesizer import Synthesizer, SynthesizerEngine, Voice

log = logging.getLogger(__name__)

AUTO = "auto"


class TooSlowError(EngineError):
    """An engine works, but not fast enough here; ``pace`` says how slow it is."""

    def __init__(self, engine: str, pace: Pace) -> None:
        detail = f"too slow here: real-time factor {pace.real_time_factor:.2f}, first words after {pace.first_s:.1f} s"
        super().__init__(engine, detail)
        self.pace = pace


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Which engine speaks a language, and why.

    Attributes:
        engine: its id.
        voice: name of its voice, empty where it has no names.
        pace: how fast it is, where that was measured.
        passed_over: why better ones do not speak, best first.
    """

    engine: str
    voice: str
    pace: Pace | None
    passed_over: tuple[EngineError | ModelFileError, ...]


class SynthesizerSet:
    """Speaks with the best engine that can, loading each at its first use.

    The user's choice comes first where it speaks the language, then engines that sound human and are fast enough here,
    then the others. An engine that cannot be loaded, or is too slow, is not tried again; one that
    fails at a text is tried again with the next text. Blocking; used from one thread only.

    Args:
        preferred: an engine's id, or ``auto``.
        path_of: from a manifest model's name to its directory.
        threads: threads that an engine may use.
        engines: what there is to choose from; every engine of this package by default.
        voices: names of voices that the user wants, of one or more engines; the others' defaults hold besides.
        paces: remembers how fast engines are; without it none is measured.
    """

    def __init__(
        self,
        preferred: str,
        path_of: Callable[[str], Path],
        threads: int = 1,
        *,
        engines: Iterable[SynthesizerEngine] | None = None,
        voices: Iterable[str] = (),
        paces: Paces | None = None,
    ) -> None:
        known = synthesizers().engines.values() if engines is None else engines
        self._engines = sorted(known, key=lambda each: (each.id != preferred, not each.neural, each.rank, each.id))
        self._preferred = preferred
        self._path_of = path_of
        self._threads = threads
        self._wanted = tuple(voices)
        self._paces = paces
        self._measured: dict[str, Pace] = {}
        self._loaded: dict[str, Synthesizer] = {}
        self._failed: dict[str, EngineError | ModelFileError] = {}

    def order(self, language: str) -> tuple[str, ...]:
        """Ids of the engines that are tried for a language, in this order."""
        return tuple(each.id for each in self._candidates(language))

    def prepare(self, language: str) -> str:
        """Load the engine that will speak a language, and return its id.

        Raises:
            EngineError: none can be loaded.
        """
        return self.choose(language).engine

    def choose(self, language: str) -> Chosen:
        """Load the engine that will speak a language, and tell which it is and why.

        Raises:
            EngineError: none can be loaded.
        """
        for engine in self._candidates(language):
            try:
                self._load(engine, language)
            except (EngineError, ModelFileError):
                continue
            better = self._in_order(language)
            passed = [self._failed[each.id] for each in better[: better.index(engine)] if each.id in self._failed]
            return Chosen(
                engine=engine.id,
                voice=self._voice_of(engine, language),
                pace=self._measured.get(engine.id),
                passed_over=tuple(passed),
            )
        raise self._nobody(language, [])

    def synthesize(self, text: str, voice: Voice) -> Iterator[tuple[NDArray[np.int16], int]]:
        """Mono speech in pieces, each with its samples a second.

        When an engine fails before its first piece, the next one speaks the text. After that nobody repeats what was
        already heard, and the error is raised.

        Raises:
            EngineError: no engine can speak the text; ``detail`` tells why of each.
        """
        reasons: list[SoriError] = []
        for engine in self._candidates(voice.language, voice.name):
            begun = False
            try:
                synthesizer = self._load(engine, voice.language)
                said = replace(voice, name=self._voice_of(engine, voice.language, voice.name))
                for part in self._parts(engine, text, voice):
                    for piece in synthesizer.synthesize(part, said):
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

    @property
    def unmeasured(self) -> bool:
        """Whether loading them includes measuring how fast one is."""
        demanding = [each.id for each in self._engines if each.demanding and each.id not in self._measured]
        return self._paces is not None and any(self._paces.known(engine) is None for engine in demanding)

    def close(self) -> None:
        """Free every voice."""
        for synthesizer in self._loaded.values():
            synthesizer.close()
        self._loaded.clear()

    def _in_order(self, language: str, name: str = "") -> list[SynthesizerEngine]:
        """Engines that speak a language; first those with a voice that was asked for by name."""
        speaking = [each for each in self._engines if language in each.languages]
        return sorted(speaking, key=lambda each: not self._named(each, language, name))

    def _candidates(self, language: str, name: str = "") -> list[SynthesizerEngine]:
        return [each for each in self._in_order(language, name) if each.id not in self._failed]

    def _named(self, engine: SynthesizerEngine, language: str, name: str = "") -> str:
        """The voice of this engine that was asked for, empty when none was."""
        wanted = (name,) if name else self._wanted
        return next((each.name for each in engine.voices if each.language == language and each.name in wanted), "")

    def _voice_of(self, engine: SynthesizerEngine, language: str, name: str = "") -> str:
        default = next((each.name for each in engine.voices if each.language == language), "")
        return self._named(engine, language, name) or self._named(engine, language) or default

    def _parts(self, engine: SynthesizerEngine, text: str, voice: Voice) -> list[str]:
        """The text, in two parts where its first words are waited for and this engine would make them wait long."""
        pace = self._measured.get(engine.id)
        if not voice.awaited or pace is None or not pace.hurried:
            return [text]
        return [part for part in first_words(text) if part]

    def _load(self, engine: SynthesizerEngine, language: str) -> Synthesizer:
        if engine.id not in self._loaded:
            try:
                synthesizer = engine.create(self._path_of, self._threads)
                self._loaded[engine.id] = synthesizer
                self._measure(engine, synthesizer, language)
            except (EngineError, ModelFileError) as error:
                self._failed[engine.id] = error
                if (useless := self._loaded.pop(engine.id, None)) is not None:
                    useless.close()
                raise
        return self._loaded[engine.id]

    def _measure(self, engine: SynthesizerEngine, synthesizer: Synthesizer, language: str) -> None:
        """Find out how fast a demanding engine is.

        Raises:
            TooSlowError: not fast enough, and the user has not asked for it.
        """
        if not engine.demanding or self._paces is None:
            return
        pace = self._paces.known(engine.id)
        if pace is None:
            pace = measure(synthesizer, language, threads=self._threads)
            if not pace.guessed:
                self._paces.keep(engine.id, pace)
        self._measured[engine.id] = pace
        asked_for = engine.id == self._preferred or self._named(engine, language)
        if not pace.fast_enough and not asked_for:
            raise TooSlowError(engine.id, pace)

    def _nobody(self, language: str, reasons: list[SoriError]) -> EngineError:
        told = [*reasons, *(error for error in self._failed.values() if error not in reasons)]
        detail = "; ".join(error.detail for error in told) or f"no engine speaks {language}"
        return EngineError("tts", detail, message_key="speech_unavailable", cause=told[0] if told else None)
