"""Adds a vendor to the settings file when the user gives its key, so that it is there after a restart too."""

from pathlib import Path

from assistant.app.host.settings_file import read_settings
from assistant.core.errors import StorageError
from assistant.core.settings import Provider, parse_settings
from assistant.storage.atomic import write_text

VENDORS = ("openai", "anthropic", "google", "zai")
"""Kinds of which a key is all that is needed."""


def add_provider(config: Path, kind: str) -> Provider:
    """Append a vendor's entry to ``config.toml``; everything that stands there stays as it is.

    Raises:
        SettingsError: the file would not be understood with it, or is not understood now; it is left alone.
        StorageError: the file cannot be written.
    """
    known = {each.name: each for each in read_settings(config).providers}
    if kind in known:
        return known[kind]
    try:
        before = config.read_text(encoding="utf-8") if config.exists() else ""
    except OSError as error:
        raise StorageError(str(config), str(error), message_key="home_unwritable", cause=error) from error
    entry = f'[[providers]]\nname = "{kind}"\nkind = "{kind}"\n'
    text = f"{before.rstrip()}\n\n{entry}".lstrip()
    parse_settings(text)
    write_text(config, text)
    return Provider(name=kind, kind=kind)
