"""Updates of every kind and form are answered sensibly or left out, and none holds up those after it."""

import logging
from pathlib import Path
from typing import Any

import pytest

from assistant.core.telegram.records import TelegramUpdate
from assistant.host.clock import SystemClock
from tests.e2e.conversation.running_engine import TEXTS
from tests.fakes.telegram_server.engine import SmallEngine
from tests.fakes.telegram_server.server import Fault, telegram_server
from tests.fakes.telegram_server.text_rules import RefusedCallError
from tests.unit.remote.telegram.test_crashes import CHAT, linked
from tests.unit.remote.telegram.test_faults import door, until
from tests.unit.remote.telegram.test_kinds_of_messages import PNG, chatting

ME = {"id": CHAT, "is_bot": False, "first_name": "민지"}
HERE = {"id": CHAT, "type": "private", "first_name": "민지"}
GROUP = {"id": -100500, "type": "supergroup", "title": "모임"}
CHANNEL = {"id": -100900, "type": "channel", "title": "소식"}


def message(**more: Any) -> dict[str, Any]:
    return {"message_id": 900, "date": 1_900_000_000, "chat": HERE, "from": ME, **more}


QUERY = {"id": "q1", "from": ME, "chat_instance": "1", "data": "x"}
SILENT: dict[str, dict[str, Any]] = {
    "nothing": {},
    "unknown kind": {"brand_new_thing": {"a": 1}},
    "message that is a text": {"message": "text"},
    "message without a chat": {"message": {"message_id": 1, "date": 1}},
    "message whose date is a word": {"message": message(date="gestern", text="안녕")},
    "message whose date is far away": {"message": message(date=10**15, text="안녕")},
    "message whose date is no time": {"message": message(date=10**30, text="안녕")},
    "message whose chat is a list": {"message": message(chat=[1, 2], text="안녕")},
    "message without anything": {"message": message()},
    "message whose text is a number": {"message": message(text=5)},
    "channel post": {"channel_post": message(chat=CHANNEL, text="소식")},
    "edited channel post": {"edited_channel_post": message(chat=CHANNEL, text="소식", edit_date=1_900_000_001)},
    "message of a channel": {"message": message(chat=CHANNEL, text="안녕")},
    "message of a group": {"message": message(chat=GROUP, text="안녕")},
    "message of a group that sends as a channel": {"message": message(chat=GROUP, sender_chat=CHANNEL, text="/stop")},
    "group that has become another one": {"message": message(chat=GROUP, migrate_to_chat_id=-100501)},
    "press of a group": {"callback_query": {**QUERY, "message": message(chat=GROUP)}},
    "press under an inline message": {"callback_query": {**QUERY, "inline_message_id": "1"}},
    "press of a game": {"callback_query": {"id": "q", "from": ME, "chat_instance": "1", "game_short_name": "g"}},
    "bot that was blocked": {
        "my_chat_member": {
            "chat": HERE,
            "from": ME,
            "date": 1_900_000_000,
            "old_chat_member": {"user": ME, "status": "member"},
            "new_chat_member": {"user": ME, "status": "kicked", "until_date": 0},
        }
    },
    "poll": {"poll": {"id": "1", "question": "?", "options": []}},
    "reaction": {
        "message_reaction": {"chat": HERE, "message_id": 1, "date": 1, "old_reaction": [], "new_reaction": []}
    },
}


