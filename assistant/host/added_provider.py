"""Adds providers to the settings file, and takes them out: a vendor with its key, a server by its address."""

from pathlib import Path
from typing import Any

from assistant.core.configuration.parsing import parse_settings
from assistant.core.configuration.values import shown_value
from assistant.core.errors import SettingsError
from assistant.core.formats.toml_text import parse_toml
from assistant.core.settings import Provider
from assistant.host.settings_edit import edit_file

VENDORS = ("openai", "anthropic", "google", "zai")
"""Kinds of providers that need only a key."""


def add_provider(config: Path, kind: str) -> Provider:
    """Append a vendor's entry to ``config.toml``; existing content stays unchanged.

    Raises:
        SettingsError: the file is invalid, or the entry would make it invalid; the file stays unchanged.
        StorageError: the file cannot be written.
    """
    return add_entry(config, Provider(name=kind, kind=kind))


def add_entry(config: Path, provider: Provider) -> Provider:
    """Append an entry to ``config.toml`` unless it has one of this name; existing content stays unchanged.

    Raises:
        SettingsError: the file is invalid, or the entry would make it invalid; the file stays unchanged.
        StorageError: the file cannot be written.
    """

    def with_entry(text: str) -> str:
        known = {each.name for each in parse_settings(text).providers}
        values = {"name": provider.name, "kind": provider.kind, "base_url": provider.base_url}
        entry = "".join(f"{name} = {shown_value(value)}\n" for name, value in values.items() if value)
        return text if provider.name in known else f"{text.rstrip()}\n\n[[providers]]\n{entry}".lstrip()

    settings = edit_file(config, with_entry)
    return next(each for each in settings.providers if each.name == provider.name)


def remove_entry(config: Path, name: str) -> None:
    """Take the entry of this name out of ``config.toml``; other content stays unchanged.

    Raises:
        SettingsError: the file is invalid, would be without the entry, or cannot be edited without a loss.
        StorageError: the file cannot be written.
    """

    def without_entry(text: str) -> str:
        import tomlkit  # takes 20 ms, which commands that change nothing need not wait for

        before = parse_toml(text)
        document = tomlkit.parse(text)
        entries: Any = document.get("providers", [])
        for place in reversed([at for at, each in enumerate(entries) if each.get("name") == name]):
            del entries[place]
        if not entries:
            document.pop("providers", None)
        wanted = [each for each in before.get("providers", []) if each.get("name") != name]
        after = parse_toml(edited := document.as_string())
        if after.get("providers", []) != wanted or {**after, "providers": 0} != {**before, "providers": 0}:
            raise SettingsError("not_editable", path="providers")
        return edited

    edit_file(config, without_entry, names=["llm.provider"])
