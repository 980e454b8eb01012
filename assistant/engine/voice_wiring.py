"""Loads the speech engines named by the settings and runs each of them once."""

import asyncio
import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar, get_args

from assistant.core.errors import EngineError, SoriError
from assistant.core.settings import Language, Settings
from assistant.engine.recognition.choice import recognition_threads
from assistant.engine.rehearsal import rehearse_voice, rehearsed_recognizer, rehearsed_turn_end, rehearsed_wake
from assistant.engine.voice_pace import PaceFile
from assistant.host.clock import SystemClock
from assistant.speech.endpoint import smart_turn
from assistant.speech.endpoint.detector import TurnEndDetector
from assistant.speech.stt.recognizer import Recognizer, RecognizerOptions
from assistant.speech.stt.registry import recognizers
from assistant.speech.tts.choice import SynthesizerSet
from assistant.speech.tts.pace import Paces
from assistant.speech.wake import word_sound
from assistant.speech.wake.detector import WakeDetector, WakeOptions
from assistant.speech.wake.registry import wake_engine_for
from assistant.speech.wake.word_sound import WordSound
from assistant.tasks import TaskSupervisor
from assistant.voice.waking.wake_check import UNSURE_SHARE
from assistant.weights.progress import FetchProgress
from assistant.weights.store import ModelStore

log = logging.getLogger(__name__)

_Engine = TypeVar("_Engine")

PARTS = ("recognizer", "wake", "turn_end", *(f"voice_{each}" for each in get_args(Language)))
"""What is loaded. ``progress.loading.<part>`` is the text for it."""
FETCHING_SHARE = 0.9
"""Share of fetching in the progress if models are missing: fetching takes minutes, loading seconds."""


@dataclass(slots=True, kw_only=True)
class Engines:
    """The loaded engines.

    Attributes:
        word_sound: describes the sound of wake phrases; ``None`` without openWakeWord's models.
        missing: errors of engines that could not be loaded, for the user. The other engines work without them.
        new_recognizer: loads the recogniser once more, for one whose call hangs.
        new_turn_end: loads the end-of-turn model once more.
    """

    recognizer: Recognizer
    wake: WakeDetector | None
    turn_end: TurnEndDetector | None
    synthesizers: SynthesizerSet
    missing: list[SoriError]
    new_recognizer: Callable[[], Recognizer] | None = None
    new_turn_end: Callable[[], TurnEndDetector] | None = None
    word_sound: WordSound | None = None

    def renew_recognizer(self) -> Recognizer:
        """Load the recogniser once more, if that is possible, and return the one to use from now on."""
        if self.new_recognizer is not None:
            self.recognizer = self.new_recognizer()
        return self.recognizer

    def renew_turn_end(self) -> TurnEndDetector | None:
        """Load the end-of-turn model once more, if that is possible, and return the one to use from now on."""
        if self.new_turn_end is not None:
            self.turn_end = self.new_turn_end()
        return self.turn_end


class VoiceProgress:
    """Progress of the voice: missing models are fetched, then engines are loaded.

    The fraction never decreases. If no model is missing, loading is the whole progress.

    Args:
        models: models that may have to be fetched, in this order.
        tell: takes the fraction, from 0 to 1, and the key of the text for what is being done; empty for a fetch.
    """

    def __init__(self, models: Sequence[str], tell: Callable[[float, str], None]) -> None:
        self._models = list(models)
        self._tell = tell
        self._fetched = 0.0

    def fetching(self, state: FetchProgress) -> None:
        """Take the progress of a model's download."""
        models = (self._models.index(state.model) + state.fraction) / len(self._models)
        self._fetched = max(self._fetched, models * FETCHING_SHARE)
        self._tell(self._fetched, "")

    def loading(self, fraction: float, doing: str) -> None:
        """Take the fraction of loaded engines, and what is being loaded."""
        self._tell(self._fetched + (1 - self._fetched) * fraction, doing)


class _Loading:
    """Which parts of the voice are loaded, and what the user waits for.

    Args:
        tell: takes the fraction of loaded parts and the key of the text for the first part that is missing.
    """

    def __init__(self, tell: Callable[[float, str], None]) -> None:
        self._missing = list(PARTS)
        self._tell = tell
        self.measuring = False
        """Whether the speed of a voice is measured, which takes longer than loading it."""

    def tell(self) -> None:
        """Tell how far it is."""
        first = next(iter(self._missing), "")
        doing = "measuring" if self.measuring and first.startswith("voice_") else first
        self._tell(1 - len(self._missing) / len(PARTS), doing and f"progress.loading.{doing}")

    def settle(self, part: str) -> None:
        """The part was loaded or has failed."""
        self._missing.remove(part)
        self.tell()


def speech_threads(settings: Settings) -> int:
    """Number of threads for synthesis: all cores. The listener waits for the voice; the model may write more slowly."""
    return settings.voice.threads or os.cpu_count() or 2


def recognizer_options(settings: Settings) -> RecognizerOptions:
    """What the recogniser of the settings is loaded with."""
    voice = settings.voice
    return RecognizerOptions(
        threads=recognition_threads(settings),
        device=voice.stt_device,
        compute_type=voice.stt_compute_type,
        size=voice.stt_size,
    )


def paces_for(home: Path, settings: Settings, store: ModelStore) -> PaceFile:
    """The stored speeds of voices on this machine."""
    return PaceFile(home, store.manifest, speech_threads(settings), SystemClock())


