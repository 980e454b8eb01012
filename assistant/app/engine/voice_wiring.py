"""Loads the speech engines that the settings name, and has each of them work once."""

import asyncio
import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar, get_args

from assistant.app.engine.rehearsal import rehearse_voice, rehearsed_recognizer, rehearsed_turn_end, rehearsed_wake
from assistant.app.engine.voice_pace import PaceFile
from assistant.app.host.clock import SystemClock
from assistant.core.errors import EngineError, SoriError
from assistant.core.settings import Language, Settings
from assistant.speech.endpoint import smart_turn
from assistant.speech.endpoint.detector import TurnEndDetector
from assistant.speech.stt.recognizer import Recognizer
from assistant.speech.stt.registry import recognizers
from assistant.speech.tts.choice import SynthesizerSet
from assistant.speech.tts.pace import Paces
from assistant.speech.wake.detector import WakeDetector, WakeOptions
from assistant.speech.wake.registry import wake_engine_for
from assistant.weights.progress import FetchProgress
from assistant.weights.store import ModelStore

log = logging.getLogger(__name__)

_Engine = TypeVar("_Engine")

ENGINES = 4
"""What is loaded: recogniser, wake word, end-of-turn model, voice."""
FETCHING_SHARE = 0.9
"""Share of the way that fetching is when something has to be fetched: minutes against seconds of loading."""


@dataclass(slots=True, kw_only=True)
class Engines:
    """The loaded engines.

    Attributes:
        missing: what could not be loaded, to be told to the user; the rest works without it.
    """

    recognizer: Recognizer
    wake: WakeDetector | None
    turn_end: TurnEndDetector | None
    synthesizers: SynthesizerSet
    missing: list[SoriError]


class VoiceProgress:
    """How far the voice is on its way: its models are fetched where they are missing, then its engines loaded.

    The fraction never goes back. Where nothing has to be fetched, loading is all there is.

    Args:
        models: what may have to be fetched, in this order.
        tell: takes the fraction, from 0 to 1.
    """

    def __init__(self, models: Sequence[str], tell: Callable[[float], None]) -> None:
        self._models = list(models)
        self._tell = tell
        self._fetched = 0.0

    def fetching(self, state: FetchProgress) -> None:
        """So much of a model has arrived."""
        models = (self._models.index(state.model) + state.fraction) / len(self._models)
        self._fetched = max(self._fetched, models * FETCHING_SHARE)
        self._tell(self._fetched)

    def loading(self, fraction: float) -> None:
        """So much of the engines is loaded."""
        self._tell(self._fetched + (1 - self._fetched) * fraction)


def speech_threads(settings: Settings) -> int:
    """Threads for one sentence: half the processor, for the answer's next words are made meanwhile."""
    return settings.voice.threads or max(1, (os.cpu_count() or 2) // 2)


def paces_for(home: Path, settings: Settings, store: ModelStore) -> PaceFile:
    """What is known of how fast voices are on this machine."""
    return PaceFile(home, store.manifest, speech_threads(settings), SystemClock())


def synthesizers_for(settings: Settings, path_of: Callable[[str], Path], paces: Paces | None) -> SynthesizerSet:
    """The voices as the settings want them; none is loaded yet."""
    voice = settings.voice
    return SynthesizerSet(voice.tts, path_of, speech_threads(settings), voices=voice.voices, paces=paces)


async def load_voice(
    settings: Settings,
    path_of: Callable[[str], Path],
    on_progress: Callable[[float], None] = lambda _fraction: None,
    *,
    paces: Paces | None = None,
) -> Engines:
    """Load all engines, each on a thread of its own, so that they load side by side.

    Args:
        settings: which engines, and how they shall work.
        path_of: the folder of a model.
        on_progress: takes the fraction of the engines that are loaded, or known not to load, as each is; called on the
            loop, the last time with 1.
        paces: remembers how fast voices are here; without it the best one speaks, however slow it is.

    Raises:
        EngineError, ModelFileError: without a recogniser there is nothing to listen with.
    """
    voice = settings.voice
    settled = 0
    missing: list[SoriError] = []

    def recogniser() -> Recognizer:
        engine = recognizers().get(voice.stt)
        return rehearsed_recognizer(engine.create(path_of, voice.threads or os.cpu_count() or 2))

    def wake() -> WakeDetector:
        options = WakeOptions(
            word=voice.wake_word,
            sensitivity=voice.wake_sensitivity,
            frames=voice.wake_frames,
            cooldown_s=voice.wake_cooldown_s,
        )
        return rehearsed_wake(wake_engine_for(voice.wake_word, path_of).create(path_of, options))

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

    voices = synthesizers_for(settings, path_of, paces)

    def speak() -> None:
        voices.prepare(settings.language)
        rehearse_voice(voices, settings.language)
        for other in get_args(Language):
            try:
                # Answers come in either language, and a voice that is loaded at its first sentence keeps the user
                # waiting for a second or two.
                voices.prepare(other)
                rehearse_voice(voices, other)
            except EngineError as error:
                log.warning("nothing speaks %s: %s", other, error)

    recognising = asyncio.create_task(loaded(recogniser))
    listening = asyncio.gather(optional(wake), optional(lambda: rehearsed_turn_end(smart_turn.create(path_of, 1))))
    if voices.unmeasured:
        # How fast a voice is shows only when nothing else is being loaded.
        await asyncio.gather(listening, asyncio.wait([recognising]))
    await optional(speak)
    wake_detector, turn_end = await listening
    recognizer = await recognising
    return Engines(
        recognizer=recognizer,
        wake=wake_detector,
        turn_end=turn_end,
        synthesizers=voices,
        missing=missing,
    )
