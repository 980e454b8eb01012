"""Choice of the synthesiser, and the fallback when it fails (V-12)."""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.core.errors import EngineError, ModelFileError, SoriError
from assistant.speech.text.first_words import growing_parts
from assistant.speech.tts.kept_phrases import KeptPhrases
from assistant.speech.tts.pace import Pace, Paces, measure
from assistant.speech.tts.registry import synthesizers
from assistant.speech.tts.synthesizer import AskServer, Synthesizer, SynthesizerEngine, Voice, Voices

log = logging.getLogger(__name__)

AUTO = "auto"
MOST_HANGS = 2
"""Hung calls after which an engine is passed over."""


class TooSlowError(EngineError):
    """An engine works but is too slow on this machine; ``pace`` holds the measurement."""

    def __init__(self, engine: str, pace: Pace) -> None:
        detail = f"too slow here: real-time factor {pace.real_time_factor:.2f}, first words after {pace.first_s:.1f} s"
        super().__init__(engine, detail)
        self.pace = pace


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenVoice:
    """The chosen engine for a language, with the reasons.

    Attributes:
        engine: id of the engine.
        voice: name of its voice; empty when its voices have no names.
        pace: its measured pace, if it was measured.
        passed_over: why better engines are not used, best first.
    """

    engine: str
    voice: str
    pace: Pace | None
    passed_over: tuple[EngineError | ModelFileError, ...]


def names_in(text: str) -> tuple[str, ...]:
    """Names of voices that are separated by commas."""
    return tuple(name for each in text.split(",") if (name := each.strip()))


