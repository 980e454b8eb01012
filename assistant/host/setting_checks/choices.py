"""The allowed values in ``config.toml`` that other parts declare: kinds of providers, engines, wake words.

A new engine needs no change here, because each part declares its values. Values are collected only for the keys in the
file, because the collection imports the parts.
"""

import tomllib
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from assistant.core.configuration.catalogue import Setting, all_settings
from assistant.core.errors import SettingsError
from assistant.core.setting_declaration import Refers
from assistant.host.places import models_folder
from assistant.weights.manifest import load_manifest


def choices_for(text: str, home: Path) -> dict[str, Collection[str]]:
    """The allowed values by dotted path, only for paths in ``text``.

    Args:
        text: the text of the settings file; invalid TOML has no paths.
        home: the user's folder, whose models may include the user's own wake words.
    """
    try:
        tree = tomllib.loads(text)
    except (ValueError, RecursionError):
        return {}
    known = ((each, _KNOWN.get(each.declared.refers)) for each in all_settings() if each.declared.refers)
    return {each.name: ask(home) for each, ask in known if ask is not None and _is_in(tree, each)}


def known_values(refers: Refers, home: Path) -> Collection[str]:
    """The values of settings that name such a thing; empty where the names depend on other entries."""
    ask = _KNOWN.get(refers)
    return ask(home) if ask is not None else ()


def _is_in(tree: Mapping[str, Any], setting: Setting) -> bool:
    table = tree.get(setting.section)
    return (setting.entry and bool(table)) or (isinstance(table, dict) and setting.key in table)


def _kinds(_: Path) -> Collection[str]:
    from assistant.llm.router import kinds_found

    return kinds_found()


def _synthesizers(_: Path) -> Collection[str]:
    from assistant.speech.tts.choice import AUTO
    from assistant.speech.tts.registry import synthesizers

    found = synthesizers()
    # An unavailable engine is allowed here. It gives its reason when it is used.
    return {AUTO, *found.engines, *found.unavailable}


def _recognizers(_: Path) -> Collection[str]:
    from assistant.speech.stt.registry import recognizers

    found = recognizers()
    return {*found.engines, *found.unavailable}


def _wake_words(home: Path) -> Collection[str]:
    """The wake words of all engines' models, also of unfetched ones, and the user's own wake words."""
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


_KNOWN: Mapping[Refers | None, Callable[[Path], Collection[str]]] = {
    Refers.PROVIDER_KIND: _kinds,
    Refers.SYNTHESIZER: _synthesizers,
    Refers.RECOGNIZER: _recognizers,
    Refers.WAKE_WORD: _wake_words,
}
"""Functions that return the allowed values, by what a setting refers to."""
