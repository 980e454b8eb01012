"""Changes one setting in the settings file; its comments and other lines stay as they are."""

import json
from dataclasses import dataclass, replace
from pathlib import Path

from assistant.core.errors import StorageError
from assistant.core.live_settings import LiveSettings
from assistant.core.settings import Settings
from assistant.host.settings_file import read_settings, settings_in
from assistant.storage.atomic import alone_with, read_text, write_text

Scalar = str | int | float | bool

NOW, NEXT, RESTART = "from now on", "from the next answer on", "after a restart of Sori"
"""When a change acts, in words for a model."""
CHANGEABLE = {
    "language": f"{NEXT}; the window's texts change {RESTART}",
    "voice.voice": RESTART,
    "voice.speed": "from the next sentence on",
    "voice.turn_taking": NOW,
    "voice.wake_sensitivity": RESTART,
    "voice.silence_timeout_s": NOW,
    "voice.speak_typed": NEXT,
    "voice.cues": NOW,
    "desktop.theme": RESTART,
    "memory.personal": NEXT,
}
"""Settings that a tool may read and change, and when they act: ``RESTART`` for what is built from them at the start.

None of them holds a secret, sends anything, or opens a folder.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changeable:
    """Implements ``SettingState`` of ``tools/builtin/own/settings.py``."""

    written: Scalar
    in_force: Scalar
    acts: str


class ChangeableSettings:
    """Implements ``SettingsBook`` of ``tools/builtin/own/settings.py``.

    Args:
        config: the settings file.
        live: the settings in use. Those that act after a restart are in force as they are now.
    """

    def __init__(self, config: Path, live: LiveSettings) -> None:
        self._config = config
        self._live = live
        self._started = live.written

    def states(self) -> dict[str, Changeable]:
        """The settings of ``CHANGEABLE`` by name: in the file, and in force.

        Raises:
            SettingsError: the file is not valid.
        """
        file = read_settings(self._config)
        found = {}
        for name, acts in CHANGEABLE.items():
            written, live = _value(file, name), _value(self._live.written, name)
            in_force = _value(self._started, name) if acts == RESTART else live
            # What was edited by hand meanwhile is read at the next start.
            found[name] = Changeable(written=written, in_force=in_force, acts=acts if written == live else RESTART)
        return found

    def change(self, name: str, value: Scalar) -> None:
        """Write a setting of ``CHANGEABLE`` into the file and use it from now on, or after a restart.

        Raises:
            KeyError: the setting cannot be changed here.
            SettingsError: the value is not valid, or the file is not; the file stays as it is.
            StorageError: the file cannot be read or written.
        """
        if name not in CHANGEABLE:
            raise KeyError(name)
        with alone_with(self._config):
            present = read_settings(self._config)
            try:
                text = read_text(self._config) if self._config.exists() else ""
            except OSError as error:
                raise StorageError(str(self._config), str(error), cause=error) from error
            if value != _value(present, name):
                text = with_setting(text, name, value)
                present = settings_in(text, self._config)
                write_text(self._config, text)
        self._live.change(_with_value(self._live.written, name, _value(present, name)))


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
