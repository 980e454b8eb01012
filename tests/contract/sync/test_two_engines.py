"""Two whole engines on one PostgreSQL: what is set and made in one is used by the other while both run."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import psycopg
import pytest

from assistant.core import updates as up
from assistant.core.live_settings import LiveSettings
from assistant.core.records.egress import Egress
from assistant.core.records.people import Person
from assistant.core.records.sync import SyncStanding
from assistant.core.service.connection import Connection
from assistant.core.service.events import Delivery
from assistant.core.service.requests import settings as rq
from assistant.core.service.requests.people import AddPerson, ListPeople
from assistant.core.service.requests.projects import AddProject, ListProjects
from assistant.core.service.requests.records import ListEgress
from assistant.core.service.requests.sync.account import PauseSync, ReadSync, SetUpSync
from assistant.engine.engine import Engine
from assistant.engine.serving.hub import Hub
from assistant.host.settings_edit import change_settings
from assistant.host.settings_file import read_settings
from assistant.host.texts import load_texts
from tests.contract.postgres import database_of
from tests.contract.sync.computer import SETTINGS

WORDS = "서로 상관없는 네 낱말입니다"
NUMBERS = itertools.count()
LIMIT_S = 60.0


class Computer:
    """An engine and a client of it."""

    def __init__(self, hub: Hub) -> None:
        self._loop, self._news = asyncio.get_running_loop(), asyncio.Event()
        self._events: list[up.Update] = []
        self.connection: Connection = hub.connect(self._take, name="test")

    def _take(self, delivery: Delivery) -> None:
        self._loop.call_soon_threadsafe(self._keep, delivery.event)

    def _keep(self, event: up.Update) -> None:
        self._events.append(event)
        self._news.set()

    async def until(self, wanted: Callable[[up.Update], bool]) -> None:
        async with asyncio.timeout(LIMIT_S):
            while not any(map(wanted, self._events)):
                self._news.clear()
                await self._news.wait()

    async def until_set(self, name: str) -> None:
        await self.until(lambda each: isinstance(each, up.SettingsChanged) and name in each.names)

    async def until_alike(self) -> None:
        await self._until_true(self._alike)

    async def until_known(self, *names: str) -> None:
        """Wait until these people, and no others, are known."""

        async def known() -> bool:
            return {each.name for each in await self.connection.result(ListPeople())} == set(names)

        await self._until_true(known)

    async def _alike(self) -> bool:
        return (await self.connection.result(ReadSync())).state.standing is SyncStanding.ALIKE

    async def _until_true(self, reached: Callable[[], Awaitable[bool]]) -> None:
        """Look again after each event."""
        async with asyncio.timeout(LIMIT_S):
            self._news.clear()
            while not await reached():
                await self._news.wait()
                self._news.clear()

    async def join(self, address: str, name: str) -> None:
        await self.connection.result(SetUpSync(address=address, passphrase=WORDS, device=name, in_file=True))


def new_home(home: Path) -> Path:
    home.mkdir()
    (home / "config.toml").write_text(SETTINGS, encoding="utf-8")
    return home


@asynccontextmanager
async def computer(home: Path) -> AsyncIterator[Computer]:
    settings = read_settings(home / "config.toml")
    texts = load_texts("ko")
    hub = Hub(texts)
    engine = Engine(home, LiveSettings(settings), texts, hub, hears=False)
    made = Computer(hub)
    running = asyncio.create_task(engine.run())
    try:
        yield made
    finally:
        engine.end()
        await running


@pytest.fixture
def address(postgres: str) -> str:
    name = f"engines{next(NUMBERS)}"
    with psycopg.connect(postgres, autocommit=True) as owner:
        owner.execute(f"CREATE DATABASE {name}")
    return database_of(postgres, name)


@pytest.mark.long
@pytest.mark.timeout(180)
async def test_settings_and_projects_of_one_engine_are_those_of_the_other(tmp_path: Path, address: str) -> None:
    async with AsyncExitStack() as stack:
        laptop, desktop = [
            await stack.enter_async_context(computer(new_home(tmp_path / each))) for each in ("one", "two")
        ]
        await laptop.join(address, "laptop")
        await desktop.join(address, "desktop")
        await laptop.connection.result(rq.SetSetting(name="desktop.theme", value="dark"))
        await laptop.connection.result(rq.SetSetting(name="llm.routing", value="off"))
        made = await laptop.connection.result(AddProject(name="휴가"))
        await desktop.until(lambda each: isinstance(each, up.ProjectsChanged))
        there = await desktop.connection.result(ListProjects())
        assert [(each.id, each.name) for each in there] == [(made.id, "휴가")]
        await desktop.until_set("desktop.theme")
        assert (await desktop.connection.result(rq.GetSetting(name="desktop.theme"))).in_force == "dark"
        assert (await desktop.connection.result(rq.GetSetting(name="llm.routing"))).value == "auto"


async def sent_to_the_server(computer: Computer) -> list[Egress]:
    ledger = await computer.connection.result(ListEgress(local=True))
    return [each for each in ledger if each.destination.startswith("postgresql")]


@pytest.mark.long
@pytest.mark.timeout(180)
async def test_an_engine_that_starts_paused_sends_nothing_until_it_goes_on(tmp_path: Path, address: str) -> None:
    home = new_home(tmp_path / "one")
    async with computer(home) as laptop:
        await laptop.join(address, "laptop")
        await laptop.until_alike()
    change_settings(home / "config.toml", {"sync.paused": True})
    async with computer(new_home(tmp_path / "two")) as desktop, computer(home) as laptop:
        await desktop.join(address, "desktop")
        before = await sent_to_the_server(laptop)
        await laptop.connection.result(AddPerson(kept=Person(name="김하나")))
        await desktop.connection.result(AddPerson(kept=Person(name="이두리")))
        await desktop.until_alike()
        assert await sent_to_the_server(laptop) == before
        state = (await laptop.connection.result(ReadSync())).state
        assert (state.standing, state.waiting) == (SyncStanding.PAUSED, 1)
        await laptop.connection.result(PauseSync(paused=False))
        for each in (laptop, desktop):
            await each.until_known("김하나", "이두리")
