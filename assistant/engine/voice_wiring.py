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

ENGINES = 4
"""Number of loaded parts: recogniser, wake word, end-of-turn model, voice."""
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
        tell: takes the fraction, from 0 to 1.
    """

    def __init__(self, models: Sequence[str], tell: Callable[[float], None]) -> None:
        self._models = list(models)
        self._tell = tell
        self._fetched = 0.0

    def fetching(self, state: FetchProgress) -> None:
        """Take the progress of a model's download."""
        models = (self._models.index(state.model) + state.fraction) / len(self._models)
        self._fetched = max(self._fetched, models * FETCHING_SHARE)
        self._tell(self._fetched)

    def loading(self, fraction: float) -> None:
        """Take the fraction of loaded engines."""
        self._tell(self._fetched + (1 - self._fetched) * fraction)


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
    for language in (settings.language, *(each for each in get_args(Language) if each != settings.language)):
        try:
            # Answers may be in either language. Loading a voice with its first sentence would delay the answer by a
            # second or two.
            voices.prepare(language)
            rehearse_voice(voices, language, settings.voice.speed)
        except EngineError as error:
            if language == settings.language:
                raise
            log.warning("nothing speaks %s: %s", language, error)


async def load_voice(
    settings: Settings,
    path_of: Callable[[str], Path],
    on_progress: Callable[[float], None] = lambda _fraction: None,
    *,
    paces: Paces | None = None,
) -> Engines:
    """Load all engines at the same time, each on a thread of its own.

    Args:
        settings: the engines and their options.
        path_of: returns the folder of a model.
        on_progress: called on the loop after each engine was loaded or has failed, with the fraction of finished
            engines; the last call has 1.
        paces: stores the speed of voices; without it the best voice is used even if it is slow.

    Raises:
        EngineError, ModelFileError: the recogniser cannot be loaded.
    """
    settled = 0
    missing: list[SoriError] = []

    recogniser, wake = partial(load_recognizer, settings, path_of), partial(load_wake, settings, path_of)

    async def loaded(load: Callable[[], _Engine]) -> _Engine:
        nonlocal settled
        try:
            return await asyncio.to_thread(load)
        finally:
            settled += 1
            on_progress(settled / ENGINES)

    async def optional(load: Callable[[], _Engine]) -> _Engine | None:
        try:
            return await loaded(load)
        except SoriError as error:
            log.warning("a speech engine cannot be used: %s", error)
            missing.append(error)
            return None

    judge_of_turns = partial(_loaded_turn_end, path_of)
    voices = synthesizers_for(settings, path_of, paces)

    async with TaskSupervisor() as tasks:
        recognising = tasks.start(loaded(recogniser), name="load the recogniser", handled=True)
        waking = tasks.start(optional(wake), name="load the wake word", handled=True)
        judging = tasks.start(optional(judge_of_turns), name="load the end of turn", handled=True)
        if voices.unmeasured:
            # The speed of a voice can be measured only while nothing else is being loaded.
            await asyncio.wait([recognising, waking, judging])
        await optional(partial(prepare_voices, voices, settings))
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
