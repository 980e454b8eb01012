"""The account of several devices."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from assistant.app.cli.database import opened
from assistant.chat.timers import Timers
from assistant.core.configuration.catalogue import Value
from assistant.core.live_settings import LiveSettings
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.core.updates import Publish
from assistant.engine.domains.sync.account_sync import AccountSync
from assistant.engine.domains.sync.devices import SyncedDevices
from assistant.engine.domains.sync.kept_membership import AccountKeys
from assistant.engine.domains.sync.shared_requests import SharedRequests
from assistant.engine.domains.synced_values import synced_values
from assistant.engine.rooms.basis import languages_from
from assistant.host.clock import SystemClock
from assistant.host.key_file import KeyFile
from assistant.host.places import Places
from assistant.host.settings_edit import change_settings
from assistant.storage.records.egress import EgressStore
from assistant.storage.records.telegram import TelegramRecords
from assistant.storage.sync.flow_offers import FlowOffers
from assistant.storage.timers import TimerStore
from assistant.sync.flow_claims import AccountFlows


@asynccontextmanager
async def sync(places: Places, settings: Settings, texts: Texts, publish: Publish) -> AsyncIterator[SyncedDevices]:
    """Open the database and make the domain. It syncs while the command runs.

    Only the names of projects wait for the engine. They stand in another database.

    Raises:
        StorageError: the database cannot be used.
    """
    clock, live = SystemClock(), LiveSettings(settings)
    async with opened(places, clock, texts) as database:

        async def change(values: dict[str, Value]) -> None:
            await take_settings(values)
            await account.follow(live.current)

        async def take_settings(values: Mapping[str, Value]) -> None:
            live.change(await asyncio.to_thread(change_settings, places.config, values))

        offers = FlowOffers(database)
        flows = AccountFlows(offers)
        account = AccountSync(
            database=database,
            home=places.home,
            ledger=EgressStore(database, clock),
            keys=AccountKeys(KeyFile(places.keys)),
            live=live,
            change=change,
            publish=publish,
            clock=clock,
            sources=synced_values(
                config=places.config,
                take_settings=take_settings,
                telegram=TelegramRecords(database, clock),
                requests=SharedRequests(Timers(TimerStore(database), clock, languages_from(live, texts))),
                offers=offers,
                flows=flows,
                projects=None,
            ),
            flows=flows,
        )
        await account.follow(settings)
        try:
            yield SyncedDevices(account=account, texts=texts)
        finally:
            await account.close()
