"""Updates, chats, codes and refused calls of Telegram in the database."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest

from assistant.core.telegram.codes import MOST_WRONG_OF_CHAT, LinkCode, LinkResult, digest_of
from assistant.core.telegram.records import RefusedCall, TelegramBot, TelegramUpdate, UpdateState
from assistant.core.telegram.words import words_update
from assistant.storage.records.telegram import TelegramRecords
from tests.fakes.clock import FakeClock
from tests.fakes.new_database import open_database

CHAT, OTHER = 4_611_686_018_427_387_904, -7
CODE = "7K3M9QXA"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def store(tmp_path: Path, clock: FakeClock) -> AsyncIterator[TelegramRecords]:
    database = await open_database(tmp_path / "sori.db", clock)
    yield TelegramRecords(database, clock)
    await database.close()


def update(number: int, clock: FakeClock, chat: int = CHAT) -> TelegramUpdate:
    return TelegramUpdate(update_id=number, chat=chat, content=f"말 {number}", sent_at=clock.now())


async def test_an_update_is_kept_once_and_in_order_however_often_and_mixed_it_comes(
    store: TelegramRecords, clock: FakeClock
) -> None:
    five, six, seven = (update(number, clock) for number in (5, 6, 7))
    assert [each.update_id for each in await store.receive([six, five, six])] == [5, 6]
    assert await store.receive([five, six]) == ()
    assert [each.update_id for each in await store.receive([six, seven])] == [7]
    assert [each.content for each in await store.open_updates()] == ["말 5", "말 6", "말 7"]


async def test_a_turn_begins_once_and_what_is_over_has_no_content_and_does_not_come_again(
    store: TelegramRecords, clock: FakeClock
) -> None:
    await store.receive([update(5, clock), update(6, clock)])
    assert await store.begin(5, "turn-a")
    assert not await store.begin(5, "turn-b")
    await store.note(5, "how far")
    assert (await store.open_updates())[0] == replace(
        update(5, clock), content="how far", state=UpdateState.ANSWERING, turn="turn-a"
    )
    await store.end(5, UpdateState.DONE)
    await store.end(6, UpdateState.TOO_OLD)
    await store.note(5, "back again")
    assert await store.receive([update(5, clock), update(6, clock)]) == ()
    assert not await store.begin(6, "turn-c")
    assert await store.open_updates() == ()


async def test_the_numbers_of_updates_that_are_long_over_are_forgotten_and_no_others(
    store: TelegramRecords, clock: FakeClock
) -> None:
    old = update(5, clock)
    await store.receive([old, waiting := update(6, clock)])
    await store.end(5, UpdateState.DONE)
    clock.advance(timedelta(days=8).total_seconds())
    await store.receive([update(2, clock)])
    assert await store.receive([old]) == (old,)
    assert await store.receive([waiting]) == ()


async def test_a_code_links_the_chat_that_sends_it_once(store: TelegramRecords, clock: FakeClock) -> None:
    await store.receive([update(number, clock) for number in (1, 2, 3)])
    until = clock.now() + timedelta(seconds=600)
    await store.keep_code(LinkCode(digest=digest_of(CODE), workspace="집", agent="비서", until=until))

    async def tried(number: int, letters: str) -> LinkResult:
        return await store.link(update(number, clock), letters, name="민지", now=clock.now())

    assert await tried(1, "00000000") is LinkResult.WRONG
    assert await tried(2, CODE) is LinkResult.LINKED
    assert await tried(3, CODE) is LinkResult.WRONG
    assert [each.update_id for each in await store.open_updates()] == [3]  # It may be a message of the linked chat.
    chat = await store.chat(CHAT)
    assert chat is not None
    assert (chat.name, chat.workspace, chat.agent, chat.conversation) == ("민지", "집", "비서", "")
    await store.converse(CHAT, "talk")
    assert [each.conversation for each in await store.chats()] == ["talk"]
    assert await store.chat(OTHER) is None


async def test_wrong_tries_are_counted_for_each_chat(store: TelegramRecords, clock: FakeClock) -> None:
    until = clock.now() + timedelta(seconds=600)
    await store.keep_code(LinkCode(digest=digest_of(CODE), workspace="", agent="", until=until))
    for number in range(MOST_WRONG_OF_CHAT):
        await store.link(update(number, clock, OTHER), "00000000", name="", now=clock.now())
    assert await store.link(update(8, clock, OTHER), CODE, name="", now=clock.now()) is LinkResult.BLOCKED
    assert await store.link(update(9, clock), CODE, name="", now=clock.now()) is LinkResult.LINKED


async def test_unlinking_forgets_what_the_chat_wanted(store: TelegramRecords, clock: FakeClock) -> None:
    until = clock.now() + timedelta(seconds=600)
    await store.keep_code(LinkCode(digest=digest_of(CODE), workspace="", agent="", until=until))
    await store.link(update(1, clock), CODE, name="", now=clock.now())
    await store.receive([update(2, clock), update(3, clock, OTHER)])
    await store.keep_call(call := refused("a", clock))
    assert await store.calls() == (call,)
    assert await store.unlink(CHAT)
    assert not await store.unlink(CHAT)
    assert (await store.calls(), await store.chats()) == ((), ())
    assert [each.chat for each in await store.open_updates()] == [OTHER]


async def test_a_refused_call_can_be_taken_once(store: TelegramRecords, clock: FakeClock) -> None:
    await store.keep_call(first := refused("a", clock))
    await store.keep_call(second := refused("b", clock))
    assert await store.take_call("a") == first
    assert await store.take_call("a") is None
    assert await store.calls() == (second,)


async def test_another_bot_begins_with_nothing(store: TelegramRecords, clock: FakeClock) -> None:
    bot = TelegramBot(bot=1, username="sori_bot", name="소리")
    await store.keep_bot(bot)
    await store.receive([update(1, clock)])
    await store.keep_bot(replace(bot, name="Sori"))
    assert len(await store.open_updates()) == 1
    await store.keep_bot(other := replace(bot, bot=2))
    assert (await store.open_updates(), await store.bot()) == ((), other)
    await store.keep_bot(None)
    assert await store.bot() is None


async def test_the_id_of_this_device_is_a_uuid(store: TelegramRecords) -> None:
    assert UUID(await store.device()).version == 7


def refused(name: str, clock: FakeClock) -> RefusedCall:
    return RefusedCall(id=name, chat=CHAT, conversation="talk", tool="remember", arguments="{}", refused_at=clock.now())


async def test_a_call_that_has_begun_waits_no_longer_and_is_over_with_the_words_for_its_chat(
    store: TelegramRecords, clock: FakeClock
) -> None:
    await store.keep_call(call := refused("a", clock))
    assert await store.begin_call("a")
    assert not await store.begin_call("a")
    assert await store.take_call("a") is None
    assert (await store.calls(), await store.begun_calls()) == ((), (replace(call, arguments=""),))
    words = words_update(call.chat, "다 했어요.", now=clock.now(), random_bits=7)
    await store.end_call("a", words)
    assert await store.begun_calls() == ()
    assert await store.open_updates() == (words,)
    assert await store.carried() is None  # They are no updates of Telegram.
