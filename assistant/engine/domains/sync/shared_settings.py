"""The settings that all devices of the account have in common. Which they are stands with their declarations."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress

from assistant.core.configuration.catalogue import Setting, Value, single_settings, value_of
from assistant.core.configuration.values import json_value, value_from_json
from assistant.core.errors import SettingsError, StorageError
from assistant.core.settings import Settings
from assistant.sync.comparing import UnfitError
from assistant.sync.values import ValueSource


class SharedSettings(ValueSource):
    """Implements ``ValueSource``. A setting at its default is not there, so it does not hide another device's value.

    Args:
        settings: the settings at the start.
        read: the settings of the file, called on another thread; ``SettingsError`` if it is invalid.
        change: changes settings in the file and uses them; ``None`` for the default.
    """

    sort = "setting"

    def __init__(
        self,
        settings: Settings,
        read: Callable[[], Settings],
        change: Callable[[Mapping[str, Value]], Awaitable[None]],
    ) -> None:
        self._valid, self._read, self._change = settings, read, change

    async def all(self) -> Mapping[str, str]:
        """The settings that the user has chosen, as JSON; of an invalid file those before."""
        with suppress(SettingsError):  # The page of settings tells of it.
            self._valid = await asyncio.to_thread(self._read)
        values = {name: value_of(self._valid, name) for name in _travelling()}
        return {
            name: json.dumps(json_value(value), ensure_ascii=False)
            for name, value in values.items()
            if value != single_settings()[name].default
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
