"""The available wake-word engines."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

from assistant.core.errors import EngineError, ModelFileError
from assistant.speech import wake
from assistant.speech.discovery import Discovery, discover
from assistant.speech.wake.detector import WakeEngine


@cache
def wake_engines() -> Discovery[WakeEngine]:
    """Discover the engines of this package. The result is cached, so each module is imported once."""
    return discover(wake, WakeEngine, skip=("registry",))


def wake_engine_for(word: str, path_of: Callable[[str], Path]) -> WakeEngine:
    """The engine whose models have the word; the first of all where none has it, which then says so itself.

    Args:
        word: wake word of the settings.
        path_of: from a manifest model's name to its directory.

    Raises:
        EngineError: there is no wake-word engine.
    """
    found = wake_engines()
    for engine in found.engines.values():
        if word in engine.words(_files_of(engine, path_of)):
            return engine
    for engine in found.engines.values():
        return engine
    raise next(iter(found.unavailable.values()), EngineError("wake", "no wake-word engine is registered"))


def _files_of(engine: WakeEngine, path_of: Callable[[str], Path]) -> list[str]:
    """Names of the files of the engine's models that are here."""
    names: list[str] = []
    for model in engine.models:
        try:
            names += [path.name for path in path_of(model).glob("*")]
        except ModelFileError:
            continue
    return names
