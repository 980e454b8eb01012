"""The Telegram bot and its linked chats."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from assistant.agent.workspaces.current import CurrentAgent
from assistant.agent.workspaces.directory import Workspaces
from assistant.app.cli.database import opened
from assistant.app.telegram_line import NoLine
from assistant.core.live_settings import LiveSettings
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.core.updates import Publish
from assistant.engine.domains.telegram.bot_token import BotToken
from assistant.engine.domains.telegram.linking import Telegram
from assistant.engine.domains.telegram.shared_chats import SharedChats
from assistant.host.clock import SystemClock
from assistant.host.key_file import KeyFile
from assistant.host.places import Places
from assistant.host.settings_edit import change_settings
from assistant.storage.conversations import ConversationStore
from assistant.storage.records.egress import EgressStore
from assistant.storage.records.telegram import TelegramRecords
from assistant.storage.sync.text_bases import TextKind
from assistant.sync.comparing import TextComparison
from assistant.sync.values import SharedValues


@asynccontextmanager
async def telegram(places: Places, settings: Settings, texts: Texts, publish: Publish) -> AsyncIterator[Telegram]:
    """Open the database and make the domain. Messages are answered by an engine only.

    Raises:
        StorageError: the database cannot be used.
    """
    clock, live = SystemClock(), LiveSettings(settings)
    current = CurrentAgent(places.current_agent)

    async def switch(on: bool) -> None:
        await asyncio.to_thread(change_settings, places.config, {"telegram.enabled": on})

    async with opened(places, clock, texts) as database:
        records = TelegramRecords(database, clock)
        shared = SharedValues([SharedChats(records)])

        async def catch_up() -> None:
            # What came while this device had no bot was kept aside.
            await TextComparison(TextKind.VALUE, shared, database, clock).take_held()

        domain = Telegram(
            store=records,
            carried=lambda: records,
            catch_up=catch_up,
            ledger=EgressStore(database, clock),
            token=BotToken(KeyFile(places.keys)),
            line=NoLine(),
            live=live,
            switch=switch,
            workspaces=Workspaces(places.workspaces, clock, lambda: live.current.memory.max_size),
            current=current,
            conversations=await ConversationStore.open(database, clock, current_agent=current.get),
            texts=texts,
            publish=publish,
            clock=clock,
        )
        await domain.follow(settings)
        yield domain
