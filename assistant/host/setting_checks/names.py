"""Rejects unknown names of providers, models and voices in ``config.toml``.

It checks settings that are otherwise valid, because the allowed names depend on other entries.
"""

from collections.abc import Collection, Iterator
from pathlib import Path

from assistant.core.configuration.catalogue import all_settings, value_of
from assistant.core.errors import SettingsError
from assistant.core.formats.toml_text import line_of_value
from assistant.core.setting_declaration import Refers
from assistant.core.settings import Settings
from assistant.host.places import models_folder


def check_names(settings: Settings, text: str, home: Path) -> None:
    """Raise for the first unknown name.

    Args:
        settings: the parsed settings.
        text: the text of the file.
        home: the user's folder, which may hold the user's own models.

    Raises:
        SettingsError: a name is unknown; the error has its line and the known names.
    """
    lines = text.splitlines()
    for path, name, problem, known in _unknown(settings, home):
        line = line_of_value(lines, path, name)
        raise SettingsError(problem, line=line, path=path, value=repr(name), name=name, known=", ".join(known))


def _unknown(settings: Settings, home: Path) -> Iterator[tuple[str, str, str, Collection[str]]]:
    """Path, name, key of the user's text, and the known names."""
    yield from _unknown_models(settings, home)
    yield from _unknown_voices(settings)


def _unknown_models(settings: Settings, home: Path) -> Iterator[tuple[str, str, str, Collection[str]]]:
    llm = settings.llm
    named = [each.name for each in all_settings() if each.declared.refers is Refers.MODEL]
    references = [(name, each) for name in named for each in _texts(value_of(settings, name))]
    if not llm.provider and not any(reference for _, reference in references):
        return
    from assistant.agent.model_choice import EMBEDDED, leads_nowhere

    providers = list(dict.fromkeys([*(each.name for each in settings.providers), EMBEDDED.name]))
    if llm.provider and llm.provider not in providers:
        yield "llm.provider", llm.provider, "provider", providers
        return
    own = _models_of_the_own_server(home)
    for path, reference in references:
        if reference and leads_nowhere(settings, reference, own):
            yield path, reference, "reference", [*providers, *(f"{EMBEDDED.name}/{model}" for model in own)]


def _texts(value: str | tuple[str, ...]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value


def _models_of_the_own_server(home: Path) -> list[str]:
    """Names of the language models that can be fetched, and of the user's own models."""
    from assistant.weights.manifest import load_manifest
    from assistant.weights.own_files import own_models

    manifest = load_manifest()
    models = {**manifest, **own_models(models_folder(home), manifest)}
    return [name for name, model in models.items() if model.purpose == "llm"]


def _unknown_voices(settings: Settings) -> Iterator[tuple[str, str, str, Collection[str]]]:
    if not settings.voice.voices:
        return
    from assistant.speech.tts.registry import synthesizers

    found = synthesizers()
    if found.unavailable:
        # The voices of an unavailable engine are unknown.
        return
    voices = [voice.name for engine in found.engines.values() for voice in engine.voices]
    for name in settings.voice.voices:
        if name not in voices:
            yield "voice.voice", name, "voice", voices
