"""The door is killed at every step of its work: each message has its effect once, in order (G-04)."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from assistant.core.messages import Message, Role
from assistant.core.settings import TelegramSettings
from assistant.core.telegram.codes import LinkCode, digest_of
from assistant.core.telegram.records import TelegramChat, TelegramStanding, TelegramUpdate
from assistant.core.telegram.store import TelegramStore
from assistant.host.clock import SystemClock
from assistant.remote.telegram.door import TelegramDoor
from assistant.storage.database import Database
from assistant.storage.records.egress import EgressStore
from assistant.storage.records.telegram import TelegramRecords
from assistant.sync.store import SyncStore
from tests.e2e.conversation.running_engine import TEXTS
from tests.fakes.new_database import open_database
from tests.fakes.telegram_server.engine import SmallEngine
from tests.fakes.telegram_server.server import LIMIT_S, TOKEN, Call, Fault, TelegramServer, telegram_server

pytestmark = pytest.mark.long

CHAT, CODE = 77, "7K3M9QXA"


class KilledError(BaseException):
    """The process ends here."""


class Life:
    """One life of the program, which ends at a step.

    Args:
        steps: the step at which it ends; 0 for never.
        after: whether the step still has its effect.
    """

    def __init__(self, steps: int, *, after: bool) -> None:
        self.left, self.after = steps, after
        self.over = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    @property
    def dead(self) -> bool:
        return self.over.is_set()

    def step(self) -> bool:
        """Count a step; returns whether the life ends with it."""
        self.left -= 1
        return self.left == 0

    def end(self) -> None:
        self.over.set()
        raise KilledError

    def take(self) -> None:
        """A step of the engine."""
        if self.dead or self.step():
            self.end()

    def fault(self, _: Call) -> Fault | None:
        """A call of the bot, on a thread of the server."""
        if self.dead:
            return Fault(cut="before")
        if not self.step():
            return None
        self._loop.call_soon_threadsafe(self.over.set)
        return Fault(cut="after" if self.after else "before")


class MortalStore:
    """A store, of Telegram or of the account, whose calls are steps of a life."""

    def __init__(self, store: TelegramStore | SyncStore, life: Life) -> None:
        self._store, self._life = store, life

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._store, name)

        async def called(*given: Any, **named: Any) -> Any:
            if self._life.dead:
                raise KilledError
            ends = self._life.step()
            if ends and not self._life.after:
                self._life.end()
            result = await method(*given, **named)
            if ends:
                self._life.end()
            return result

        return called


class Silent:
    """Implements ``TelegramNews``."""

    def stands(self, standing: TelegramStanding) -> None: ...
    def linked(self, chat: TelegramChat) -> None: ...


@asynccontextmanager
async def linked(folder: Path) -> AsyncIterator[tuple[Database, TelegramRecords]]:
    clock = SystemClock()
    database = await open_database(folder / "sori.db", clock)
    records = TelegramRecords(database, clock)
    code = LinkCode(digest=digest_of(CODE), workspace="", agent="", until=clock.now() + timedelta(minutes=1))
    await records.keep_code(code)
    await records.link(
        TelegramUpdate(update_id=0, chat=CHAT, content="", sent_at=clock.now()), CODE, name="", now=clock.now()
    )
    yield database, records
    await database.close()


async def live(
    life: Life, database: Database, records: TelegramRecords, disk: list[Message], api: str, wanted: int
) -> None:
    """Run the door until its life ends, or nothing is left to do."""
    engine = SmallEngine(disk, step=life.take)
    clock = SystemClock()
    store: Any = MortalStore(records, life)
    door = TelegramDoor(engine, store, EgressStore(database, clock), TEXTS, Silent(), clock, api=api)
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda *_: None)
    serving = loop.create_task(door.serve(TOKEN, TelegramSettings, asyncio.Queue()))
    limit = loop.time() + LIMIT_S
    while not life.dead and not serving.done():
        assert loop.time() < limit, "the door does not end its work"
        if len([each for each in disk if each.role is Role.USER]) == wanted and not await records.open_updates():
            break
        await asyncio.sleep(0.005)
    life.over.set()
    serving.cancel()
    with suppress(asyncio.CancelledError, KilledError):
        await serving


def effects(telegram: TelegramServer) -> list[str]:
    """What the chat shows, without the ellipses that a kill left."""
    return [text for text in telegram.texts(CHAT) if text != "…"]


def say(telegram: TelegramServer, count: int) -> list[str]:
    for number in range(count):
        telegram.say(CHAT, f"말 {number}")
    return [f"답: 말 {number}" for number in range(count)]


@pytest.mark.parametrize("step", range(1, 22))
async def test_a_kill_at_any_step_leaves_one_answer(tmp_path: Path, step: int) -> None:
    after = step % 2 == 0  # Whether the step has its effect; the kills of the next test try both.
    with telegram_server() as (telegram, api):
        disk: list[Message] = []
        wanted = say(telegram, 1)
        async with linked(tmp_path) as (database, records):
            for steps in (step, 0):
                life = Life(steps, after=after)
                telegram.fault = life.fault
                await live(life, database, records, disk, api, 1)
        assert effects(telegram) == wanted
        assert [each.text for each in disk if each.role is Role.USER] == ["말 0"]


@pytest.mark.parametrize("seed", range(4))
async def test_many_kills_among_mixed_updates_leave_each_answer_once_and_in_order(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    with telegram_server() as (telegram, api):
        disk: list[Message] = []
        telegram.mixed = lambda found: chance.sample([*found, *found], k=2 * len(found))
        wanted = say(telegram, 5)
        async with linked(tmp_path) as (database, records):
            for steps in (*(chance.randrange(1, 25) for _ in range(8)), 0):
                life = Life(steps, after=chance.random() < 0.5)
                telegram.fault = life.fault
                await live(life, database, records, disk, api, 5)
        interrupted = TEXTS("telegram.chat.interrupted")
        assert all(found in (answer, interrupted) for found, answer in zip(effects(telegram), wanted, strict=True))
        assert [each.text for each in disk if each.role is Role.USER] == [f"말 {number}" for number in range(5)]


async def test_what_another_device_has_begun_to_answer_is_not_answered_a_second_time(tmp_path: Path) -> None:
    with telegram_server() as (telegram, api):
        clock, disk = SystemClock(), list[Message]()
        telegram.say(CHAT, "말 0")
        async with linked(tmp_path) as (database, records):
            engine = SmallEngine(disk)
            engine.elsewhere = range(10**12)
            door = TelegramDoor(engine, records, EgressStore(database, clock), TEXTS, Silent(), clock, api=api)
            serving = asyncio.create_task(door.serve(TOKEN, TelegramSettings, asyncio.Queue()))
            limit = asyncio.get_running_loop().time() + LIMIT_S
            while TEXTS("telegram.chat.interrupted") not in telegram.texts(CHAT):
                assert asyncio.get_running_loop().time() < limit, "the chat is told nothing"
                await asyncio.sleep(0.005)
            serving.cancel()
            with suppress(asyncio.CancelledError):
                await serving
        assert disk == []
