"""The available recognisers."""

from functools import cache

from assistant.speech import stt
from assistant.speech.discovery import Discovery, discover
from assistant.speech.stt.recognizer import RecognizerEngine


@cache
def recognizers() -> Discovery[RecognizerEngine]:
    """Discover the engines of this package. The result is cached, so each module is imported once."""
    return discover(stt, RecognizerEngine, skip=("registry",))
