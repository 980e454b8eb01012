"""Sori's engine with its Telegram door on a fake Bot API server, and a scripted model behind it."""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from assistant.core.records.agents import DEFAULT_AGENT, DEFAULT_WORKSPACE
from assistant.core.settings import TelegramSettings
from assistant.core.telegram.codes import LinkCode, digest_of
from assistant.core.telegram.records import TelegramChat, TelegramStanding
from assistant.engine.thread import EngineThread
from assistant.host.clock import SystemClock
from assistant.remote.telegram.door import TelegramDoor
from assistant.storage.database import Database
from assistant.storage.records.egress import EgressStore
from assistant.storage.records.telegram import TelegramRecords
from tests.e2e.conversation.running_engine import LIMIT_S, TEXTS, Client, Shown, settings_for
from tests.fakes.model_server.script import RecordedRequest, ScriptedCall
from tests.fakes.model_server.server import ModelServer, Reply, serve_in_thread
from tests.fakes.telegram_server.server import TOKEN, TelegramServer, telegram_server

FACT = "사용자는 우유를 좋아한다."
CODE = "7K3M-9QXA"
SLOWLY = "하나 둘 셋 넷 다섯 여섯 일곱 여덟 아홉 열 " * 12
CHAT = 1001


@dataclass(slots=True)
class News:
    """What the door has told."""

    standings: list[TelegramStanding] = field(default_factory=list)
    chats: list[TelegramChat] = field(default_factory=list)

    def stands(self, standing: TelegramStanding) -> None:
        self.standings.append(standing)

    def linked(self, chat: TelegramChat) -> None:
        self.chats.append(chat)


@dataclass(slots=True)
class Sori:
    """A running Sori with a linked chat."""

    telegram: TelegramServer
    model: ModelServer
    client: Client
    shown: Shown
    door: TelegramDoor
    records: TelegramRecords
    ledger: EgressStore
    news: News
    settings: TelegramSettings
    may_end: threading.Event
    chat: int = CHAT

    def ask(self, text: str, count: int = 1) -> list[str]:
        """Send a message; returns what the chat got after it: ``count`` texts or more, once nothing is open."""
        before = len(self.telegram.sent(self.chat))
        self.telegram.say(self.chat, text)
        return self.answers(before, count)

    def answers(self, before: int, count: int = 1) -> list[str]:
        def sent() -> list[str]:
            return self.telegram.texts(self.chat)[before:]

        def over() -> list[str] | None:
            # A text that is there may still be edited while its update is open.
            come = len(sent()) >= count and "…" not in sent()
            return sent() if come and not self.open_updates() else None

        found: list[str] = self.telegram.until(over)
        return found

    def open_updates(self) -> int:
        return len(asyncio.run(self.records.open_updates()))

    def follow(self) -> TelegramSettings:
        return self.settings


def remembers() -> Reply:
    arguments = json.dumps({"fact": FACT}, ensure_ascii=False)
    return Reply(text="", tool_calls=(ScriptedCall(name="remember", arguments=arguments),))


def scripted(telegram: TelegramServer, may_end: threading.Event, request: RecordedRequest) -> Reply:
    """What the model answers, by the words of the user's last message.

    Args:
        telegram: shows how far an answer is, before a slow one goes on.
        may_end: set as soon as an answer may end that waits for it.
        request: what is asked.
    """
    if request.body["messages"][-1]["role"] == "tool":
        return Reply(text="앱에서 해 주세요.")
    asked = str(request.body["messages"][-1]["content"])
    if "부탁" in asked:
        return remembers()
    if "기다려" in asked:
        return Reply(text=SLOWLY, rest_when=may_end.is_set)
    if "천천히" in asked:
        return Reply(text=SLOWLY, rest_when=lambda: len(telegram.sent(CHAT)[-1].texts) > 1)
    if "거절" in asked:
        return Reply(status=404)
    if "따라" in asked:
        return Reply(text=asked.partition("따라 하세요: ")[2])
    return Reply(text="**반갑습니다**만, 무엇을 도와드릴까요?")


@contextmanager
def running(home: Path) -> Iterator[Sori]:
    """A running Sori with a door to a fake server."""
    may_end = threading.Event()
    with (
        telegram_server() as (telegram, api),
        serve_in_thread(partial(scripted, telegram, may_end)) as model,
    ):
        shown = Shown()
        engine = EngineThread(home, settings_for(model.base_url), TEXTS, hears=False)
        client = Client(engine, shown)
        engine.start()
        _ = client.conversation
        clock = SystemClock()
        database = asyncio.run(Database.open(home / "sori.db", clock))
        records, ledger, news = TelegramRecords(database, clock), EgressStore(database, clock), News()
        door = TelegramDoor(engine, records, ledger, TEXTS, news, clock, api=api)
        sori = Sori(telegram, model, client, shown, door, records, ledger, news, TelegramSettings(), may_end)
        try:
            door.open(TOKEN, sori.follow)
            yield sori
        finally:
            door.close()
            asyncio.run(database.close())
            assert engine.stop(LIMIT_S)


def link(sori: Sori, chat: int) -> None:
    """Link a chat by a code."""
    until = SystemClock().now() + timedelta(minutes=10)
    asyncio.run(
        sori.records.keep_code(
            LinkCode(digest=digest_of(CODE), workspace=DEFAULT_WORKSPACE, agent=DEFAULT_AGENT, until=until)
        )
    )
    sori.telegram.say(chat, CODE)
    sori.telegram.until(lambda: TEXTS("telegram.chat.code_linked") in sori.telegram.texts(chat))


@pytest.fixture(scope="module")
def sori(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sori]:
    with running(tmp_path_factory.mktemp("home")) as found:
        link(found, found.chat)
        yield found
