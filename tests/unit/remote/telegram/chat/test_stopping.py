"""``/stop`` ends the answer under way and drops the messages that wait before it, and tells how many."""

import asyncio
import threading
from pathlib import Path

import pytest

from assistant.core.service.requests.turns import StopTurn
from tests.e2e.conversation.running_engine import TEXTS
from tests.fakes.telegram_server.server import LIMIT_S, Call
from tests.unit.remote.telegram.chat.test_edits import soon
from tests.unit.remote.telegram.test_crashes import CHAT
from tests.unit.remote.telegram.test_kinds_of_messages import PNG, asking, chatting


def dropped(count: int) -> str:
    return TEXTS("telegram.chat.stopped_waiting", count=count)


async def test_stop_drops_what_waits_and_tells_how_many(tmp_path: Path) -> None:
    async with chatting(tmp_path) as chat:
        chat.engine.held = held = asyncio.Semaphore(0)
        chat.telegram.say(CHAT, "먼저")
        await soon(lambda: chat.engine.begun)
        chat.telegram.say(CHAT, "둘째")
        with chat.telegram.at_once():
            for _ in range(2):
                chat.telegram.send_file(CHAT, "photo", PNG, media_group_id="7")
        chat.telegram.say(CHAT, "/help")
        chat.telegram.say(CHAT, "/stop")
        chat.telegram.say(CHAT, "그다음")
        await soon(lambda: any(isinstance(each, StopTurn) for each in chat.engine.asked))
        chat.engine.held = None
        held.release()
        await chat.until(lambda: "답: 그다음" in chat.texts)
        assert [each.text for each in chat.begun] == ["먼저", "그다음"]
        assert chat.texts[1:] == [TEXTS("telegram.chat.help"), dropped(2), "답: 그다음"]
        assert [each.turn for each in chat.engine.asked if isinstance(each, StopTurn)] == [chat.begun[0].turn]


@pytest.mark.parametrize("method", ["sendMessage", "sendChatAction"])
async def test_stop_counts_before_the_turn_has_begun(tmp_path: Path, method: str) -> None:
    async with chatting(tmp_path) as chat:
        has_come = threading.Event()

        def slow(call: Call) -> None:
            if call.method == method:
                has_come.wait(LIMIT_S)

        chat.telegram.fault = slow
        chat.telegram.say(CHAT, "먼저")
        await soon(lambda: chat.telegram.called(method))
        chat.telegram.say(CHAT, "/stop")
        await soon(lambda: not chat.telegram.waiting)
        has_come.set()
        await chat.until(lambda: len(chat.texts) == 2)
        assert chat.texts == [TEXTS("telegram.chat.stopped_early"), TEXTS("telegram.chat.stopped")]
        assert chat.begun == []


async def test_stop_that_came_while_sori_was_off_drops_what_came_before_it(tmp_path: Path) -> None:
    async with chatting(tmp_path) as chat:
        with chat.telegram.at_once():
            for text in ("하나", "둘", "/stop", "셋"):
                chat.telegram.say(CHAT, text)
        await chat.until(lambda: "답: 셋" in chat.texts)
        assert [each.text for each in chat.begun] == ["셋"]
        assert chat.texts == [dropped(2), "답: 셋"]


async def test_a_press_that_waits_is_stopped_too_and_answered_as_one_that_says_nothing(tmp_path: Path) -> None:
    async with chatting(tmp_path, asking) as chat:
        await chat.records.converse(CHAT, "talk")
        chat.telegram.say(CHAT, "커피")
        await chat.until(lambda: chat.texts)
        chat.engine.pause_s = 0.5
        chat.telegram.say(CHAT, "차")
        await soon(lambda: len(chat.engine.begun) == 2)
        chat.telegram.press(CHAT, chat.telegram.sent(CHAT)[0], "취소")
        chat.telegram.say(CHAT, "/stop")
        await chat.until(lambda: dropped(1) in chat.texts)
        assert chat.telegram.answered == [TEXTS("telegram.chat.button_over")]
        assert [each.text for each in chat.begun] == ["커피", "차"]
