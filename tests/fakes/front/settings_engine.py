"""The real owner of settings, behind a connection that answers at once: for tests of views of settings."""

import asyncio
from pathlib import Path
from typing import Any

from assistant.audio.cards.device_changes import Devices, Present
from assistant.core import updates as up
from assistant.core.errors import SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.service.refusals import refusal_of
from assistant.core.service.request import Request
from assistant.core.texts import Texts
from assistant.engine.settings.desk import SettingsDesk
from assistant.engine.settings.keeper import SettingsKeeper
from assistant.engine.settings.options import SettingOptions
from assistant.host.settings_file import read_settings
from tests.fakes.clock import FakeClock
from tests.fakes.front.asking import ask
from tests.fakes.front.connection import DONE, RecordedConnection

MODELS = (up.ModelOffer(reference="mine/big", provider="mine", model="big"),)
DEVICES: Devices = {
    "input": Present(names=frozenset({"USB Mic", "Built-in"}), default="Built-in"),
    "output": Present(names=frozenset({"Headphones"}), default="Headphones"),
}


class SettingsEngine:
    """Carries out the requests for settings on a file; all others succeed without a result.

    Args:
        config: the settings file.
        texts: the user's words.

    Attributes:
        connection: the connection to it.
        events: what it has told.
        refusals: what is refused instead, by type of request.
    """

    def __init__(self, config: Path, texts: Texts) -> None:
        self.events: list[up.Update] = []
        self.refusals: dict[type[Request[Any]], SoriError] = {}
        self.connection = RecordedConnection(self._answer)
        live = LiveSettings(read_settings(config))
        self._texts = texts
        self.keeper = SettingsKeeper(config, live, texts, self.events.append, clock=FakeClock(), read=read_settings)
        options = SettingOptions(config.parent, live, texts, models, devices)
        self._desk = SettingsDesk(self.keeper, texts, options)

    def look(self) -> None:
        """Read the file, as the engine does once a second."""
        asyncio.run(self.keeper.look())

    def _answer(self, request: Request[Any]) -> Any:
        try:
            if (refused := self.refusals.get(type(request))) is not None:
                raise refused
            return asyncio.run(ask(self._desk, request)) if type(request) in self._desk.handlers() else DONE
        except SoriError as error:
            return refusal_of(error, self._texts)


async def models() -> tuple[up.ModelOffer, ...]:
    return MODELS


async def devices() -> Devices:
    return DEVICES
