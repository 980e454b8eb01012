"""``sori telegram setup``: a code is given only where no chat is linked yet."""

import argparse
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from assistant.app.commands.telegram.running import Packets
from assistant.app.commands.telegram.telegram import _run
from assistant.app.parts.telegram import telegram
from assistant.core.service.request import Request
from assistant.core.service.requests.telegram import linking as rq
from assistant.core.settings import Settings
from assistant.core.telegram.records import TelegramChat, TelegramState
from assistant.engine.domains.telegram.shared_chats import SharedChats
from assistant.host.clock import SystemClock
from assistant.host.places import Places
from assistant.host.texts import load_texts
from assistant.storage.database import Database
from assistant.storage.records.telegram import TelegramRecords
from assistant.storage.sync.text_bases import TextBase, TextBases, TextKind
from tests.fakes.system.telegram_line import BOT

TEXTS = load_texts("ko")
NOW = datetime(2026, 11, 27, tzinfo=UTC)
CHAT = TelegramChat(chat=5, name="민지", workspace="", agent="", linked_at=NOW)


class Engine:
    """Carries requests out as an engine does that has these chats once its bot is set up."""

    def __init__(self, *names: str) -> None:
        self.names, self.bot = names, False

    async def __call__(self, request: Request[Any]) -> Any:
        match request:
            case rq.SetUpTelegram():
                self.bot = True
                return BOT
            case rq.ReadTelegram():
                chats = tuple(
                    rq.ShownChat(
                        chat=number, name=name, agent="a", workspace="", conversation="", linked_at=NOW.isoformat()
                    )
                    for number, name in enumerate(self.names)
                    if self.bot
                )
                return rq.TelegramView(state=TelegramState.RUNNING, words="", bot=BOT, chats=chats, calls=())
            case rq.MakeTelegramCode():
                return rq.GivenCode(code="7K3M9QXA", until=NOW.isoformat(), bot=BOT)


async def told(engine: Engine, capsys: pytest.CaptureFixture[str]) -> str:
    given = argparse.Namespace(action="setup", in_file=False)
    assert await _run(engine, Packets(), TEXTS, given, "token") == 0
    return capsys.readouterr().out


async def test_where_no_chat_is_linked_a_code_is_given(capsys: pytest.CaptureFixture[str]) -> None:
    assert "7K3M9QXA" in await told(Engine(), capsys)


async def test_where_chats_are_linked_already_they_are_told_and_how_to_link_another(
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = await told(Engine("민지", "아버지"), capsys)
    assert "민지, 아버지" in out
    assert "sori telegram code" in out
    assert "7K3M9QXA" not in out


async def test_without_an_engine_the_chats_that_came_before_the_bot_are_taken_over(tmp_path: Path) -> None:
    places, clock = Places(tmp_path), SystemClock()
    database = await Database.open(places.database, clock)
    records = TelegramRecords(database, clock)
    await records.keep_bot(BOT)
    await records.take_over(CHAT.chat, CHAT, None)
    ((name, text),) = (await SharedChats(records).all()).items()
    await records.keep_bot(None)
    held = TextBases(database, clock, TextKind.HELD)
    await held.keep(f"value:telegram/{name}", TextBase(number=3, text=text))
    await database.close()
    async with telegram(places, Settings(), TEXTS, lambda _: None) as domain:
        await domain.store.keep_bot(BOT)
        await domain.catch_up()
        assert await domain.store.chats() == (CHAT,)
