"""The settings that all devices of the account have in common. Which they are stands with their declarations."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping

from assistant.core.configuration.catalogue import Setting, Value, single_settings
from assistant.core.configuration.values import json_value, value_from_json
from assistant.core.errors import SettingsError, StorageError
from assistant.sync.comparing import UnfitError
from assistant.sync.values import ValueSource


class SharedSettings(ValueSource):
    """Implements ``ValueSource``. A setting that the user has not chosen is not there.

    The default of one may depend on the machine, as that of the language does.

    Args:
        read: the settings that stand in the file, by name; ``SettingsError`` if it is invalid. Called on another
            thread.
        change: changes settings in the file and uses them; ``None`` takes a setting out of it.
    """

    sort, gives_way = "setting", True

    def __init__(
        self, read: Callable[[], Mapping[str, Value]], change: Callable[[Mapping[str, Value]], Awaitable[None]]
    ) -> None:
        self._valid: Mapping[str, Value] | None = None
        self._read, self._change = read, change

    async def all(self) -> Mapping[str, str]:
        """The settings that the user has chosen, as JSON; of an invalid file those before.

        Raises:
            StorageError: the file was invalid from the start.
        """
        try:
            self._valid = await asyncio.to_thread(self._read)
        except SettingsError as error:  # The page of settings tells of it.
            if self._valid is None:
                raise StorageError("config.toml", str(error), cause=error) from error
        shared = _travelling()
        return {
            name: json.dumps(json_value(value), ensure_ascii=False)
            for name, value in self._valid.items()
            if name in shared
        }

    async def put(self, name: str, text: str, *, before: str) -> bool:
        """Use another device's value.

        Raises:
            UnfitError: this Sori does not know the setting, does not take it from afar, or cannot have this value.
        """
        setting = _travelling().get(name)
        if setting is None:
            raise UnfitError(name)
        if (await self.all()).get(name, "") != before:
            return False
        try:
            await self._change({name: value_from_json(setting, json.loads(text)) if text else None})
        except (SettingsError, StorageError, ValueError) as error:
            raise UnfitError(name) from error
        return True

    def stays(self, ours: str, theirs: str, *, first: bool) -> str:
        """A device that joins takes over the account's settings."""
        return theirs if first else ours


def _travelling() -> dict[str, Setting]:
    return {name: each for name, each in single_settings().items() if each.declared.travels}
