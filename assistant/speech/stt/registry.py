"""Which recognisers there are."""

from functools import cache

from assistant.speech import stt
from assistant.speech.discovery import Discovery, discover
from assistant.speech.stt.recognizer import RecognizerEngine


@cache
def recognizers() -> Discovery[RecognizerEngine]:
    """Every engine in this package; imports each module once."""
    return discover(stt, RecognizerEngine, skip=("registry",))
