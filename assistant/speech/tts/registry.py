"""The available synthesisers."""

from functools import cache

from assistant.speech import tts
from assistant.speech.discovery import Discovery, discover
from assistant.speech.tts.synthesizer import SynthesizerEngine


@cache
def synthesizers() -> Discovery[SynthesizerEngine]:
    """Discover the engines of this package. The result is cached, so each module is imported once."""
    return discover(tts, SynthesizerEngine, skip=("registry", "choice"))
