"""Words for chats are kept until they were said, once, by the device that answers Telegram."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from assistant.chat.scheduled.book import ScheduledRequests
from assistant.core.settings import Language
from assistant.core.telegram.records import TelegramChat, TelegramUpdate, UpdateState
from assistant.core.telegram.words import is_own, words_of
from assistant.engine.domains.telegram.carried_updates import CarriedUpdates
from assistant.engine.domains.telegram.chat_words import ChatWords
from assistant.engine.domains.telegram.scheduled_answers import ScheduledAnswers
from assistant.engine.domains.telegram.shared_updates import SharedUpdates
from assistant.engine.domains.telegram.shared_words import SharedWords
from assistant.host.texts import load_texts
from assistant.storage.database import Database
from assistant.storage.records.telegram import TelegramRecords
from assistant.storage.timers import Job, RunOutcome
from assistant.sync.comparing import UnfitError
from assistant.tasks import TaskSupervisor
from tests.fakes.clock import START, FakeClock
from tests.fakes.sync.account import Home, MemoryAccount
from tests.fakes.system.telegram_line import BOT, FakeLine
from tests.unit.engine.scheduling.test_desk import Told, request

CHAT, UNLINKED = 5, 6


async def linked(records: TelegramRecords) -> None:
    await records.keep_bot(BOT)
    await records.take_over(CHAT, TelegramChat(chat=CHAT, name="민지", workspace="", agent="", linked_at=START), None)


@pytest.fixture
async def records(database: Database, clock: FakeClock) -> TelegramRecords:
    made = TelegramRecords(database, clock)
    await linked(made)
    return made


@pytest.mark.parametrize("language", ["ko", "en"])
async def test_what_was_missed_is_told_each_chat_that_has_asked_for_it_in_its_words_of_time(
    records: TelegramRecords, clock: FakeClock, language: Language
) -> None:
    told: Any = Told(speaker=False, muted=True)
    texts, line = load_texts(language), FakeLine()
    nothing_kept: Any = None
    book = ScheduledRequests(nothing_kept, clock)
    async with TaskSupervisor() as jobs:
        ScheduledAnswers(told, book, ChatWords(records, line, clock, lambda: None), texts, jobs)
        ago = START - timedelta(hours=2)
        lost = [
            replace(
                request(words, outcome),
                due_at=ago,
                job=Job(chat=chat, ran_at="x", outcome=outcome),
            )
            for words, outcome, chat in (
                ("뉴스", RunOutcome.MISSED, CHAT),
                ("할 일", RunOutcome.MISSED, CHAT),
                ("메모", RunOutcome.INTERRUPTED, CHAT),
                ("비밀", RunOutcome.MISSED, UNLINKED),
                ("창에서", RunOutcome.MISSED, 0),
            )
        ]
        told.lost.tell(tuple(lost))
        await jobs.settle()
    when = {each.name: f"{each.name} ({book.when(each, language)})" for each in lost}
    assert {words_of(each) for each in line.said} == {
        texts("telegram.chat.scheduled_missed", requests=f"{when['뉴스']}, {when['할 일']}"),
        texts("telegram.chat.scheduled_interrupted", requests=when["메모"]),
    }
    assert {each.chat for each in line.said} == {CHAT}
    assert set(await records.open_updates()) == {*line.said}


class Device:
    """A device of the account; implements ``Account``."""

    def __init__(self, home: Home) -> None:
        self.home, self.records = home, TelegramRecords(home.database, home.clock)
        self.carried = CarriedUpdates(home.database, home.clock, self, asyncio.get_running_loop())

    async def share(self) -> None:
        await self.home.sync()

    def hasten(self) -> None:
        """It is synced by the test."""

    async def own(self) -> list[str]:
        return [words_of(each) for each in await self.records.open_updates() if is_own(each)]


async def test_words_of_one_device_are_said_by_the_one_that_answers_and_then_nowhere_else(tmp_path: Path) -> None:
    account, devices = MemoryAccount(), list[Device]()
    for name in ("one", "two"):
        device = Device(await Home.open(tmp_path / name, account))
        await linked(device.records)
        device.home.sources += [SharedUpdates(device.records), SharedWords(device.records)]
        await device.home.join(account)
        devices.append(device)
    one, two = devices
    await two.carried.take_up()  # Its door is open.
    await ChatWords(one.records, None, one.home.clock, one.hasten).say(CHAT, "예약한 일을 했어요.")
    await one.share()
    taken = await two.carried.receive([TelegramUpdate(update_id=3, chat=CHAT, content="말", sent_at=START)])
    (words,) = [each for each in taken if is_own(each)]
    assert (words.chat, words_of(words)) == (CHAT, "예약한 일을 했어요.")
    await two.carried.end(words.update_id, UpdateState.DONE)
    await two.share()
    await one.share()
    assert (await one.own(), await two.own()) == ([], [])
    assert await two.carried.receive([]) == ()
    for each in devices:
        await each.home.database.close()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("777-5", '{"at": "2026-11-27T09:00:00+09:00", "chat": 5, "words": "x"}'),
        (f"{BOT.bot}5", '{"at": "2026-11-27T09:00:00+09:00", "chat": 5, "words": "x"}'),
        (f"{BOT.bot}-5", "nonsense"),
        (f"{BOT.bot}-5", '{"chat": 5}'),
    ],
)
async def test_words_that_are_not_understood_wait(records: TelegramRecords, name: str, text: str) -> None:
    with pytest.raises(UnfitError):
        await SharedWords(records).put(name, text, before="")
    assert await records.open_updates() == ()
