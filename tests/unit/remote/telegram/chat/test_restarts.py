"""Buttons and edits of messages from before a restart: they count as long as nothing else was said."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from assistant.core.messages import Message, Role
from assistant.core.service.requests.turns import EditMessage
from assistant.core.telegram.words import words_update
from assistant.host.clock import SystemClock
from assistant.storage.database import Database
from assistant.storage.records.telegram import TelegramRecords
from tests.e2e.conversation.running_engine import TEXTS
from tests.fakes.telegram_server.engine import SmallEngine, echo
from tests.fakes.telegram_server.server import TelegramServer, telegram_server
from tests.unit.remote.telegram.test_crashes import CHAT, linked
from tests.unit.remote.telegram.test_faults import door, until
from tests.unit.remote.telegram.test_kinds_of_messages import LONG, asking

OVER = TEXTS("telegram.chat.button_over")


class Homes:
    """A linked chat whose door is opened again and again, each time by another process."""

    def __init__(self, telegram: TelegramServer, database: Database, records: TelegramRecords, api: str) -> None:
        self.telegram, self._database, self.records, self._api = telegram, database, records, api
        self.disk: list[Message] = []
        self.engine = SmallEngine(self.disk)

    @asynccontextmanager
    async def open(self, script: Any = echo, *, elsewhere: bool = False) -> AsyncIterator[None]:
        self.engine = SmallEngine(self.disk, script)
        if elsewhere:
            self.engine.elsewhere = range(-(10**20), 0)
        async with door(self.engine, self._database, self.records, self._api):
            yield
            for _ in range(1000):
                if not self.telegram.waiting and not await self.records.open_updates():
                    return
                await asyncio.sleep(0.005)
            pytest.fail("an update stays open")

    async def shows(self, *texts: str) -> None:
        await until(lambda: self.telegram.texts(CHAT) == [*texts])


@pytest.fixture
async def homes(tmp_path: Path) -> AsyncIterator[Homes]:
    with telegram_server() as (telegram, api):
        async with linked(tmp_path) as (database, records):
            await records.converse(CHAT, "talk")
            yield Homes(telegram, database, records, api)


async def test_a_button_from_before_a_restart_counts_while_nothing_else_was_said(homes: Homes) -> None:
    async with homes.open(asking):
        homes.telegram.say(CHAT, "커피")
        await homes.shows("들었어요: 커피")
    async with homes.open(asking):
        (sent,) = homes.telegram.sent(CHAT)
        homes.telegram.press(CHAT, sent, "따뜻한 걸로")
        homes.telegram.press(CHAT, sent, "취소")  # The first press has answered it.
        await homes.shows("들었어요: 커피", "들었어요: 따뜻하게")
    assert [each.text for each in homes.engine.begun] == ["따뜻하게"]  # type: ignore[union-attr]
    assert homes.telegram.answered == ["", OVER]
    assert homes.telegram.sent(CHAT)[0].buttons == ()


async def said_in_the_window(homes: Homes) -> None:
    homes.disk.append(Message(role=Role.USER, text="창에서", turn="01a219ba-5397-70cc-88c2-97b0a315e256"))


async def a_new_conversation(homes: Homes) -> None:
    homes.telegram.say(CHAT, "/new")
    await until(lambda: TEXTS("telegram.chat.new") in homes.telegram.texts(CHAT))


@pytest.mark.parametrize("between", [said_in_the_window, a_new_conversation])
async def test_a_button_that_is_out_of_date_is_told_and_taken_away(
    homes: Homes, between: Callable[[Homes], Awaitable[None]]
) -> None:
    async with homes.open(asking):
        homes.telegram.say(CHAT, "커피")
        await homes.shows("들었어요: 커피")
    (sent,) = homes.telegram.sent(CHAT)
    async with homes.open(asking):
        await between(homes)
        homes.telegram.press(CHAT, sent, "따뜻한 걸로")
        await until(lambda: homes.telegram.answered)
    assert homes.telegram.answered == [OVER]
    assert homes.telegram.sent(CHAT)[0].buttons == ()
    assert homes.engine.begun == []


async def test_a_button_whose_words_a_press_cannot_hold_is_out_of_date_after_a_restart(homes: Homes) -> None:
    async with homes.open(asking):
        homes.telegram.say(CHAT, "커피")
        await homes.shows("들었어요: 커피")
    async with homes.open(asking):
        homes.telegram.press(CHAT, homes.telegram.sent(CHAT)[0], "길게")
        await until(lambda: homes.telegram.answered == [OVER])
    assert not any(LONG in each.text for each in homes.disk)


async def test_an_edit_of_the_newest_message_from_before_a_restart_is_answered_as_its_new_version(
    homes: Homes,
) -> None:
    async with homes.open():
        homes.telegram.say(CHAT, "서울 날씨")
        sent = homes.telegram.chats.numbers[CHAT]
        await homes.shows("답: 서울 날씨")
    turn = homes.engine.begun[0].turn
    async with homes.open():
        homes.telegram.edit(CHAT, sent, "서울 날씨", link_preview_options={"is_disabled": True})
        homes.telegram.edit(CHAT, sent, "날씨")
        await homes.shows("답: 서울 날씨", "답: 날씨")
    (edited,) = homes.engine.begun
    assert isinstance(edited, EditMessage)
    assert edited.message == f"of {turn}"


async def test_an_edit_of_an_older_message_from_before_a_restart_is_told_to_come_too_late(homes: Homes) -> None:
    async with homes.open():
        homes.telegram.say(CHAT, "하나")
        first = homes.telegram.chats.numbers[CHAT]
        await homes.shows("답: 하나")
        homes.telegram.say(CHAT, "둘")
        await homes.shows("답: 하나", "답: 둘")
    async with homes.open():
        homes.telegram.edit(CHAT, first, "셋")
        await homes.shows("답: 하나", "답: 둘", TEXTS("telegram.chat.edited_late"))
    homes.disk.clear()  # The conversation was deleted.
    async with homes.open():
        homes.telegram.edit(CHAT, first, "넷")
        await until(lambda: TEXTS("telegram.chat.edited_unknown") in homes.telegram.texts(CHAT))
    assert homes.engine.begun == []


async def test_a_message_that_waited_through_a_restart_is_answered_as_it_reads_then(homes: Homes) -> None:
    homes.telegram.say(CHAT, "서울 날시")
    homes.telegram.edit(CHAT, homes.telegram.chats.numbers[CHAT], "서울 날씨")
    async with homes.open():
        await homes.shows("답: 서울 날씨")


async def test_words_that_were_kept_are_said_once_unless_another_device_has_begun_to(homes: Homes) -> None:
    homes.telegram.chats.open(CHAT)
    now = SystemClock().now()
    for number, text in enumerate(("하나", "둘"), start=1):
        await homes.records.keep_words(words_update(CHAT, text, now=now, random_bits=number))
    await homes.records.keep_words(words_update(CHAT, "옛말", now=now - timedelta(days=3), random_bits=3))
    async with homes.open():
        await until(lambda: len(homes.telegram.texts(CHAT)) == 2)
    async with homes.open():
        pass
    assert homes.telegram.texts(CHAT) == ["하나", "둘"]
    await homes.records.keep_words(words_update(CHAT, "셋", now=now, random_bits=4))
    async with homes.open(elsewhere=True):
        pass
    assert len(homes.telegram.texts(CHAT)) == 2
