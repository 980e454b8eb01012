"""Some of Sori's settings: those that are declared for tools, because they hold no secret and open nothing."""

from collections.abc import Mapping
from typing import Protocol

from assistant.core.permissions import Category
from assistant.tools.signature import tool_of
from assistant.tools.tool import Tool, ToolError

_WORDS = ("설정", "말하는 속도", "테마", "preferences", "speed", "theme")


class SettingState(Protocol):
    """A setting as it is written, and as it acts at present."""

    @property
    def written(self) -> object:
        """The value in the settings file."""
        ...

    @property
    def in_force(self) -> object:
        """The value with which Sori works now."""
        ...

    @property
    def acts(self) -> str:
        """When a change acts, such as "from now on"."""
        ...

    @property
    def trouble(self) -> str:
        """Why the value in the file cannot be in force; empty if it is, or will be."""
        ...


class SettingsBook(Protocol):
    """Reads and changes settings. Implemented by ``assistant.engine.settings.tool_book.ToolSettings``."""

    async def states(self) -> Mapping[str, SettingState]:
        """The settings that can be changed, by name."""
        ...

    async def change(self, name: str, words: str) -> None:
        """Change a setting; raises ``ToolError`` for a value that is not valid, or for an invalid file."""
        ...


def settings_tools(settings: SettingsBook) -> tuple[Tool, ...]:
    """The tools that tell and change settings."""

    async def get_settings() -> str:
        """Tells Sori's settings that can be changed by a tool, such as the pace of the voice and the theme."""
        return "\n".join(f"{name} = {_state(each)}" for name, each in (await settings.states()).items())

    async def change_setting(name: str, value: str) -> str:
        """Changes one of Sori's settings. The result says when the change acts; tell the user that.

        Args:
            name: name of the setting, as get_settings tells it.
            value: the new value.
        """
        before = await settings.states()
        if name not in before:
            raise ToolError("tool_reason.setting_unknown", name=name, known=", ".join(before))
        await settings.change(name, value)
        return _changed(name, before[name], (await settings.states())[name])

    return (
        tool_of(get_settings, category=Category.SAFE, idempotent=True, search_words=_WORDS),
        tool_of(change_setting, category=Category.SENSITIVE, idempotent=True, search_words=_WORDS),
    )


def _changed(name: str, before: SettingState, after: SettingState) -> str:
    """What a change has done.

    Raises:
        ToolError: it has changed nothing, or its value cannot be in force.
    """
    if after.trouble:
        raise ToolError(
            "tool_reason.setting_waits",
            name=name,
            written=_told(after.written),
            in_force=_told(after.in_force),
            trouble=after.trouble,
        )
    if (after.written, after.in_force) == (before.written, before.in_force):
        raise ToolError("tool_reason.setting_same", name=name, value=_told(after.written))
    if after.in_force != after.written:
        return f"{name} = {_state(after)}."
    if after.in_force == before.in_force:
        return f"{name} is {_told(after.in_force)} again, as it has been in force."
    return f"{name} was {_told(before.in_force)} and is {_told(after.in_force)} {after.acts}."


def _state(setting: SettingState) -> str:
    """A value, and the one that is in force if that is another."""
    if setting.written == setting.in_force:
        return _told(setting.written)
    if setting.trouble:
        told = f"{_told(setting.in_force)} stays in force, because {setting.trouble}"
        return f"{_told(setting.written)} in the file; but {told}"
    return f"{_told(setting.written)} {setting.acts}; until then {_told(setting.in_force)} stays in force"


def _told(value: object) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value) or '""'
