"""Loads the speech engines that the settings name and joins them to a session."""

import asyncio
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from assistant.core.errors import SoriError
from assistant.core.settings import Settings
from assistant.speech.endpoint import smart_turn
from assistant.speech.endpoint.detector import TurnEndDetector
from assistant.speech.stt.recognizer import Recognizer
from assistant.speech.stt.registry import recognizers
from assistant.speech.tts.choice import SynthesizerSet
from assistant.speech.wake.detector import WakeDetector, WakeOptions
from assistant.speech.wake.registry import wake_engines

log = logging.getLogger(__name__)

_Engine = TypeVar("_Engine")

WAKE_ENGINE = "openwakeword"
"""The wake-word engine; spoken names of the user's own choice come from another."""


@dataclass(slots=True, kw_only=True)
class Voice:
    """The loaded engines, and the threads they run on.

    Attributes:
        missing: what could not be loaded, to be told to the user; the rest works without it.
    """

    recognizer: Recognizer
    wake: WakeDetector | None
    turn_end: TurnEndDetector | None
    synthesizers: SynthesizerSet
    missing: list[SoriError]


async def load_voice(settings: Settings, path_of: Callable[[str], Path]) -> Voice:
    """Load all engines, each on a thread of its own, so that they load side by side.

    Raises:
        EngineError, ModelFileError: without a recogniser there is nothing to listen with.
    """
    voice = settings.voice
    threads = voice.threads or max(1, (os.cpu_count() or 2) // 2)
    missing: list[SoriError] = []

    def recogniser() -> Recognizer:
        return recognizers().get(voice.stt).create(path_of, voice.threads or os.cpu_count() or 2)

    def wake() -> WakeDetector:
        options = WakeOptions(
            word=voice.wake_word,
            sensitivity=voice.wake_sensitivity,
            frames=voice.wake_frames,
            cooldown_s=voice.wake_cooldown_s,
        )
        return wake_engines().get(WAKE_ENGINE).create(path_of, options)

    async def optional(load: Callable[[], _Engine]) -> _Engine | None:
        try:
            return await asyncio.to_thread(load)
        except SoriError as error:
            log.warning("a speech engine cannot be used: %s", error)
            missing.append(error)
            return None

    voices = SynthesizerSet(voice.tts, path_of, threads)
    recognizer, wake_detector, turn_end, _ = await asyncio.gather(
        asyncio.to_thread(recogniser),
        optional(wake),
        optional(lambda: smart_turn.create(path_of, 1)),
        optional(lambda: voices.prepare(settings.language)),
    )
    return Voice(
        recognizer=recognizer,
        wake=wake_detector,
        turn_end=turn_end,
        synthesizers=voices,
        missing=missing,
    )
