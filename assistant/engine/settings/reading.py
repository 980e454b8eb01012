"""Reads the settings file, completed for this machine."""

from pathlib import Path

from assistant.core.settings import Settings
from assistant.engine.recognition.choice import with_measured_recognizer
from assistant.host.needed_models import for_this_machine
from assistant.host.settings_file import read_settings


def settings_here(config: Path, home: Path) -> Settings:
    """The settings of the file, with the best models for this machine where they name none.

    Raises:
        SettingsError: the file has an unknown or invalid entry; ``line`` is its line.
    """
    return with_measured_recognizer(for_this_machine(read_settings(config), home), home)
