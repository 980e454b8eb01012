"""Calls that wait for the user's yes, and scheduled requests of a chat, across the ends of Sori (G-02, F-09)."""

import asyncio
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from assistant.app.doors import AppDoors
from assistant.core import packets as pk
from assistant.core import updates as up
from assistant.core.machine.states import TurnId
from assistant.core.service.requests.telegram import linking as rq
from assistant.core.service.requests.telegram.refused_calls import RunRefusedCall
from assistant.core.service.requests.turns import GiveAnswer
from assistant.engine.thread import EngineThread
from assistant.host.clock import SystemClock
from assistant.host.places import Places
from assistant.host.settings_file import read_settings
from assistant.storage.database import Database
from assistant.storage.records.telegram import TelegramRecords
from tests.e2e.conversation.running_engine import LIMIT_S, TEXTS, Client, Shown
from tests.e2e.telegram.test_in_the_app import CHAT, ONLY_HERE, Home, scripted, wait_until
from tests.fakes.model_server.server import serve_in_thread
from tests.fakes.model_server.sori_settings import scripted_settings
from tests.fakes.telegram_server.server import TOKEN, Fault, TelegramServer, telegram_server


@contextmanager
def running(home: Path, telegram: TelegramServer) -> Iterator[Home]:
    shown = Shown()
    engine = EngineThread(
        home, read_settings(Places(home).config), TEXTS, hears=False, make_doors=partial(AppDoors, Places(home))
    )
    client = Client(engine, shown)
    engine.start()
    _ = client.conversation
    try:
        yield Home(client, shown, telegram, home)
    finally:
        assert engine.stop(LIMIT_S)


@pytest.fixture
def places(tmp_path: Path) -> Iterator[tuple[Path, TelegramServer]]:
    """A home whose model and Telegram are fakes."""
    home = tmp_path / "home"
    home.mkdir()
    with serve_in_thread(scripted) as model, telegram_server() as (telegram, api):
        config = scripted_settings(model.base_url, f'[telegram]\nserver = "{api}"')
        Places(home).config.write_text(config, encoding="utf-8")
        yield home, telegram


def refer(sori: Home) -> rq.ShownCall:
    """Link the chat, and let it ask for what only the app may do."""
    sori.client.result(rq.SetUpTelegram(token=TOKEN, in_file=True))
    assert "연결했어요" in sori.told(CHAT, sori.client.result(rq.MakeTelegramCode()).code)
    sori.told(CHAT, "장보기 메모를 만들어 주시겠어요", ONLY_HERE)
    (call,) = sori.view().calls
    return call


def press(sori: Home, call: rq.ShownCall) -> tuple[TurnId, str]:
    """Let a call run; returns its turn and the question of it."""
    turn = sori.client.connection.new_turn()
    assert sori.client.result(RunRefusedCall(call=call.id, turn=turn)).turn == turn
    asked = sori.shown.until(up.PacketEmitted, lambda each: each.turn == turn and isinstance(each.packet, pk.Ask))
    assert isinstance(asked.packet, pk.Ask)
    return turn, asked.packet.question


def agree(sori: Home, turn: TurnId, question: str) -> None:
    sori.client.result(GiveAnswer(turn=turn, question=question, choice=pk.ANSWER_YES))


def kept_words(home: Path) -> list[str]:
    """What chats are still to be told."""
    with closing(sqlite3.connect(Places(home).database)) as connection:
        return [
            content for (content,) in connection.execute("SELECT content FROM telegram_updates WHERE update_id < 0")
        ]


def notes(home: Path) -> list[Path]:
    return [each for each in home.rglob("*장보기*") if each.is_file()]


def test_a_kill_while_the_app_asks_lets_the_call_wait_again(places: tuple[Path, TelegramServer]) -> None:
    home, telegram = places
    killed = home.with_name("killed")
    with running(home, telegram) as sori:
        call = refer(sori)
        turn, _ = press(sori, call)
        again = sori.client.result(RunRefusedCall(call=call.id, turn=sori.client.connection.new_turn()))
        assert again.turn == turn
        shutil.copytree(home, killed)  # What a kill at this moment leaves.
    before = len(telegram.texts(CHAT))
    with running(killed, telegram) as sori:
        assert sori.view().calls == (call,)
        assert notes(killed) == []
        agree(sori, *press(sori, call))
        assert sori.answer(CHAT, before, "앱에서 실행했어요")
        wait_until(lambda: sori.view().calls == ())
        assert len(notes(killed)) == 1
        with pytest.raises(AssertionError, match="telegram_call_gone"):
            press(sori, call)


def test_a_kill_while_the_call_runs_is_told_and_repeats_nothing(places: tuple[Path, TelegramServer]) -> None:
    home, telegram = places
    with running(home, telegram) as sori:
        call = refer(sori)

    async def begin() -> None:
        database = await Database.open(Places(home).database, SystemClock())
        assert await TelegramRecords(database, SystemClock()).begin_call(call.id)
        await database.close()

    asyncio.run(begin())
    before = len(telegram.texts(CHAT))
    with running(home, telegram) as sori:
        assert sori.answer(CHAT, before, "도중에 소리가 꺼졌어요")
        assert sori.view().calls == ()
    with running(home, telegram) as sori:
        told = sori.told(CHAT, "안녕하세요 반가워요", "네")
        assert "꺼졌어요" not in told
    assert notes(home) == []


def test_what_came_of_a_call_is_told_once_telegram_is_there_again(places: tuple[Path, TelegramServer]) -> None:
    home, telegram = places
    with running(home, telegram) as sori:
        call = refer(sori)
        asked = press(sori, call)
        telegram.fault = lambda _: Fault(status=502)
        agree(sori, *asked)
        wait_until(lambda: any("실행했어요" in each for each in kept_words(home)))
    telegram.fault = lambda _: None
    before = len(telegram.texts(CHAT))
    with running(home, telegram) as sori:
        assert sori.answer(CHAT, before, "앱에서 실행했어요").count("앱에서 실행했어요") == 1


def test_a_chat_is_told_once_of_its_scheduled_request_that_was_missed_while_sori_was_off(
    places: tuple[Path, TelegramServer],
) -> None:
    home, telegram = places
    with running(home, telegram) as sori:
        sori.client.result(rq.SetUpTelegram(token=TOKEN, in_file=True))
        assert "연결했어요" in sori.told(CHAT, sori.client.result(rq.MakeTelegramCode()).code)
        sori.told(CHAT, "매일 아침 안부를 예약해 주시겠어요", ONLY_HERE)
        (call,) = sori.view().calls
        before = len(telegram.texts(CHAT))
        agree(sori, *press(sori, call))
        assert sori.answer(CHAT, before, "앱에서 실행했어요")
    with closing(sqlite3.connect(Places(home).database)) as connection:
        missed = (SystemClock().now() - timedelta(hours=1)).isoformat()
        assert connection.execute("UPDATE timers SET due_at = ? WHERE kind = 'request'", (missed,)).rowcount == 1
        connection.commit()
    before = len(telegram.texts(CHAT))
    missed_words = TEXTS("telegram.chat.scheduled_missed", requests="안부를 물어 줘 (매일 오전 8시)")
    with running(home, telegram) as sori:
        assert sori.answer(CHAT, before, "⏰") == missed_words
    with running(home, telegram) as sori:
        assert sori.told(CHAT, "안녕하세요 반가워요", "네, 반가워요.")
    assert telegram.texts(CHAT)[before:].count(missed_words) == 1