class SynthesizerSet(Voices):
    """Speaks with the best available engine and loads each engine at its first use.

    The order is: the user's choice if it speaks the language, then neural engines that are fast enough on this machine,
    then the others. Where no other neural engine speaks the language, a slower one is still used if its pace is
    bearable: espeak-ng's Korean is hard to understand. An engine that cannot be loaded is not tried again, and one that
    is too slow not for the same language. An engine that fails for one text is tried again with the next text. Calls
    block; one thread uses an instance.

    Args:
        preferred: an engine id, or ``auto``.
        path_of: maps a model's manifest name to its directory.
        threads: threads that an engine may use.
        engines: the engines to choose from; all engines of this package by default.
        voices: names of the voices that the user wants, from one or more engines; other engines use their defaults.
        paces: keeps measured paces; without it no engine is measured.
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
        every = synthesizers().engines.values() if engines is None else engines
        known = [each for each in every if not each.remote or each.id == preferred]
        self._engines = sorted(known, key=lambda each: (each.id != preferred, not each.neural, each.rank, each.id))
        self._preferred = preferred
        self._path_of = path_of
        self._threads = threads
        self._wanted = tuple(voices)
        self._paces = paces
        self._measured: dict[str, Pace] = {}
        self._loaded: dict[str, Synthesizer] = {}
        self._used: set[str] = set()
        self._failed: dict[tuple[str, str], EngineError | ModelFileError] = {}
        """Errors by engine and language."""
        self._last: SynthesizerEngine | None = None
        """The engine that was used last."""
        self._ask: AskServer | None = None
        self._abandon: Callable[[], None] = lambda: None
        self._hangs: Counter[str] = Counter()
        self._phrases = KeptPhrases()

    def serve(self, ask: AskServer, abandon: Callable[[], None] = lambda: None) -> None:
        """Connect the engine that speaks with a server, if the user has chosen it.

        Args:
            ask: asks the server.
            abandon: ends the request that ``ask`` waits for, if any; called from another thread.
        """
        self._ask, self._abandon = ask, abandon

    def abandon(self) -> None:
        """End a request to a server; see ``Voices.abandon``. An engine on this machine is not ended."""
        self._abandon()

    def order(self, language: str) -> tuple[str, ...]:
        """Ids of the engines for a language, in the order in which they are tried."""
        return tuple(each.id for each in self._candidates(language))

    def prepare(self, language: str) -> str:
        """Load the engine for a language and return its id.

        Raises:
            EngineError: no engine can be loaded.
        """
        return self.choose(language).engine

    def choose(self, language: str) -> ChosenVoice:
        """Load the engine for a language and return the choice with its reasons.

        Raises:
            EngineError: no engine can be loaded.
        """
        for engine in self._candidates(language):
            try:
                self._load(engine, language)
            except (EngineError, ModelFileError):
                continue
            better = self._in_order(language)
            keys = [(each.id, language) for each in better[: better.index(engine)]]
            passed = [self._failed[key] for key in keys if key in self._failed]
            return ChosenVoice(
                engine=engine.id,
                voice=self._voice_of(engine, language),
                pace=self._measured.get(engine.id),
                passed_over=tuple(passed),
            )
        raise self._nobody(language, [])

    def error_of(self, engine: str) -> EngineError | ModelFileError | None:
        """Why an engine cannot be used; ``None`` if it can, or has not been tried."""
        return next((error for (name, _), error in self._failed.items() if name == engine), None)

    def synthesize(self, text: str, voice: Voice) -> Iterator[tuple[NDArray[np.int16], int]]:
        """Yield mono speech in pieces, each with its sample rate.

        If an engine fails before its first piece, the next engine speaks the text. If it fails later, the error is
        raised, because another engine would repeat what was already heard.

        Raises:
            EngineError: no engine can speak the text; ``detail`` gives the reason of each.
        """
        reasons: list[SoriError] = []
        hangs = self._hangs.total()
        for engine in self._candidates(voice.language, voice.name):
            begun = False
            try:
                synthesizer = self._load(engine, voice.language)
                said = replace(voice, name=self._voice_of(engine, voice.language, voice.name))
                for part in self._parts(engine, text, voice):
                    for piece in self._phrases.said_by(engine.id, synthesizer, part, said):
                        if hangs != self._hangs.total():
                            return  # this call counted as hung, and its thread was abandoned
                        begun = True
                        yield piece, synthesizer.sample_rate
            except (EngineError, ModelFileError) as error:
                if begun or hangs != self._hangs.total():
                    raise
                log.warning("%s cannot speak, trying the next engine: %s", engine.id, error)
                reasons.append(error)
                continue
            return
        raise self._nobody(voice.language, reasons)

    def replace_hung(self) -> None:
        """Use another instance of the engine whose call hangs; after ``MOST_HANGS`` use the next engine (V-19).

        Call it on the new thread, before any other call. The hung instance is not closed, because it is in use.
        """
        if (engine := self._last) is None:
            return
        self._loaded.pop(engine.id, None)
        self._hangs[engine.id] += 1
        if self._hangs[engine.id] >= MOST_HANGS:
            error = EngineError(engine.id, "it has stopped responding")
            self._failed.update({(engine.id, each): error for each in engine.languages})

    def unusable(self, name: str, language: str) -> str:
        """The first of the named voices that no engine has, or whose engine cannot speak ``language`` here.

        Args:
            name: names of voices, separated by commas.
            language: ISO 639-1 code. Known voices of other languages are not looked at.

        Returns:
            The name; empty if all of them can speak, or were not tried yet.
        """
        for each in names_in(name):
            having = [engine for engine in self._engines if any(voice.name == each for voice in engine.voices)]
            failed = (
                (engine.id, language) in self._failed and self._named(engine, language, each) for engine in having
            )
            if not having or any(failed):
                return each
        return ""

    @property
    def speaking(self) -> str:
        """Id of the engine that was used last; empty before the first use."""
        return "" if self._last is None else self._last.id

    @property
    def unmeasured(self) -> bool:
        """Whether loading the engines includes a measurement of pace."""
        demanding = [each.id for each in self._engines if each.demanding and each.id not in self._measured]
        return self._paces is not None and any(self._paces.known(engine) is None for engine in demanding)

    def close(self) -> None:
        """Free all voices."""
        for synthesizer in self._loaded.values():
            synthesizer.close()
        self._loaded.clear()

    def _in_order(self, language: str, name: str = "") -> list[SynthesizerEngine]:
        """Engines that speak a language; engines with a requested voice come first."""
        speaking = [
            each for each in self._engines if language in each.languages and (self._ask is not None or not each.remote)
        ]
        return sorted(speaking, key=lambda each: not self._named(each, language, name))

    def _candidates(self, language: str, name: str = "") -> list[SynthesizerEngine]:
        return [each for each in self._in_order(language, name) if (each.id, language) not in self._failed]

    def _named(self, engine: SynthesizerEngine, language: str, name: str = "") -> str:
        """The requested voice of this engine; empty when none was requested."""
        wanted = names_in(name) or self._wanted
        return next((each.name for each in engine.voices if each.language == language and each.name in wanted), "")

    def _voice_of(self, engine: SynthesizerEngine, language: str, name: str = "") -> str:
        default = next((each.name for each in engine.voices if each.language == language), "")
        return self._named(engine, language, name) or self._named(engine, language) or default

    def _parts(self, engine: SynthesizerEngine, text: str, voice: Voice) -> list[str]:
        """The text, in growing parts if the listener waits for it and this engine is slow to start."""
        pace = self._measured.get(engine.id)
        if not voice.awaited or pace is None or not pace.hurried:
            return [text]
        return growing_parts(text)

    def _load(self, engine: SynthesizerEngine, language: str) -> Synthesizer:
        self._last = engine
        if engine.id not in self._loaded:
            try:
                synthesizer = self._made(engine)
                self._loaded[engine.id] = synthesizer
                self._measure(engine, synthesizer, language)
            except (EngineError, ModelFileError) as error:
                self._failed.update({(engine.id, each): error for each in engine.languages})
                self._unload(engine)
                raise
        pace = self._measured.get(engine.id)
        if pace is not None and not self._acceptable(engine, language, pace):
            slow = TooSlowError(engine.id, pace)
            self._failed[engine.id, language] = slow
            if engine.id not in self._used:
                self._unload(engine)
            raise slow
        self._used.add(engine.id)
        return self._loaded[engine.id]

    def _made(self, engine: SynthesizerEngine) -> Synthesizer:
        if engine.connect is not None and self._ask is not None:
            return engine.connect(self._ask)
        return engine.create(self._path_of, self._threads)

    def _unload(self, engine: SynthesizerEngine) -> None:
        if (useless := self._loaded.pop(engine.id, None)) is not None:
            useless.close()

    def _measure(self, engine: SynthesizerEngine, synthesizer: Synthesizer, language: str) -> None:
        """Measure the pace of a demanding engine, unless it is known."""
        if not engine.demanding or self._paces is None or engine.id in self._measured:
            return
        pace = self._paces.known(engine.id)
        if pace is None:
            pace = measure(synthesizer, language, threads=self._threads)
            self._paces.keep(engine.id, pace)
        self._measured[engine.id] = pace

    def _acceptable(self, engine: SynthesizerEngine, language: str, pace: Pace) -> bool:
        """Whether an engine of this pace may speak the language."""
        if pace.fast_enough or engine.id == self._preferred or self._named(engine, language):
            return True
        others = [each for each in self._candidates(language) if each.neural and each.id != engine.id]
        return pace.bearable and not others

    def _nobody(self, language: str, reasons: list[SoriError]) -> EngineError:
        told = [*reasons]
        told += [error for (_, each), error in self._failed.items() if each == language and error not in reasons]
        detail = "; ".join(error.detail for error in told) or f"no engine speaks {language}"
        return EngineError("tts", detail, message_key="speech_unavailable", cause=told[0] if told else None)
