"""The settings that tools may read and change."""

from collections.abc import Mapping
from dataclasses import dataclass

from assistant.core.configuration.catalogue import Value, single_settings
from assistant.core.errors import SettingsError
from assistant.core.setting_declaration import Acts
from assistant.core.texts import Texts
from assistant.engine.settings.keeper import SettingsKeeper
from assistant.host.settings_file import settings_trouble
from assistant.tools.tool import ToolError

_ACTS = {Acts.NOW: "from now on", Acts.NEXT: "from the next answer on", Acts.RESTART: "after a restart of Sori"}
"""When a change acts, in words for a model."""
_WAITS = "as soon as nobody talks"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSetting:
    """Implements ``SettingState`` of ``tools/builtin/own/settings.py``."""

    written: Value
    in_force: Value
    acts: str
    trouble: str


class ToolSettings:
    """Implements ``SettingsBook`` of ``tools/builtin/own/settings.py``: the settings that are declared for tools.

    Args:
        keeper: changes them.
        texts: the user's words.
    """

    def __init__(self, keeper: SettingsKeeper, texts: Texts) -> None:
        self._keeper, self._texts = keeper, texts

    async def states(self) -> Mapping[str, ToolSetting]:
        """The settings by name: in the file, and in force."""
        await self._keeper.look()
        found = {}
        for name, setting in single_settings().items():
            if setting.declared.tool:
                written, in_force = self._keeper.written(setting), self._keeper.in_force(setting)
                waits = written != in_force and setting.declared.acts is not Acts.RESTART
                acts = _WAITS if waits else _ACTS[setting.declared.acts]
                trouble = self._keeper.trouble(setting)
                found[name] = ToolSetting(written=written, in_force=in_force, acts=acts, trouble=trouble)
        return found

    async def change(self, name: str, words: str) -> None:
        """Change a setting that is declared for tools.

        Raises:
            KeyError: no tool may change it.
            ToolError: the value is not possible, or the file is not valid; it stays as it is.
            StorageError: the file cannot be read or written.
        """
        if not (name in single_settings() and single_settings()[name].declared.tool):
            raise KeyError(name)
        try:
            await self._keeper.change(name, (words,))
        except SettingsError as error:
            problem, remedy = settings_trouble(error, self._texts)
            raise ToolError("tool_reason.setting_refused", name=name, problem=problem, remedy=remedy) from error
