"""Which synthesisers there are."""

from functools import cache

from assistant.speech import tts
from assistant.speech.discovery import Discovery, discover
from assistant.speech.tts.synthesizer import SynthesizerEngine


@cache
def synthesizers() -> Discovery[SynthesizerEngine]:
    """Every engine in this package; imports each module once."""
    return discover(tts, SynthesizerEngine, skip=("registry", "choice"))
