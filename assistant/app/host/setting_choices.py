"""What texts in ``config.toml`` may be where only the program's parts know: kinds of providers, engines, wake words.

Each part declares itself, so a new engine's file is all that it takes to be allowed here. Only what the settings name
is asked for, because finding the parts imports them.
"""

import tomllib
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from assistant.app.host.places import models_folder
from assistant.core.errors import SettingsError
from assistant.weights.manifest import load_manifest


def choices_for(text: str, home: Path) -> dict[str, Collection[str]]:
    """By dotted path, what the settings' texts may be; only for paths that ``text`` names.

    Args:
        text: of the settings file; what is no TOML names nothing.
        home: the user's folder, in whose models a wake word of one's own may lie.
    """
    try:
        tree = tomllib.loads(text)
    except (ValueError, RecursionError):
        return {}
    voice = tree.get("voice")
    named = set(voice) if isinstance(voice, dict) else set()
    return {
        **({"providers.kind": _kinds()} if "providers" in tree else {}),
        **{f"voice.{key}": ask(home) for key, ask in _VOICE.items() if key in named},
    }


def _kinds() -> Collection[str]:
    from assistant.llm.router import kinds_found

    return kinds_found()


def _synthesizers(_: Path) -> Collection[str]:
    from assistant.speech.tts.choice import AUTO
    from assistant.speech.tts.registry import synthesizers

    found = synthesizers()
    # One that cannot be used here says why when it is to be used.
    return {AUTO, *found.engines, *found.unavailable}


def _recognizers(_: Path) -> Collection[str]:
    from assistant.speech.stt.registry import recognizers

    found = recognizers()
    return {*found.engines, *found.unavailable}


def _wake_words(home: Path) -> Collection[str]:
    """The words of every engine's models, fetched or not, and those that the user has put beside them."""
    from assistant.speech.wake.registry import wake_engines

    words = set[str]()
    for engine in wake_engines().engines.values():
        for model in engine.models:
            words.update(engine.words([*_files_listed(model), *_files_here(models_folder(home) / model)]))
    return words


def _files_listed(model: str) -> list[str]:
    try:
        return [file.name for file in load_manifest()[model].files]
    except (KeyError, SettingsError):
        return []


def _files_here(folder: Path) -> list[str]:
    return [path.name for path in folder.glob("*")]


_VOICE: Mapping[str, Callable[[Path], Collection[str]]] = {
    "tts": _synthesizers,
    "stt": _recognizers,
    "wake_word": _wake_words,
}
"""By key of ``[voice]``, who knows what it may be."""
