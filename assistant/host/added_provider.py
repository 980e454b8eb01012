"""Adds a vendor to the settings file when the user enters the vendor's key."""

from pathlib import Path

from assistant.core.errors import StorageError
from assistant.core.settings import Provider, parse_settings
from assistant.host.settings_file import read_settings
from assistant.storage.atomic import alone_with, read_text, write_text

VENDORS = ("openai", "anthropic", "google", "zai")
"""Kinds of providers that need only a key."""


def add_provider(config: Path, kind: str) -> Provider:
    """Append a vendor's entry to ``config.toml``; existing content stays unchanged.

    Raises:
        SettingsError: the file is invalid, or the entry would make it invalid; the file stays unchanged.
        StorageError: the file cannot be written.
    """
    with alone_with(config):
        known = {each.name: each for each in read_settings(config).providers}
        if kind in known:
            return known[kind]
        try:
            before = read_text(config) if config.exists() else ""
        except OSError as error:
            raise StorageError(str(config), str(error), message_key="home_unwritable", cause=error) from error
        entry = f'[[providers]]\nname = "{kind}"\nkind = "{kind}"\n'
        text = f"{before.rstrip()}\n\n{entry}".lstrip()
        parse_settings(text)
        write_text(config, text)
    return Provider(name=kind, kind=kind)
