"""``sori telegram setup``: a code is given only where no chat is linked yet, and no token is asked for in vain."""

import argparse
import asyncio
import getpass
import io
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import keyring
import keyring.core
import pytest

from assistant.app.commands.telegram.running import Packets
from assistant.app.commands.telegram.telegram import _run
from assistant.app.parts.telegram import telegram
from assistant.app.served_engine import ServedEngine
from assistant.core.service.request import Request
from assistant.core.service.requests.telegram import linking as rq
from assistant.core.service.requests.timers import ListTimers
from assistant.core.settings import Settings
from assistant.core.telegram.records import TelegramChat, TelegramState
from assistant.engine.domains.telegram.shared_chats import SharedChats
from assistant.host.clock import SystemClock
from assistant.host.places import Places
from assistant.host.settings_file import read_settings
from assistant.host.texts import load_texts
from assistant.remote.local.endpoint import HeldHome
from assistant.storage.database import Database
from assistant.storage.records.telegram import TelegramRecords
from assistant.storage.sync.text_bases import TextBase, TextBases, TextKind
from tests.e2e.in_process import run_command
from tests.fakes.system.telegram_line import BOT

TEXTS = load_texts("ko")
NOW = datetime(2026, 11, 27, tzinfo=UTC)
CONFIG = """language = "ko"
[llm]
provider = "mine"
model = "scripted-model"
[[providers]]
name = "mine"
kind = "openai"
base_url = "http://127.0.0.1:9/v1"
[telegram]
server = "http://127.0.0.1:9"
[voice]
tts = "espeak"
"""
"""Nothing is fetched, and no server is reached."""
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


@contextmanager
def serving(home: Path) -> Iterator[None]:
    served = ServedEngine(home, read_settings(Places(home).config), TEXTS, HeldHome(home), hears=False)
    served.start()
    try:
        asyncio.run(served.engine.connect(lambda _: None, name="test").result(ListTimers()))
        yield
    finally:
        assert served.stop(60.0)


class Terminal(io.StringIO):
    """A terminal at which somebody types."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the command asks for at a terminal, where nothing is typed."""
    questions: list[str] = []

    def typed(question: str) -> str:
        questions.append(question)
        return ""

    (tmp_path / "config.toml").write_text(CONFIG, encoding="utf-8")
    monkeypatch.setenv("SORI_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr(getpass, "getpass", typed)
    return questions


@pytest.mark.parametrize("served", [False, True])
def test_without_a_keyring_no_token_is_asked_for_unless_it_goes_into_a_file(
    asked: list[str], tmp_path: Path, served: bool
) -> None:
    keyring.set_keyring(keyring.core.load_keyring("keyring.backends.fail.Keyring"))
    with ExitStack() as stack:
        if served:
            stack.enter_context(serving(tmp_path))
        refused = run_command("telegram", "setup")
        assert (refused.status, refused.printed, asked) == (1, "", [])
        assert TEXTS("error.telegram_no_keyring") in refused.errors
        run_command("telegram", "setup", "--in-file")
        assert asked == [TEXTS("telegram.ask_token")]


@pytest.mark.usefixtures("memory_keyring")
@pytest.mark.parametrize("served", [False, True])
def test_with_a_keyring_the_token_is_asked_for(asked: list[str], tmp_path: Path, served: bool) -> None:
    with ExitStack() as stack:
        if served:
            stack.enter_context(serving(tmp_path))
        run_command("telegram", "setup")
    assert asked == [TEXTS("telegram.ask_token")]
