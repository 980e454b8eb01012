"""Runs each engine once before the user waits for it.

The first inference of a process takes longer than a later one (the recogniser's 0.6 s instead of 0.2 to 0.3), because
memory is mapped, kernels are chosen and tables are built. So an engine counts as loaded after one run on synthetic
noise or short texts, whose sound is not played.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from assistant.core.audio import SAMPLE_RATE
from assistant.core.errors import SoriError
from assistant.core.settings import Language
from assistant.speech.endpoint.detector import TurnEndDetector
from assistant.speech.stt.recognizer import Recognizer
from assistant.speech.text.spoken import spoken_text
from assistant.speech.tts.choice import SynthesizerSet
from assistant.speech.tts.synthesizer import Voice
from assistant.speech.wake.detector import WakeDetector

log = logging.getLogger(__name__)

_SOUND_S = 1.0
_LEVEL = 300.0
"""Loud enough that the recogniser searches it for words."""
_PHRASES: dict[Language, tuple[str, ...]] = {"ko": ("네,", "좋아요,", "아,"), "en": ("Sure,", "Yes,", "Okay,")}
"""Frequent beginnings of answers. A voice keeps the sound of short phrases, so these sound at once."""


def rehearsed_recognizer(recognizer: Recognizer) -> Recognizer:
    """Run the recogniser on noise, with language detection, and return it."""
    with _harmless("the recogniser"):
        recognizer.transcribe(_noise(), language=None)
    return recognizer


def rehearsed_turn_end(detector: TurnEndDetector) -> TurnEndDetector:
    """Run the end-of-turn model on noise and return it."""
    with _harmless("the end-of-turn model"):
        detector.probability(_noise())
    return detector


def rehearsed_wake(detector: WakeDetector) -> WakeDetector:
    """Run the wake word's model on noise, reset it and return it."""
    with _harmless("the wake word"):
        detector.feed(_noise(), active=True)
        detector.reset()
    return detector


def rehearse_voice(voices: SynthesizerSet, language: Language, speed: float) -> None:
    """Synthesise frequent beginnings of answers in a language, at the speed of the settings, without playing them."""
    with _harmless("the voice"):
        for phrase in _PHRASES[language]:
            for _piece in voices.synthesize(spoken_text(phrase, language), Voice(language=language, speed=speed)):
                pass


@contextmanager
def _harmless(engine: str) -> Iterator[None]:
    """Log a failure. A real use of the engine will report it to the user."""
    try:
        yield
    except SoriError as error:
        log.warning("%s failed in its rehearsal: %s", engine, error)


def _noise() -> NDArray[np.int16]:
    noise = np.random.default_rng(0).standard_normal(round(_SOUND_S * SAMPLE_RATE))
    return (noise * _LEVEL).astype(np.int16)
