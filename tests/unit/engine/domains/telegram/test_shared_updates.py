"""Updates that are not answered come to the other devices, and are over everywhere once they are answered."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from assistant.core.errors import StorageError
from assistant.core.telegram.carried import MOST_CARRIED, NUMBERED_ANEW
from assistant.core.telegram.records import TelegramUpdate, UpdateState
from assistant.engine.domains.telegram.carried_updates import CarriedUpdates
from assistant.engine.domains.telegram.shared_updates import SharedUpdates
from assistant.storage.records.telegram import TelegramRecords
from assistant.storage.sync.differences import SyncDifferences
from assistant.sync.comparing import UnfitError
from tests.fakes.clock import START
from tests.fakes.sync.account import Home, MemoryAccount
from tests.fakes.system.telegram_line import BOT


def update(number: int, content: str = "말", *, later: timedelta = timedelta()) -> TelegramUpdate:
    return TelegramUpdate(update_id=number, chat=5, content=content, sent_at=START + later)


class Device:
    """A device of the account; implements ``Account``."""

    def __init__(self, home: Home) -> None:
        self.home, self.hastened = home, 0
        self.records = TelegramRecords(home.database, home.clock)
        self.carried = CarriedUpdates(home.database, home.clock, self, asyncio.get_running_loop())

    async def share(self) -> None:
        await self.home.sync()

    def hasten(self) -> None:
        self.hastened += 1

    async def open(self) -> list[int]:
        return [each.update_id for each in await self.records.open_updates()]


@pytest.fixture
def account() -> MemoryAccount:
    return MemoryAccount()


@pytest.fixture
async def pair(tmp_path: Path, account: MemoryAccount) -> AsyncIterator[tuple[Device, Device]]:
    made = []
    for name in ("one", "two"):
        home = await Home.open(tmp_path / name, account)
        device = Device(home)
        await device.records.keep_bot(BOT)
        home.sources.append(SharedUpdates(device.records))
        await home.join(account)
        made.append(device)
    yield made[0], made[1]
    for each in made:
        await each.home.database.close()


async def test_an_update_is_open_everywhere_until_it_is_answered_and_then_nowhere(
    pair: tuple[Device, Device], account: MemoryAccount
) -> None:
    one, two = pair
    await one.records.receive([update(7), update(8)])
    await one.share()
    await two.share()
    assert await two.records.open_updates() == (update(7), update(8))
    numbers = account.newest_number
    await two.share()
    assert account.newest_number == numbers  # What has come is not sent back.
    await two.records.end(7, UpdateState.DONE)
    await two.records.end(8, UpdateState.DONE)
    await two.share()
    await one.share()
    assert (await one.open(), await two.open()) == ([], [])
    ((_, text),) = (await SharedUpdates(one.records).all()).items()
    assert json.loads(text)["open"] == []


async def test_what_one_has_answered_and_another_has_received_meanwhile_comes_together_without_a_question(
    pair: tuple[Device, Device],
) -> None:
    one, two = pair
    await one.records.receive([update(7), update(8)])
    await one.share()
    await two.share()
    await one.records.end(7, UpdateState.DONE)
    await two.records.receive([update(9)])
    await two.records.note(8, "more")
    for each in (two, one, two):
        await each.share()
    assert await one.open() == await two.open() == [8, 9]
    assert (await one.records.open_updates())[0].content == "more"
    for each in pair:
        assert await SyncDifferences(each.home.database).all() == ()


async def test_an_update_that_only_this_device_knew_is_over_when_another_one_has_answered_it(
    pair: tuple[Device, Device],
) -> None:
    one, two = pair
    await one.records.receive([update(7)])
    await one.records.begin(7, "t")
    await two.records.receive([update(7), update(8)])
    await two.share()
    await two.records.end(7, UpdateState.DONE)
    await two.share()
    await one.share()
    assert await one.open() == [8]


async def test_only_the_newest_updates_travel_and_the_others_stay_open_here(pair: tuple[Device, Device]) -> None:
    one, two = pair
    await one.records.receive([update(number) for number in range(1, MOST_CARRIED + 11)])
    await one.share()
    await two.share()
    assert await two.open() == [*range(11, MOST_CARRIED + 11)]
    await two.records.end(20, UpdateState.DONE)
    await two.share()
    await one.records.end(30, UpdateState.DONE)
    await one.share()
    assert set(await one.open()) >= {*range(11, MOST_CARRIED + 11)} - {20, 30}
    assert not {20, 30} & {*await one.open()}


async def test_numbers_that_telegram_uses_for_the_second_time_are_new(pair: tuple[Device, Device]) -> None:
    one, two = pair
    await one.carried.receive([update(1000)])
    await one.carried.end(1000, UpdateState.DONE)
    await one.share()
    await two.share()
    for each in pair:
        each.home.clock.advance(timedelta(days=8).total_seconds())
    anew = update(3, later=timedelta(days=8))
    assert timedelta(days=7) > NUMBERED_ANEW
    assert await two.carried.receive([anew]) == (anew,)
    await one.share()
    assert await one.records.open_updates() == (anew,)


async def test_what_cannot_be_read_or_is_another_bots_is_left_alone(pair: tuple[Device, Device]) -> None:
    shared = SharedUpdates(pair[0].records)
    for name, text in (("777", ""), (str(BOT.bot), '{"newest": 1}'), (str(BOT.bot), "[]")):
        with pytest.raises(UnfitError):
            await shared.put(name, text, before="")
    assert await shared.all() == {}


async def test_a_device_that_forgets_the_bot_ends_no_update_of_the_others(pair: tuple[Device, Device]) -> None:
    one, two = pair
    await one.records.receive([update(7)])
    for each in (one, two):
        await each.share()
    await one.records.keep_bot(None)
    for each in (one, two):
        await each.share()
    assert (await one.open(), await two.open()) == ([], [7])
    await one.records.keep_bot(BOT)
    await one.share()
    assert await one.open() == [7]


# The door's store


async def test_an_update_is_given_to_the_door_once_and_only_when_the_account_has_it(
    pair: tuple[Device, Device], account: MemoryAccount
) -> None:
    one, two = pair
    account.failing = ["before"]
    with pytest.raises(StorageError):
        await one.carried.receive([update(7)])
    assert await one.carried.receive([update(7)]) == (update(7),)
    assert await one.carried.receive([update(7), update(8)]) == (update(8),)
    await two.share()
    assert await two.open() == [7, 8]


async def test_a_door_that_opens_takes_up_what_another_device_has_received(
    pair: tuple[Device, Device], account: MemoryAccount
) -> None:
    one, two = pair
    await one.carried.receive([update(7)])
    account.failing = ["before"]
    with pytest.raises(StorageError):
        await two.carried.take_up()
    assert await two.carried.take_up() == (update(7),)
    assert await two.carried.receive([update(7)]) == ()
    assert await two.carried.take_up() == (update(7),)  # Another door.


async def test_an_update_that_is_over_elsewhere_is_not_received_again(pair: tuple[Device, Device]) -> None:
    one, two = pair
    await one.carried.receive([update(7), update(8), update(9)])
    for number in (7, 8, 9):
        await one.carried.end(number, UpdateState.DONE)
    await one.share()
    assert await two.carried.take_up() == ()
    assert await two.carried.receive([update(8), update(9), update(10)]) == (update(10),)


async def test_the_account_hears_soon_that_an_update_is_over(pair: tuple[Device, Device]) -> None:
    one, _ = pair
    await one.carried.receive([update(7)])
    await one.carried.end(7, UpdateState.DONE)
    await asyncio.sleep(0)
    assert one.hastened == 1


async def test_how_far_an_answer_is_comes_from_who_has_led_since(pair: tuple[Device, Device]) -> None:
    one, two = pair
    await one.carried.receive([update(7)])
    await two.carried.take_up()
    await two.carried.note(7, "given up")
    await two.carried.share()
    await one.records.note(7, "half")
    assert await one.carried.take_up() == (replace(update(7), content="given up"),)
