"""Checks of the weights on this machine, and of the voices that they give."""

from collections.abc import Iterator
from typing import get_args

from assistant.core.errors import EngineError, ModelFileError
from assistant.core.settings import Language
from assistant.engine.checks.check import Check, Grade, SettingsChecks
from assistant.engine.voice_wiring import paces_for, synthesizers_for
from assistant.host.model_store import open_store
from assistant.host.needed_models import needed_models
from assistant.speech.tts.choice import SynthesizerSet, TooSlowError
from assistant.speech.wake.detector import WakeOptions
from assistant.speech.wake.registry import wake_engine_for
from assistant.weights.store import Fault, Flaw


class WeightChecks(SettingsChecks):
    """Checks the models that the settings need."""

    def models(self) -> Iterator[Check]:
        """Whether the weights are here and whole."""
        store = open_store(self._places.home)
        for name in needed_models(self._settings):
            try:
                faults = store.verify([name])
            except ModelFileError as error:
                yield self._line("models", Grade.FAIL, "unknown", remedy="remedy", model=name, reason=error.detail)
                continue
            yield self._model(name, faults)

    def _model(self, name: str, faults: tuple[Fault, ...]) -> Check:
        if not faults:
            return self._line("models", Grade.OK, "verified", model=name)
        files = ", ".join(f"{each.file} ({self._texts(f'doctor.flaw.{each.flaw.value}')})" for each in faults)
        if all(each.flaw is Flaw.MISSING for each in faults):
            return self._line("models", Grade.WARN, "missing", remedy="remedy", model=name, files=files)
        return self._line("models", Grade.FAIL, "damaged", remedy="remedy", model=name, files=files)

    def wake_word(self) -> Iterator[Check]:
        """Whether the model of the wake word can be loaded, which may be the user's own file."""
        word = self._settings.voice.wake_word
        path_of = open_store(self._places.home).path
        try:
            wake_engine_for(word, path_of).create(path_of, WakeOptions(word=word))
        except (EngineError, ModelFileError) as error:
            yield self._line("wake_word", Grade.WARN, "unusable", remedy="remedy", word=word, reason=error.detail)
        else:
            yield self._line("wake_word", Grade.OK, "loaded", word=word)

    def voices(self) -> Iterator[Check]:
        """The voice of each language, and why a better one is not used."""
        settings = self._settings
        store = open_store(self._places.home)
        voices = synthesizers_for(settings, store.path, paces_for(self._places.home, settings, store))
        try:
            for language in get_args(Language):
                yield self._voice(voices, self._texts(f"voices.language.{language}"), language)
        finally:
            voices.close()

    def _voice(self, voices: SynthesizerSet, language_name: str, language: str) -> Check:
        try:
            chosen = voices.choose(language)
        except EngineError as error:
            reason = self._texts(error.message_key, **error.values)
            return self._line("voice", Grade.WARN, "silent", language=language_name, reason=reason)
        values = {"language": language_name, "engine": chosen.engine, "voice": chosen.voice}
        if chosen.passed_over:
            reason = "; ".join(self._passed_over(each) for each in chosen.passed_over)
            return self._line("voice", Grade.OK, "instead", reason=reason, **values)
        if chosen.pace is not None:
            factor, first_s = f"{chosen.pace.real_time_factor:.2f}", f"{chosen.pace.first_s:.1f}"
            return self._line("voice", Grade.OK, "measured", factor=factor, first_s=first_s, **values)
        return self._line("voice", Grade.OK, "chosen", **values)

    def _passed_over(self, error: EngineError | ModelFileError) -> str:
        if isinstance(error, TooSlowError):
            factor, first_s = f"{error.pace.real_time_factor:.2f}", f"{error.pace.first_s:.1f}"
            return self._texts("doctor.voice.too_slow", engine=error.engine, factor=factor, first_s=first_s)
        return self._texts(error.message_key, **error.values)