@pytest.mark.parametrize("update", SILENT.values(), ids=SILENT.keys())
async def test_an_update_that_says_nothing_is_left_out(
    tmp_path: Path, update: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    async with chatting(tmp_path) as chat:
        chat.telegram._add(update)
        chat.telegram.say(CHAT, "안녕하세요")
        await chat.until(lambda: chat.texts == ["답: 안녕하세요"])
        assert len(chat.begun) == 1
    assert not [each for each in caplog.records if each.levelno >= logging.WARNING and "broken" in each.getMessage()]


FORGED = [
    *("", "x", "deadbeef:네", "deadbeef#0", "deadbeef#-1", "deadbeef#9999999999999999999"),
    *("'; DROP TABLE", "\u202e:\u200b", "#" * 64),
]


@pytest.mark.parametrize("data", FORGED)
async def test_a_forged_press_is_told_to_be_out_of_date_and_says_nothing(tmp_path: Path, data: str) -> None:
    async with chatting(tmp_path) as chat:
        await chat.records.converse(CHAT, "talk")
        chat.telegram.say(CHAT, "안녕하세요")
        await chat.until(lambda: chat.texts)
        for more in ({"message": message(message_id=2)}, {"message": {"chat": HERE, "message_id": 2, "date": 0}}):
            chat.telegram._add({"callback_query": {**QUERY, "data": data, **more}})
        await chat.until(lambda: len(chat.telegram.answered) == 2)
        assert chat.telegram.answered == [TEXTS("telegram.chat.button_over")] * 2
        assert len(chat.begun) == 1


STRANGE = {
    "direction marks": "\u202e거꾸로\u202c \u2067hello\u2069",
    "zero width": "안\u200b녕\u200d하\ufeff세요",
    "only zero width": "\u200b\u200d\u2060",
    "lone surrogate": "a\ud83d b",
    "null": "a\x00b",
    "control": "a\x1b[31mb\x07",
    "code in full width": "７Ｋ３Ｍ－９ＱＸＡ",
    "stop with a mark": "\u200f/stop",
    "command for another bot": "/stop@other_bot",
    "combining": "ㅎ" + "\u0301" * 300,
}


@pytest.mark.parametrize("text", STRANGE.values(), ids=STRANGE.keys())
async def test_strange_characters_are_answered(tmp_path: Path, text: str) -> None:
    async with chatting(tmp_path) as chat:
        chat.telegram.say(CHAT, text)
        chat.telegram.say(CHAT, "다음")
        await chat.until(lambda: "답: 다음" in chat.texts)
        assert len(chat.texts) == 2
        assert "…" not in chat.texts
        assert TEXTS("telegram.chat.failed") not in chat.texts[0]


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("..\\..\\x.exe", "x.exe"),
        ("a/..", "file"),
        (".", "file"),
        ("\u202egpj.exe", "gpj.exe"),
        ("a\x00b\nc.txt", "abc.txt"),
        ("가" * 300 + ".pdf", "가" * 300 + ".pdf"),
    ],
)
async def test_a_files_name_has_no_parts_of_a_path_and_nothing_unseen(tmp_path: Path, sent: str, kept: str) -> None:
    async with chatting(tmp_path) as chat:
        chat.telegram.send_file(CHAT, "document", b"x", caption="이것", file={"file_name": sent})
        await chat.until(lambda: chat.begun)
        assert [each.name for each in chat.begun[0].attachments] == [kept]


async def test_an_album_of_ten_with_a_long_caption_is_one_message(tmp_path: Path) -> None:
    async with chatting(tmp_path) as chat:
        for number in range(10):
            caption = "설명 " * 1300 if number == 9 else ""
            chat.telegram.send_file(CHAT, "photo", PNG + bytes([number]), caption=caption, media_group_id="7")
        await chat.until(lambda: chat.begun and "…" not in chat.texts)
        assert len(chat.begun) == 1
        assert [each.read()[-1] for each in chat.begun[0].attachments] == [*range(10)]


@pytest.mark.parametrize(
    "error",
    [
        RefusedCallError(403, "Forbidden: bot was blocked by the user"),
        RefusedCallError(403, "Forbidden: user is deactivated"),
        RefusedCallError(400, "Bad Request: chat not found"),
        RefusedCallError(400, "Bad Request: group chat was upgraded to a supergroup chat"),
    ],
)
async def test_a_chat_that_is_gone_holds_up_nothing(tmp_path: Path, error: RefusedCallError) -> None:
    async with chatting(tmp_path) as chat:
        chat.telegram.fault = lambda call: Fault(refused=error) if call.method == "sendMessage" else None
        chat.telegram.say(CHAT, "안녕")
        await chat.until(lambda: chat.telegram.called("sendMessage"))
        chat.telegram.fault = lambda _: None
        chat.telegram.say(CHAT, "다시 안녕")
        await chat.until(lambda: "답: 다시 안녕" in chat.texts)


@pytest.mark.parametrize("seconds", [0, 1200])
async def test_a_voice_message_of_no_length_and_one_of_twenty_minutes_are_answered(
    tmp_path: Path, seconds: int
) -> None:
    async with chatting(tmp_path) as chat:
        data = "긴 말".encode() if seconds else b" "
        chat.telegram.send_file(CHAT, "voice", data, file={"duration": seconds})
        await chat.until(lambda: [each for each in chat.texts if each != "…"])
        text = next(each for each in chat.texts)
        assert text == ("🎤 긴 말\n\n답: 긴 말" if seconds else TEXTS("telegram.chat.no_words"))


async def test_what_was_kept_in_an_unknown_form_is_left_out(tmp_path: Path) -> None:
    with telegram_server() as (telegram, api):
        async with linked(tmp_path) as (database, records):
            now = SystemClock().now()
            unknown = ("nonsense", "[]", '{"message": "x"}', '{"files": 5}', "")
            await records.receive(
                [
                    TelegramUpdate(update_id=number, chat=CHAT, content=content, sent_at=now)
                    for number, content in enumerate(unknown, start=1)
                ]
            )
            telegram.say(CHAT, "안녕하세요")
            async with door(SmallEngine([]), database, records, api):
                await until(lambda: telegram.texts(CHAT) == ["답: 안녕하세요"])
            assert [each for each in await records.open_updates() if each.update_id <= len(unknown)] == []
