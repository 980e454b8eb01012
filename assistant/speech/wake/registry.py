"""Which wake-word engines there are."""

from functools import cache

from assistant.speech import wake
from assistant.speech.discovery import Discovery, discover
from assistant.speech.wake.detector import WakeEngine


@cache
def wake_engines() -> Discovery[WakeEngine]:
    """Every engine in this package; imports each module once."""
    return discover(wake, WakeEngine, skip=("registry",))
