"""A device with its settings, its keys and the domain of the account."""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from assistant.core import updates as up
from assistant.core.configuration.catalogue import Value
from assistant.core.live_settings import LiveSettings
from assistant.core.records.sync import SyncStanding
from assistant.core.service.requests.sync import account as rq
from assistant.engine.domains.sync.account_sync import AccountSync
from assistant.engine.domains.sync.devices import SyncedDevices
from assistant.engine.domains.sync.kept_membership import AccountKeys
from assistant.engine.domains.sync.shared_settings import SharedSettings
from assistant.host.clock import SystemClock
from assistant.host.key_file import KeyFile
from assistant.host.settings_edit import change_settings
from assistant.host.settings_file import written_settings
from assistant.host.texts import load_texts
from assistant.storage.conversations import ConversationStore
from assistant.storage.sync.flow_offers import FlowOffers
from assistant.sync.flow_claims import AccountFlows
from assistant.sync.shared_flows import SharedFlows
from tests.fakes.ledger import MemoryLedger
from tests.fakes.new_database import open_database

WORDS = "서로 상관없는 네 낱말입니다"
SETTINGS = """
language = "ko"
[llm]
provider = "mine"
model = "some-model"
[[providers]]
name = "mine"
kind = "openai"
base_url = "http://127.0.0.1:9/v1"
"""
"""With a model of another program, so that an engine fetches none."""


class Computer:
    """A device with its settings file, its keys and the domain."""

    def __init__(self, home: Path, name: str) -> None:
        self.home, self.name = home / name, name
        self.events: list[up.Update] = []
        self.arrived: list[frozenset[str]] = []
        self.ledger = MemoryLedger()
        self._clock = SystemClock()
        self._told = asyncio.Event()

    async def start(self) -> None:
        self.home.mkdir(parents=True, exist_ok=True)
        database = await open_database(self.home / "sori.db", self._clock)
        self.conversations = await ConversationStore.open(database, self._clock)
        live = LiveSettings(change_settings(self.home / "config.toml", {}))

        async def change(values: dict[str, Value]) -> None:
            live.change(change_settings(self.home / "config.toml", values))
            await self.account.follow(live.current)

        async def take_settings(values: Mapping[str, Value]) -> None:
            live.change(change_settings(config, values))

        config = self.home / "config.toml"
        offers = FlowOffers(database)
        flows = AccountFlows(offers)
        self.account = AccountSync(
            database=database,
            home=self.home,
            ledger=self.ledger,
            keys=AccountKeys(KeyFile(self.home / "keys.json")),
            live=live,
            change=change,
            publish=self._tell,
            clock=self._clock,
            flows=flows,
            sources=(
                SharedSettings(partial(written_settings, config), take_settings),
                SharedFlows(offers, lambda: flows.device),
            ),
        )
        self.domain = SyncedDevices(account=self.account, texts=load_texts("ko"))
        self.live = live
        self.account.arrived.add(self._note)
        await self.account.follow(live.current)

    async def stop(self) -> None:
        await self.account.close()
        await self.account.database.close()

    async def set_up(self, address: str, words: str = WORDS, *, new: bool = False) -> rq.SyncView:
        request = rq.SetUpSync(address=address, passphrase=words, device=self.name, new=new, in_file=True)
        return await self.domain._set_up(request)

    async def view(self) -> rq.SyncView:
        return await self.domain._read(rq.ReadSync())

    async def until(self, reached: Callable[[rq.SyncView], bool]) -> rq.SyncView:
        while True:
            self._told.clear()
            if reached(view := await self.view()):
                return view
            await self._told.wait()

    async def alike(self) -> rq.SyncView:
        return await self.until(lambda view: view.state.standing is SyncStanding.ALIKE)

    async def leads_telegram(self) -> None:
        """Compete for Telegram, and wait until this device may answer it."""
        await self.account.telegram.want(True)
        await self.until(lambda _: self.account.telegram.may)

    async def came(self, table: str) -> None:
        """Wait until something has come that nobody has waited for."""
        while not any(table in each for each in self.arrived):
            self._told.clear()
            await self._told.wait()

    def _note(self, tables: frozenset[str]) -> None:
        self.arrived.append(tables)
        self._told.set()

    def _tell(self, update: up.Update) -> None:
        self.events.append(update)
        self._told.set()
