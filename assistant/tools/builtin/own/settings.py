"""Some of Sori's settings: those that hold no secret and open nothing."""

from collections.abc import Mapping
from typing import Protocol

from assistant.core.errors import SettingsError
from assistant.core.permissions import Category
from assistant.tools.signature import tool_of
from assistant.tools.tool import Tool, ToolError

_TRUE, _FALSE = ("true", "on", "yes", "1"), ("false", "off", "no", "0")

_WORDS = ("설정", "말하는 속도", "테마", "preferences", "speed", "theme")


class SettingState(Protocol):
    """A setting as it is written, and as it acts at present."""

    @property
    def written(self) -> str | int | float | bool:
        """The value in the settings file."""
        ...

    @property
    def in_force(self) -> str | int | float | bool:
        """The value with which Sori works now."""
        ...

    @property
    def acts(self) -> str:
        """When a change acts, such as "from now on"."""
        ...


class SettingsBook(Protocol):
    """Reads and changes settings. Implemented by ``assistant.host.changed_setting.ChangeableSettings``."""

    def states(self) -> Mapping[str, SettingState]:
        """The settings that can be changed, by name; raises ``SettingsError`` for an invalid file."""
        ...

    def change(self, name: str, value: str | int | float | bool) -> None:
        """Change a setting; raises ``SettingsError`` for a value that is not valid."""
        ...


def settings_tools(settings: SettingsBook) -> tuple[Tool, ...]:
    """The tools that tell and change settings."""

    async def get_settings() -> str:
        """Tells Sori's settings that can be changed by a tool, such as the pace of the voice and the theme."""
        return "\n".join(f"{name} = {_state(each)}" for name, each in settings.states().items())

    async def change_setting(name: str, value: str) -> str:
        """Changes one of Sori's settings. The result says when the change acts; tell the user that.

        Args:
            name: name of the setting, as get_settings tells it.
            value: the new value.
        """
        try:
            before = settings.states()
            if name not in before:
                raise ToolError(f"No tool can change {name!r}. Settings: {', '.join(before)}.")
            # The settings belong to this thread, so the small file is written here.
            settings.change(name, _read(value, before[name].written))
            after = settings.states()[name]
        except SettingsError as error:
            raise ToolError(f"{name} was not changed: {error}") from error
        if after == before[name]:
            raise ToolError(f"Nothing was changed: {name} = {_state(after)} already.")
        if after.in_force != after.written:
            return f"{name} = {_state(after)}."
        if after.in_force == before[name].in_force:
            return f"{name} is {_told(after.in_force)} again, as it has been in force."
        return f"{name} was {_told(before[name].in_force)} and is {_told(after.in_force)} {after.acts}."

    return (
        tool_of(get_settings, category=Category.SAFE, idempotent=True, search_words=_WORDS),
        tool_of(change_setting, category=Category.SENSITIVE, idempotent=True, search_words=_WORDS),
    )


def _state(setting: SettingState) -> str:
    """A value, and the one that acts until a restart if that is another."""
    if setting.written == setting.in_force:
        return _told(setting.written)
    return f"{_told(setting.written)} {setting.acts}; until then {_told(setting.in_force)} stays in force"


def _told(value: str | int | float | bool) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value) or '""'


def _read(text: str, before: str | int | float | bool) -> str | int | float | bool:
    """The value in the type of the value before.

    Raises:
        ToolError: the text is no such value.
    """
    plain = text.strip()
    if isinstance(before, bool):
        if plain.casefold() not in (*_TRUE, *_FALSE):
            raise ToolError("The value must be true or false.")
        return plain.casefold() in _TRUE
    if isinstance(before, str):
        return plain
    try:
        return type(before)(plain)
    except ValueError as error:
        raise ToolError("The value must be a number.") from error
