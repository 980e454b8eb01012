"""The account of several devices."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from assistant.app.cli.database import opened
from assistant.core.configuration.catalogue import Value
from assistant.core.live_settings import LiveSettings
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.core.updates import Publish
from assistant.engine.domains.sync.devices import SyncedDevices
from assistant.engine.domains.sync.kept_membership import AccountKeys
from assistant.host.clock import SystemClock
from assistant.host.key_file import KeyFile
from assistant.host.places import Places
from assistant.host.settings_edit import change_settings
from assistant.storage.records.egress import EgressStore


@asynccontextmanager
async def sync(places: Places, settings: Settings, texts: Texts, publish: Publish) -> AsyncIterator[SyncedDevices]:
    """Open the database and make the domain. It syncs while the command runs.

    Raises:
        StorageError: the database cannot be used.
    """
    clock, live = SystemClock(), LiveSettings(settings)
    async with opened(places, clock, texts) as database:

        async def change(values: dict[str, Value]) -> None:
            live.change(await asyncio.to_thread(change_settings, places.config, values))
            await domain.follow(live.current)

        domain = SyncedDevices(
            database=database,
            home=places.home,
            ledger=EgressStore(database, clock),
            keys=AccountKeys(KeyFile(places.keys)),
            live=live,
            change=change,
            texts=texts,
            publish=publish,
            clock=clock,
        )
        await domain.follow(settings)
        try:
            yield domain
        finally:
            await domain.close()
