"""Two devices of an account answer by turns, and each is killed at every step: nothing is lost, nothing done twice."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from assistant.core.errors import StorageError
from assistant.core.messages import Message, Role
from assistant.core.settings import TelegramSettings
from assistant.core.telegram.codes import LinkCode, digest_of
from assistant.core.telegram.records import TelegramBot, TelegramState, TelegramUpdate
from assistant.engine.domains.telegram.carried_updates import CarriedUpdates
from assistant.engine.domains.telegram.shared_chats import SharedChats
from assistant.engine.domains.telegram.shared_updates import SharedUpdates
from assistant.host.clock import SystemClock
from assistant.remote.telegram.door import TelegramDoor
from assistant.storage.records.egress import EgressStore
from assistant.storage.records.telegram import TelegramRecords
from tests.e2e.conversation.running_engine import TEXTS
from tests.fakes.sync.account import Home, MemoryAccount
from tests.fakes.telegram_server.engine import SmallEngine
from tests.fakes.telegram_server.server import BOT, LIMIT_S, TOKEN, Call, Fault, TelegramServer, telegram_server
from tests.unit.remote.telegram.test_crashes import (
    CHAT,
    CODE,
    KilledError,
    Life,
    MortalStore,
    effects,
    say,
)
from tests.unit.remote.telegram.test_resuming import Standings

pytestmark = pytest.mark.long

INTERRUPTED = TEXTS("telegram.chat.interrupted")


class NotingAccount(MemoryAccount):
    """An account that notes effects, whose devices are led one after another."""

    def __init__(self) -> None:
        super().__init__()
        self.effects: set[int] = set()

    async def note(self, update: int) -> bool:
        new = update not in self.effects
        self.effects.add(update)
        return new


class UntilConfirmed(Life):
    """A life in which nothing can be sent, and which ends when Telegram was told that the updates have arrived."""

    def fault(self, call: Call) -> Fault | None:
        if self.dead or call.method != "getUpdates":
            return Fault(cut="before")
        if not call.params.get("offset"):
            return None
        self._loop.call_soon_threadsafe(self.over.set)
        return Fault(cut="after")


@dataclass
class Device:
    """A device of the account. What is on its disk outlives it."""

    home: Home
    records: TelegramRecords
    disk: list[Message] = field(default_factory=list)
    sharing: set[asyncio.Future[None]] = field(default_factory=set)
    news: Standings = field(default_factory=Standings)

    @classmethod
    async def open(cls, folder: Path, account: MemoryAccount) -> "Device":
        home = await Home.open(folder, account)
        records = TelegramRecords(home.database, SystemClock())
        await records.keep_bot(TelegramBot(bot=int(str(BOT["id"])), username="b", name="b"))
        home.sources = [SharedChats(records), SharedUpdates(records)]
        return cls(home, records)

    async def link(self) -> None:
        now = SystemClock().now()
        code = LinkCode(digest=digest_of(CODE), workspace="", agent="", until=now + timedelta(minutes=1))
        await self.records.keep_code(code)
        await self.records.link(TelegramUpdate(update_id=0, chat=CHAT, content="", sent_at=now), CODE, name="", now=now)

    async def share(self) -> None:
        await self.home.sync()

    def hasten(self) -> None:
        """Share beside what runs, as the engine does."""
        self.sharing.add(asyncio.ensure_future(self._share_quietly()))

    async def _share_quietly(self) -> None:
        with suppress(KilledError, StorageError):
            await self.share()

    async def live(self, life: Life, account: NotingAccount, telegram: TelegramServer, api: str) -> None:
        """Lead until the life ends, or nothing is left to do."""
        telegram.fault = life.fault
        clock, loop = SystemClock(), asyncio.get_running_loop()
        loop.set_exception_handler(lambda *_: None)
        mortal: Any = MortalStore(account, life)
        try:
            await self.home.join(mortal)
        except KilledError:
            return
        engine = SmallEngine(self.disk, step=life.take)
        engine.claim = mortal.note
        store: Any = MortalStore(CarriedUpdates(self.home.database, clock, self, loop), life)
        door = TelegramDoor(engine, store, EgressStore(self.home.database, clock), TEXTS, self.news, clock, api=api)
        serving = loop.create_task(door.serve(TOKEN, TelegramSettings, asyncio.Queue()))
        limit = loop.time() + LIMIT_S
        self.news.states.clear()
        while not life.dead and not serving.done():
            assert loop.time() < limit, "the door does not end its work"
            # Before it asks for the first time it takes up what waits. A former life's question may come late.
            asked = TelegramState.RUNNING in self.news.states
            if asked and telegram.waiting == 0 and not await self.records.open_updates():
                with suppress(KilledError):
                    await self.share()
                break
            await asyncio.sleep(0.005)
        life.over.set()
        serving.cancel()
        with suppress(asyncio.CancelledError, KilledError):
            await serving
        for each in self.sharing:
            await each
        self.sharing.clear()


@asynccontextmanager
async def devices(folder: Path) -> AsyncIterator[tuple[NotingAccount, Device, Device]]:
    account = NotingAccount()
    both = [await Device.open(folder / name, account) for name in ("here", "there")]
    await both[0].link()
    for each in both:
        await each.home.join(account)
        await each.share()
    yield account, both[0], both[1]
    for each in both:
        await each.home.database.close()


def assert_each_once(telegram: TelegramServer, wanted: list[str], *disks: list[Message]) -> None:
    """Each message has one answer, or the words for one that was cut off, in order; a kill right after an answer has
    both."""
    told = effects(telegram)
    answers = [each for each in told if each != INTERRUPTED]
    assert answers == sorted(set(answers), key=wanted.index), told
    cut_off, waiting = 0, iter(wanted)
    for text in [*told, ""]:
        if text == INTERRUPTED:
            cut_off += 1
            continue
        missing = 0
        for each in waiting:
            if each == text:
                break
            missing += 1
        assert cut_off >= missing, told
        cut_off = 0
    heard = [each.text for disk in disks for each in disk if each.role is Role.USER]
    assert len(heard) == len(set(heard))


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("step", range(1, 35))
async def test_a_leader_that_is_killed_at_any_step_loses_nothing_and_the_next_one_does_nothing_twice(
    tmp_path: Path, step: int, after: bool
) -> None:
    with telegram_server() as (telegram, api):
        wanted = say(telegram, 1)
        async with devices(tmp_path) as (account, first, second):
            await first.live(Life(step, after=after), account, telegram, api)
            await second.live(Life(0, after=False), account, telegram, api)
            told = telegram.texts(CHAT)
            assert_each_once(telegram, wanted, first.disk, second.disk)
            await first.live(Life(0, after=False), account, telegram, api)
            assert telegram.texts(CHAT) == told
            assert await first.records.open_updates() == ()


@pytest.mark.parametrize("seed", range(8))
async def test_many_kills_of_two_devices_among_mixed_updates_leave_each_answer_once_and_in_order(
    tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    with telegram_server() as (telegram, api):
        telegram.mixed = lambda found: chance.sample([*found, *found], k=2 * len(found))
        wanted = say(telegram, 5)
        async with devices(tmp_path) as (account, *both):
            for _ in range(10):
                life = Life(chance.randrange(1, 35), after=chance.random() < 0.5)
                await chance.choice(both).live(life, account, telegram, api)
            for each in (both[0], both[1], both[0]):
                await each.live(Life(0, after=False), account, telegram, api)
            assert_each_once(telegram, wanted, both[0].disk, both[1].disk)
            ((_, text),) = (await SharedUpdates(both[0].records).all()).items()
            assert '"open": []' in text


async def test_what_a_killed_leader_had_confirmed_is_answered_by_the_next_one(tmp_path: Path) -> None:
    with telegram_server() as (telegram, api):
        wanted = say(telegram, 3)
        async with devices(tmp_path) as (account, first, second):
            await first.live(UntilConfirmed(0, after=True), account, telegram, api)
            assert telegram.until(lambda: telegram.waiting == 0)
            assert len(await first.records.open_updates()) == 3
            await second.live(Life(0, after=False), account, telegram, api)
            assert effects(telegram)[1:] == wanted[1:]
            assert effects(telegram)[0] in (wanted[0], INTERRUPTED)
            await first.live(Life(0, after=False), account, telegram, api)
            assert len(effects(telegram)) == 3
            assert await first.records.open_updates() == ()


async def test_a_leader_that_cannot_reach_the_account_confirms_nothing(tmp_path: Path) -> None:
    with telegram_server() as (telegram, api):
        async with devices(tmp_path) as (account, first, second):
            account.failing = ["before"] * 1000
            wanted = say(telegram, 2)
            life = Life(0, after=False)
            leading = asyncio.create_task(first.live(life, account, telegram, api))
            while TelegramState.ELSEWHERE not in first.news.states:  # noqa: ASYNC110 - nothing tells of it
                await asyncio.sleep(0.005)
            await asyncio.sleep(1.5)
            assert (telegram.waiting, effects(telegram)) == (2, [])
            assert first.news.states[-1] is TelegramState.ELSEWHERE
            life.over.set()
            await leading
            account.failing = []
            await second.live(Life(0, after=False), account, telegram, api)
            assert effects(telegram) == wanted
            await first.live(Life(0, after=False), account, telegram, api)
            assert effects(telegram) == wanted
