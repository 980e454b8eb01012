"""An answer goes to the topic in which it was asked for."""

from pathlib import Path
from typing import Any

import pytest

from assistant.core import packets as pk
from assistant.core.messages import Attachment, Message, Role
from assistant.core.settings import TelegramSettings
from tests.fakes.telegram_server.server import Fault
from tests.unit.remote.telegram.test_crashes import CHAT
from tests.unit.remote.telegram.test_kinds_of_messages import PNG, asking, chatting

TOPIC = 12
IN_TOPIC: dict[str, Any] = {"message_thread_id": TOPIC, "is_topic_message": True}


async def test_text_files_and_voice_of_an_answer_stand_in_its_topic(tmp_path: Path) -> None:
    def script(_: str) -> list[pk.Packet]:
        made = tuple(
            Attachment(mime_type=kind, name=name, data=PNG)
            for kind, name in (("image/png", "고양이.png"), ("text/csv", "표.csv"))
        )
        chat.engine.disk.append(Message(role=Role.TOOL, text="", turn=chat.begun[-1].turn, attachments=made))
        return [pk.AnswerDelta(turn_index=0, text="그렸어요.")]

    async with chatting(tmp_path, script, TelegramSettings(voice_answers="always")) as chat:
        chat.telegram.chats.topics = {TOPIC}
        # A file that Telegram does not take is told in the topic as well.
        chat.telegram.fault = lambda call: Fault(status=413) if call.method == "sendDocument" else None
        chat.telegram.say(CHAT, "고양이 그려 줘", **IN_TOPIC)
        await chat.until(lambda: len(chat.telegram.sent(CHAT)) == 4)
        sent = chat.telegram.sent(CHAT)
        assert [each.kind for each in sent] == ["text", "photo", "text", "voice"]
        assert {each.thread for each in sent} == {TOPIC}
        (typing,) = chat.telegram.called("sendChatAction")
        assert typing.params["message_thread_id"] == str(TOPIC)


async def test_a_press_is_answered_in_the_topic_of_its_button(tmp_path: Path) -> None:
    async with chatting(tmp_path, asking) as chat:
        await chat.records.converse(CHAT, "talk")
        chat.telegram.chats.topics = {TOPIC}
        chat.telegram.say(CHAT, "커피", **IN_TOPIC)
        await chat.until(lambda: chat.texts)
        chat.telegram.press(CHAT, chat.telegram.sent(CHAT)[0], "따뜻한 걸로")
        await chat.until(lambda: len(chat.texts) == 2)
        assert [each.thread for each in chat.telegram.sent(CHAT)] == [TOPIC, TOPIC]


@pytest.mark.parametrize("more", [{"message_thread_id": TOPIC}, IN_TOPIC])
async def test_a_reply_without_topics_and_a_topic_that_is_gone_are_answered_in_the_chat(
    tmp_path: Path, more: dict[str, Any]
) -> None:
    async with chatting(tmp_path) as chat:
        chat.telegram.say(CHAT, "안녕", **more)
        await chat.until(lambda: chat.texts == ["답: 안녕"])
        assert chat.telegram.sent(CHAT)[0].thread == 0
