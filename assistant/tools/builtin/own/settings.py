"""Some of Sori's settings: those that hold no secret and open nothing."""

from collections.abc import Mapping
from typing import Protocol

from assistant.core.errors import SettingsError
from assistant.core.permissions import Category
from assistant.tools.signature import tool_of
from assistant.tools.tool import Tool, ToolError

_TRUE, _FALSE = ("true", "on", "yes", "1"), ("false", "off", "no", "0")

_WORDS = ("설정", "말하는 속도", "테마", "preferences", "speed", "theme")


class SettingsBook(Protocol):
    """Reads and changes settings. Implemented by ``assistant.app.host.changed_setting.ChangeableSettings``."""

    def values(self) -> Mapping[str, str | int | float | bool]:
        """The settings that can be changed, by name."""
        ...

    def change(self, name: str, value: str | int | float | bool) -> None:
        """Change a setting; raises ``SettingsError`` for a value that is not valid."""
        ...


def settings_tools(settings: SettingsBook) -> tuple[Tool, ...]:
    """The tools that tell and change settings."""

    async def get_settings() -> str:
        """Tells Sori's settings that can be changed by a tool, such as the pace of the voice and the theme."""
        return "\n".join(f"{name} = {_told(value)}" for name, value in settings.values().items())

    async def change_setting(name: str, value: str) -> str:
        """Changes one of Sori's settings.

        Args:
            name: name of the setting, as get_settings tells it.
            value: the new value.
        """
        values = settings.values()
        if name not in values:
            raise ToolError(f"No tool can change {name!r}. Settings: {', '.join(values)}.")
        try:
            # The settings belong to this thread, so the small file is written here.
            settings.change(name, _read(value, values[name]))
        except SettingsError as error:
            raise ToolError(f"{name} was not changed: {error}") from error

        return f"{name} is now {_told(settings.values()[name])}."

    return (
        tool_of(get_settings, category=Category.SAFE, idempotent=True, search_words=_WORDS),
        tool_of(change_setting, category=Category.SENSITIVE, idempotent=True, search_words=_WORDS),
    )


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
