"""Adds a vendor to the settings file when the user enters the vendor's key."""

from pathlib import Path

from assistant.core.configuration.parsing import parse_settings
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

    def with_entry(text: str) -> str:
        known = {each.name for each in parse_settings(text).providers}
        entry = f'[[providers]]\nname = "{kind}"\nkind = "{kind}"\n'
        return text if kind in known else f"{text.rstrip()}\n\n{entry}".lstrip()

    settings = edit_file(config, with_entry)
    return next(each for each in settings.providers if each.name == kind)
