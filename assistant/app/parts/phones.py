"""The user's phones, where no engine runs: nothing is open, but phones can be listed, granted more and signed out."""

import asyncio

from assistant.core.live_settings import LiveSettings
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.core.updates import Publish
from assistant.engine.domains.phone.phones import Phones
from assistant.host.clock import SystemClock
from assistant.host.places import Places
from assistant.host.settings_edit import change_settings
from assistant.host.settings_file import read_settings
from assistant.host.tokens import TokenFile


def phones(places: Places, settings: Settings, texts: Texts, publish: Publish) -> Phones:
    """Make the domain."""
    clock, live = SystemClock(), LiveSettings(settings)

    async def switch(on: bool) -> None:
        await asyncio.to_thread(change_settings, places.config, {"phone.enabled": on})
        live.change(await asyncio.to_thread(read_settings, places.config))

    return Phones(
        tokens=TokenFile(places.phones, clock),
        line=None,
        turns=None,
        live=live,
        switch=switch,
        texts=texts,
        publish=publish,
        clock=clock,
    )
