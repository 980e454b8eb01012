"""Messages that are edited: before, while and after they are answered; and what ends the hearing of a long one."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assistant.core.service.request import Request
from assistant.core.service.requests import speech as sp
from assistant.core.service.requests.turns import BeginTurn, EditMessage, StopTurn
from tests.e2e.conversation.running_engine import TEXTS
from tests.fakes.telegram_server.engine import SmallConnection
from tests.fakes.telegram_server.server import LIMIT_S
from tests.unit.remote.telegram.test_crashes import CHAT
from tests.unit.remote.telegram.test_kinds_of_messages import Chat, chatting


def number(chat: Chat) -> int:
    """Telegram's number of the message that the user has just sent."""
    return chat.telegram.chats.numbers[CHAT]


async def soon(holds: Callable[[], Any]) -> None:
    """Wait until something is so while an update is open."""
    async with asyncio.timeout(LIMIT_S):
        while not holds():  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.005)


async def answered(chat: Chat, text: str) -> int:
    """Send a message and wait for its answer; returns the number of the message."""
    chat.telegram.say(CHAT, text)
    sent = number(chat)
    await chat.until(lambda: f"답: {text}" in chat.texts)
    return sent


async def test_an_edit_of_the_newest_message_is_answered_as_its_new_version(tmp_path: Path) -> None:
    async with chatting(tmp_path) as chat:
        sent = await answered(chat, "서울 날씨")
        chat.telegram.edit(CHAT, sent, "부산 날씨")
        await chat.until(lambda: chat.texts == ["답: 서울 날씨", "답: 부산 날씨"])
        first, second = chat.engine.begun
        assert isinstance(second, EditMessage)
        assert (second.message, second.text, second.can_ask) == (f"of {first.turn}", "부산 날씨", False)
        chat.telegram.edit(CHAT, sent, "대구 날씨")
        await chat.until(lambda: chat.texts[2:] == ["답: 대구 날씨"])
        assert [type(each) for each in chat.engine.begun] == [BeginTurn, EditMessage, EditMessage]
        assert chat.engine.begun[2].message == f"of {second.turn}"  # type: ignore[union-attr]


async def test_what_telegram_calls_an_edit_without_other_words_is_not_answered(tmp_path: Path) -> None:
    async with chatting(tmp_path) as chat:
        sent = await answered(chat, "https://sori.example")
        chat.telegram.edit(CHAT, sent, "https://sori.example", link_preview_options={"is_disabled": True})
        await answered(chat, "다음")
        assert chat.texts == ["답: https://sori.example", "답: 다음"]


async def test_an_edit_of_an_older_message_is_told_to_come_too_late(tmp_path: Path) -> None:
    async with chatting(tmp_path) as chat:
        sent = await answered(chat, "하나")
        await answered(chat, "둘")
        chat.telegram.edit(CHAT, sent, "셋")
        await chat.until(lambda: chat.texts[2:] == [TEXTS("telegram.chat.edited_late")])
        assert len(chat.engine.begun) == 2


async def test_an_edit_of_a_message_that_nobody_knows_any_more_is_told(tmp_path: Path) -> None:
    async with chatting(tmp_path) as chat:
        chat.telegram.edit(CHAT, 4, "그때 그 말")
        await answered(chat, "하나")
        assert chat.texts == [TEXTS("telegram.chat.edited_unknown"), "답: 하나"]


async def test_the_moves_of_a_place_that_is_shared_live_are_not_answered(tmp_path: Path) -> None:
    async with chatting(tmp_path) as chat:
        place = {"latitude": 37.5, "longitude": 126.9, "live_period": 900}
        chat.telegram.say(CHAT, "", location=place)
        await chat.until(lambda: chat.texts)
        chat.telegram.edit(CHAT, number(chat) - 1, "", location={**place, "latitude": 37.6})
        await answered(chat, "하나")
        assert chat.texts == ["답: 📍 37.5, 126.9", "답: 하나"]


async def test_a_message_that_waits_is_answered_as_it_reads_after_its_edits(tmp_path: Path) -> None:
    async with chatting(tmp_path) as chat:
        chat.engine.held = held = asyncio.Semaphore(0)
        chat.telegram.say(CHAT, "먼저")
        await soon(lambda: chat.engine.begun)
        chat.telegram.say(CHAT, "서울 날시")
        for words in ("서울 날씨", "부산 날씨"):
            chat.telegram.edit(CHAT, number(chat), words)
        await soon(lambda: not chat.telegram.waiting)
        chat.engine.held = None
        held.release()
        await chat.until(lambda: chat.texts == ["답: 먼저", "답: 부산 날씨"])
        assert [each.text for each in chat.begun] == ["먼저", "부산 날씨"]


async def test_an_edit_stops_the_answer_to_what_it_was_before(tmp_path: Path) -> None:
    async with chatting(tmp_path) as chat:
        chat.engine.held = held = asyncio.Semaphore(0)
        chat.telegram.say(CHAT, "서울 날씨")
        sent = number(chat)
        await soon(lambda: chat.engine.begun)
        chat.telegram.edit(CHAT, sent, "부산 날씨")

        def stopped() -> list[str]:
            return [each.turn for each in chat.engine.asked if isinstance(each, StopTurn)]

        await soon(stopped)
        chat.engine.held = None
        held.release()
        await chat.until(lambda: "답: 부산 날씨" in chat.texts)
        assert stopped() == [chat.engine.begun[0].turn]


async def test_stop_ends_the_hearing_of_a_long_voice_message_of_which_the_chat_was_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    carry_out = SmallConnection.result

    async def slow(connection: SmallConnection, request: Request[Any]) -> Any:
        if isinstance(request, sp.Transcribe):
            await asyncio.Event().wait()
        return await carry_out(connection, request)

    monkeypatch.setattr(SmallConnection, "result", slow)
    async with chatting(tmp_path) as chat:
        chat.telegram.send_file(CHAT, "voice", bytes(200_000))
        await soon(lambda: chat.texts == [TEXTS("telegram.chat.listening")])
        chat.telegram.say(CHAT, "/stop")
        await chat.until(lambda: chat.texts == [TEXTS("telegram.chat.stopped_early"), TEXTS("telegram.chat.stopped")])
        assert chat.engine.begun == []
