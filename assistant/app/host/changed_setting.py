"""Changes one setting in the settings file; its comments and other lines stay as they are."""

import json
from dataclasses import replace
from pathlib import Path

from assistant.app.host.setting_checks.choices import choices_for
from assistant.app.host.settings_file import read_settings
from assistant.core.errors import StorageError
from assistant.core.live_settings import LiveSettings
from assistant.core.settings import Settings, parse_settings
from assistant.storage.atomic import read_text, write_text

Scalar = str | int | float | bool

CHANGEABLE = (
    "language",
    "voice.voice",
    "voice.speed",
    "voice.turn_taking",
    "voice.wake_sensitivity",
    "voice.silence_timeout_s",
    "voice.speak_typed",
    "voice.cues",
    "desktop.theme",
    "memory.personal",
)
"""Settings that a tool may read and change. None of them holds a secret, sends anything, or opens a folder."""


class ChangeableSettings:
    """Implements ``SettingsBook`` of ``tools/builtin/own/settings.py``.

    Args:
        config: the settings file.
        live: the settings in use.
    """

    def __init__(self, config: Path, live: LiveSettings) -> None:
        self._config = config
        self._live = live

    def values(self) -> dict[str, Scalar]:
        """The settings of ``CHANGEABLE`` by name."""
        return {name: _value(self._live.written, name) for name in CHANGEABLE}

    def change(self, name: str, value: Scalar) -> None:
        """Write a setting of ``CHANGEABLE`` into the file and use it from now on.

        Raises:
            KeyError: the setting cannot be changed here.
            SettingsError: the value is not valid, or the file is not; the file stays as it is.
            StorageError: the file cannot be read or written.
        """
        if name not in CHANGEABLE:
            raise KeyError(name)
        read_settings(self._config)
        try:
            before = read_text(self._config) if self._config.exists() else ""
        except OSError as error:
            raise StorageError(str(self._config), str(error), cause=error) from error
        text = with_setting(before, name, value)
        changed = parse_settings(text, choices=choices_for(text, self._config.parent))
        write_text(self._config, text)
        self._live.change(_with_value(self._live.written, name, _value(changed, name)))


def with_setting(text: str, name: str, value: Scalar) -> str:
    """The text of a settings file with a value for a dotted name."""
    table, _, key = name.rpartition(".")
    lines, line = text.splitlines(), f"{key} = {_toml(value)}"
    begin = 0
    if table:
        headers = [at for at, each in enumerate(lines) if each.split("#")[0].strip() == f"[{table}]"]
        if not headers:
            return "".join(f"{each}\n" for each in (*lines, *([""] if lines else []), f"[{table}]", line))
        begin = headers[0] + 1
    end = next((at for at in range(begin, len(lines)) if lines[at].lstrip().startswith("[")), len(lines))
    for at in range(begin, end):
        if lines[at].split("=")[0].strip() == key:
            lines[at] = line
            break
    else:
        lines.insert(begin, line)
    return "".join(f"{each}\n" for each in lines)


def _toml(value: Scalar) -> str:
    return json.dumps(value, ensure_ascii=False)


def _value(settings: Settings, name: str) -> Scalar:
    table, _, key = name.rpartition(".")
    value: Scalar = getattr(getattr(settings, table) if table else settings, key)
    return value


def _with_value(settings: Settings, name: str, value: Scalar) -> Settings:
    table, _, key = name.rpartition(".")
    if not table:
        return replace(settings, **{key: value})  # type: ignore[arg-type]
    return replace(settings, **{table: replace(getattr(settings, table), **{key: value})})