def synthesizers_for(settings: Settings, path_of: Callable[[str], Path], paces: Paces | None) -> SynthesizerSet:
    """The voices of the settings, not loaded yet."""
    voice = settings.voice
    return SynthesizerSet(voice.tts, path_of, speech_threads(settings), voices=voice.voices, paces=paces)


def loaded_word_sound(path_of: Callable[[str], Path]) -> WordSound | None:
    """The describer of wake phrases; ``None`` if its models are missing, so that names are told by words alone."""
    try:
        return word_sound.create(path_of)
    except SoriError as error:
        log.warning("the sound of names is not compared: %s", error)
        return None


def _loaded_turn_end(path_of: Callable[[str], Path]) -> TurnEndDetector:
    return rehearsed_turn_end(smart_turn.create(path_of, 1))


def load_recognizer(settings: Settings, path_of: Callable[[str], Path]) -> Recognizer:
    """The recogniser of the settings, which has run once.

    Raises:
        EngineError, ModelFileError: it cannot be loaded.
    """
    engine = recognizers().get(settings.voice.stt)
    return rehearsed_recognizer(engine.create(path_of, recognizer_options(settings)))


def load_wake(settings: Settings, path_of: Callable[[str], Path]) -> WakeDetector:
    """The detector of the wake word of the settings, which has run once.

    Raises:
        EngineError, ModelFileError: it cannot be loaded.
    """
    voice = settings.voice
    options = WakeOptions(
        word=voice.wake_word,
        sensitivity=voice.wake_sensitivity,
        frames=voice.wake_frames,
        cooldown_s=voice.wake_cooldown_s,
        # Whoever asks for several frames wants fewer hits.
        least=UNSURE_SHARE * voice.wake_sensitivity if voice.wake_frames == 1 else 1.0,
    )
    return rehearsed_wake(wake_engine_for(voice.wake_word, path_of).create(path_of, options))


def prepare_voices(voices: SynthesizerSet, settings: Settings) -> None:
    """Load a voice for each language and let it speak once.

    Raises:
        EngineError: nothing speaks the language of the settings.
    """
    for language in languages_of(settings):
        prepare_voice(voices, settings, language)


def prepare_voice(voices: SynthesizerSet, settings: Settings, language: Language) -> None:
    """Load the voice of a language and let it speak once.

    Answers may be in either language. A voice that is loaded with its first sentence delays the answer by a second or
    two.

    Raises:
        EngineError: nothing speaks the language of the settings.
    """
    try:
        voices.prepare(language)
        rehearse_voice(voices, language, settings.voice.speed)
    except EngineError as error:
        if language == settings.language:
            raise
        log.warning("nothing speaks %s: %s", language, error)


def languages_of(settings: Settings) -> tuple[Language, ...]:
    """All languages; that of the settings first."""
    return (settings.language, *(each for each in get_args(Language) if each != settings.language))


async def load_voice(
    settings: Settings,
    path_of: Callable[[str], Path],
    on_progress: Callable[[float, str], None] = lambda _fraction, _doing: None,
    *,
    paces: Paces | None = None,
) -> Engines:
    """Load all engines at the same time, each on a thread of its own.

    Args:
        settings: the engines and their options.
        path_of: returns the folder of a model.
        on_progress: called on the loop when an engine was loaded or has failed, with the fraction of finished engines
            and the key of the text for what is being done; the last call has 1.
        paces: stores the speed of voices; without it the best voice is used even if it is slow.

    Raises:
        EngineError, ModelFileError: the recogniser cannot be loaded.
    """
    loading = _Loading(on_progress)
    missing: list[SoriError] = []

    recogniser, wake = partial(load_recognizer, settings, path_of), partial(load_wake, settings, path_of)

    async def loaded(part: str, load: Callable[[], _Engine]) -> _Engine:
        try:
            return await asyncio.to_thread(load)
        finally:
            loading.settle(part)

    async def optional(part: str, load: Callable[[], _Engine]) -> _Engine | None:
        try:
            return await loaded(part, load)
        except SoriError as error:
            log.warning("a speech engine cannot be used: %s", error)
            missing.append(error)
            return None

    judge_of_turns = partial(_loaded_turn_end, path_of)
    voices = synthesizers_for(settings, path_of, paces)

    loading.tell()
    async with TaskSupervisor() as tasks:
        recognising = tasks.start(loaded("recognizer", recogniser), name="load the recogniser", handled=True)
        waking = tasks.start(optional("wake", wake), name="load the wake word", handled=True)
        judging = tasks.start(optional("turn_end", judge_of_turns), name="load the end of turn", handled=True)
        if voices.unmeasured:
            # The speed of a voice can be measured only while nothing else is being loaded.
            await asyncio.wait([recognising, waking, judging])
        for language in languages_of(settings):
            if loading.measuring is not voices.unmeasured:
                loading.measuring = voices.unmeasured
                loading.tell()
            await optional(f"voice_{language}", partial(prepare_voice, voices, settings, language))
        describes = await asyncio.to_thread(loaded_word_sound, path_of)
        recognizer, wake_detector, turn_end = await recognising, await waking, await judging
    return Engines(
        recognizer=recognizer,
        wake=wake_detector,
        turn_end=turn_end,
        synthesizers=voices,
        missing=missing,
        new_recognizer=recogniser,
        new_turn_end=judge_of_turns,
        word_sound=describes,
    )
