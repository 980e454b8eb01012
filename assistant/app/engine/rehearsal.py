"""Runs each engine once before anybody waits for it.

The first inference of a process takes longer than a later one (the recogniser's 0.6 s instead of 0.2 to 0.3): memory is
mapped in, kernels are chosen, tables are built. So an engine counts as loaded when it has worked once, on sound that
nobody hears and nobody said.
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
from assistant.speech.tts.choice import SynthesizerSet
from assistant.speech.tts.synthesizer import Voice
from assistant.speech.wake.detector import WakeDetector

log = logging.getLogger(__name__)

_SOUND_S = 1.0
_LEVEL = 300.0
"""Loud enough that the recogniser looks for words in it."""
_WORDS: dict[Language, str] = {"ko": "네, 알겠습니다.", "en": "Yes, of course."}


def rehearsed_recognizer(recognizer: Recognizer) -> Recognizer:
    """The recogniser, after it has told the language of some noise and looked for words in it."""
    with _harmless("the recogniser"):
        recognizer.transcribe(_noise(), language=None)
    return recognizer


def rehearsed_turn_end(detector: TurnEndDetector) -> TurnEndDetector:
    """The end-of-turn model, after it has judged some noise."""
    with _harmless("the end-of-turn model"):
        detector.probability(_noise())
    return detector


def rehearsed_wake(detector: WakeDetector) -> WakeDetector:
    """The wake word's model, after it has listened to some noise and forgotten it."""
    with _harmless("the wake word"):
        detector.feed(_noise(), active=True)
        detector.reset()
    return detector


def rehearse_voice(voices: SynthesizerSet, language: Language) -> None:
    """Let the voice of a language say a few words that nobody hears."""
    with _harmless("the voice"):
        for _piece in voices.synthesize(_WORDS[language], Voice(language=language)):
            pass


@contextmanager
def _harmless(engine: str) -> Iterator[None]:
    """What fails in a rehearsal is told when it fails in earnest."""
    try:
        yield
    except SoriError as error:
        log.warning("%s failed in its rehearsal: %s", engine, error)


def _noise() -> NDArray[np.int16]:
    noise = np.random.default_rng(0).standard_normal(round(_SOUND_S * SAMPLE_RATE))
    return (noise * _LEVEL).astype(np.int16)
