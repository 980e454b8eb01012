"""The available wake-word engines."""

from functools import cache

from assistant.speech import wake
from assistant.speech.discovery import Discovery, discover
from assistant.speech.wake.detector import WakeEngine


@cache
def wake_engines() -> Discovery[WakeEngine]:
    """Discover the engines of this package. The result is cached, so each module is imported once."""
    return discover(wake, WakeEngine, skip=("registry",))
