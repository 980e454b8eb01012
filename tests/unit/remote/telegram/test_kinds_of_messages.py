"""Voices, pictures, files and buttons of a chat, with the real client and a small engine."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from assistant.core import packets as pk
from assistant.core.messages import Attachment, Completion, Message, Role, ToolUse
from assistant.core.service.grant import TELEGRAM
from assistant.core.service.requests.speech import SoundForm, Speak
from assistant.core.service.requests.turns import AnswerAgain, BeginTurn
from assistant.core.settings import TelegramSettings
from assistant.core.telegram.codes import LinkCode, digest_of
from assistant.core.telegram.records import TelegramUpdate
from assistant.host.clock import SystemClock
from assistant.remote.telegram.door import TelegramDoor
from assistant.remote.telegram.incoming import Incoming
from assistant.storage.records.egress import EgressStore
from tests.e2e.conversation.running_engine import TEXTS
from tests.fakes.telegram_server.engine import SmallEngine, echo
from tests.fakes.telegram_server.server import LIMIT_S, TOKEN, Fault, TelegramServer, telegram_server
from tests.unit.remote.telegram.test_crashes import CHAT, CODE, Silent, linked

TURN = "01a219ba-5392-70d8-b735-fa4a521613d4"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


class Chat:
    """A chat with a door that is open."""

    def __init__(self, telegram: TelegramServer, engine: SmallEngine, records: Any) -> None:
        self.telegram, self.engine, self.records = telegram, engine, records

    async def until(self, wanted: Callable[[], Any]) -> None:
        """Wait until something is so and no update is open."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LIMIT_S):
                while not wanted() or await self.records.open_updates() or self.telegram.waiting:  # noqa: ASYNC110 - nothing tells of it
                    await asyncio.sleep(0.005)
                return
        pytest.fail(f"the chat shows {self.texts}")

    @property
    def texts(self) -> list[str]:
        return self.telegram.texts(CHAT)

    @property
    def begun(self) -> list[BeginTurn]:
        return [each for each in self.engine.begun if isinstance(each, BeginTurn)]


@asynccontextmanager
async def chatting(
    folder: Path,
    script: Callable[[str], list[pk.Packet]] = echo,
    settings: TelegramSettings | None = None,
    *,
    disk: Sequence[Message] = (),
    cut_off: Incoming | None = None,
) -> AsyncIterator[Chat]:
    """An open door to a linked chat.

    Args:
        disk: what is stored of the conversation.
        cut_off: a message whose turn ``TURN`` was cut off by the end of the program before.
    """
    with telegram_server() as (telegram, api):
        async with linked(folder) as (database, records):
            engine, clock = SmallEngine([*disk], script), SystemClock()
            telegram.chats.open(CHAT)
            if cut_off is not None:
                content = cut_off.content
                await records.receive([TelegramUpdate(update_id=1, chat=CHAT, content=content, sent_at=clock.now())])
                await records.begin(1, TURN)
            door = TelegramDoor(engine, records, EgressStore(database, clock), TEXTS, Silent(), clock, api=api)
            loop = asyncio.get_running_loop()
            serving = loop.create_task(door.serve(TOKEN, lambda: settings or TelegramSettings(), asyncio.Queue()))
            try:
                yield Chat(telegram, engine, records)
            finally:
                serving.cancel()
                with suppress(asyncio.CancelledError):
                    await serving


@pytest.mark.parametrize(("voice_answers", "spoken", "heard"), [("never", 0, 0), ("spoken", 0, 1), ("always", 1, 1)])
async def test_a_voice_message_is_transcribed_shown_and_answered_aloud_as_the_settings_say(
    tmp_path: Path, voice_answers: Any, spoken: int, heard: int
) -> None:
    async with chatting(tmp_path, settings=TelegramSettings(voice_answers=voice_answers)) as chat:
        chat.telegram.say(CHAT, "글로 물어요")
        await chat.until(lambda: "답: 글로 물어요" in chat.texts)
        assert sum(each.kind == "voice" for each in chat.telegram.sent(CHAT)) == spoken
        chat.telegram.send_file(CHAT, "voice", "내일 비 와?".encode())
        await chat.until(lambda: any("비 와?" in each for each in chat.texts))
        answer = next(each for each in chat.telegram.sent(CHAT) if "비 와?" in each.text)
        assert answer.text == "🎤 내일 비 와?\n\n답: 내일 비 와?"
        assert answer.shown.shown("blockquote") == ["🎤 내일 비 와?"]
        assert chat.begun[-1].text == "내일 비 와?"
        voices = [each for each in chat.telegram.sent(CHAT) if each.kind == "voice"]
        assert len(voices) == spoken + heard
        assert all(each.form is SoundForm.OPUS for each in chat.engine.asked if isinstance(each, Speak))


async def test_turns_of_a_chat_have_its_rights_and_ask_nobody(tmp_path: Path) -> None:
    async with chatting(tmp_path) as chat:
        chat.telegram.say(CHAT, "안녕")
        await chat.until(lambda: chat.texts)
        assert chat.engine.grants[BeginTurn] == TELEGRAM
        assert (chat.begun[0].can_ask, chat.begun[0].aloud) == (False, False)


@pytest.mark.parametrize(
    "more",
    [
        {"forward_origin": {"type": "hidden_user", "date": 1_795_000_000, "sender_user_name": "누군가"}},
        {"via_bot": {"id": 5, "is_bot": True, "first_name": "다른 봇"}},
    ],
)
async def test_what_others_wrote_is_not_the_words_of_the_user(tmp_path: Path, more: dict[str, Any]) -> None:
    async with chatting(tmp_path) as chat:
        chat.telegram.say(CHAT, "7K3M-9QXA", **more)
        await chat.until(lambda: chat.begun)
        assert chat.begun[0].typed == ""


async def test_files_of_a_message_go_to_the_engine_whole(tmp_path: Path) -> None:
    async with chatting(tmp_path) as chat:
        chat.telegram.send_file(CHAT, "photo", PNG, caption="이게 뭐야?")
        document = {"file_name": "계약 (최종).pdf", "mime_type": "application/pdf"}
        chat.telegram.send_file(CHAT, "document", b"%PDF-1.7", file=document)
        await chat.until(lambda: len(chat.begun) == 2)
        first, second = chat.begun
        (photo,) = first.attachments
        assert (first.text, photo.name, photo.read()) == ("이게 뭐야?", "photo_1.jpg", PNG)
        assert second.attachments == (
            Attachment(mime_type="application/pdf", name="계약 (최종).pdf", data=b"%PDF-1.7"),
        )


async def test_pictures_that_were_sent_together_are_one_message(tmp_path: Path) -> None:
    async with chatting(tmp_path) as chat:
        with chat.telegram.at_once():
            for number, caption in enumerate(["", "셋을 비교해 줘", ""]):
                chat.telegram.send_file(CHAT, "photo", PNG + bytes([number]), caption=caption, media_group_id="7")
            chat.telegram.say(CHAT, "그다음 말")
        await chat.until(lambda: len(chat.begun) == 2)
        assert [each.text for each in chat.begun] == ["셋을 비교해 줘", "그다음 말"]
        assert [each.read()[-1] for each in chat.begun[0].attachments] == [0, 1, 2]


async def test_pictures_and_files_of_an_answer_are_sent(tmp_path: Path) -> None:
    def script(_: str) -> list[pk.Packet]:
        turn = chat.begun[-1].turn
        made = (
            Attachment(mime_type="image/png", name="고양이.png", data=PNG),
            Attachment(mime_type="text/csv", name="표.csv", data=b"a,b"),
        )
        chat.engine.disk.append(Message(role=Role.TOOL, text="", turn=turn, attachments=made))
        return [pk.AnswerDelta(turn_index=0, text="그렸어요.")]

    async with chatting(tmp_path, script) as chat:
        chat.telegram.say(CHAT, "고양이 그려 줘")
        await chat.until(lambda: len(chat.telegram.sent(CHAT)) == 3)
        sent = [(each.kind, each.text or each.name) for each in chat.telegram.sent(CHAT)]
        assert sent == [("text", "그렸어요."), ("photo", "고양이.png"), ("document", "표.csv")]
        assert [each.data for each in chat.telegram.sent(CHAT)[1:]] == [PNG, b"a,b"]


@pytest.mark.parametrize("method", ["sendPhoto", "sendDocument"])
async def test_a_file_that_telegram_does_not_take_is_told_and_the_answer_stays(tmp_path: Path, method: str) -> None:
    def script(_: str) -> list[pk.Packet]:
        kind = "image/png" if method == "sendPhoto" else "text/csv"
        made = (Attachment(mime_type=kind, name="큰 것", data=PNG),)
        chat.engine.disk.append(Message(role=Role.TOOL, text="", turn=chat.begun[-1].turn, attachments=made))
        return [pk.AnswerDelta(turn_index=0, text="만들었어요.")]

    async with chatting(tmp_path, script) as chat:
        chat.telegram.fault = lambda call: Fault(status=413) if call.method == method else None
        chat.telegram.say(CHAT, "만들어 줘")
        await chat.until(lambda: len(chat.telegram.sent(CHAT)) == 2)
        assert chat.texts == ["만들었어요.", TEXTS("telegram.chat.unsent", names="큰 것")]


async def test_a_file_that_is_too_large_is_told(tmp_path: Path) -> None:
    async with chatting(tmp_path) as chat:
        chat.telegram.send_file(CHAT, "document", b"x", file={"file_size": 21 * 1024 * 1024})
        await chat.until(lambda: chat.texts == [TEXTS("telegram.chat.too_large")])
        assert chat.begun == []


@pytest.mark.parametrize(
    ("size", "words"), [(1, "telegram.chat.file_gone"), (21 * 1024 * 1024, "telegram.chat.too_large")]
)
async def test_a_file_that_telegram_does_not_give_is_told_and_holds_up_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, words: str
) -> None:
    async with chatting(tmp_path) as chat:
        chat.telegram.send_file(CHAT, "document", bytes(size), file={"file_size": 0})
        if size == 1:  # Between the two calls Telegram forgets it.
            place = {"file_id": "file0", "file_unique_id": "file0", "file_path": "gone"}
            monkeypatch.setattr(chat.telegram, "_file", lambda _: place)
        chat.telegram.say(CHAT, "다음")
        await chat.until(lambda: chat.texts == [TEXTS(words), "답: 다음"])


STICKER = {"file_id": "s", "file_unique_id": "s", "type": "regular", "width": 9, "height": 9, "emoji": "👍"}
PLACE = {"latitude": 37.5665, "longitude": 126.978}
POLL = {
    "id": "1",
    "question": "점심?",
    "total_voter_count": 0,
    "is_closed": False,
    "is_anonymous": True,
    "type": "regular",
    "allows_multiple_answers": False,
    "allows_revoting": False,
    "members_only": False,
    "options": [{"text": each, "voter_count": 0, "persistent_id": each} for each in ("김밥", "noodles")],
}


@pytest.mark.parametrize(
    ("message", "text", "typed"),
    [
        ({"sticker": {**STICKER, "is_animated": False, "is_video": False}}, "👍", None),
        ({"dice": {"emoji": "🎲", "value": 3}}, "🎲 3", None),
        ({"location": PLACE}, "📍 37.5665, 126.978", None),
        (
            {"location": PLACE, "venue": {"location": PLACE, "title": "시청", "address": "세종대로 110"}},
            "📍 시청, 세종대로 110 (37.5665, 126.978)",
            "",
        ),
        ({"contact": {"phone_number": "+8210", "first_name": "철수"}}, "👤 철수 +8210", ""),
        ({"poll": POLL}, "점심?\n- 김밥\n- noodles", ""),
    ],
)
async def test_a_message_without_words_says_what_it_shows(
    tmp_path: Path, message: dict[str, Any], text: str, typed: str | None
) -> None:
    async with chatting(tmp_path) as chat:
        chat.telegram.say(CHAT, "", **message)
        await chat.until(lambda: chat.texts)
        (begun,) = chat.begun
        assert (begun.text, begun.typed) == (text, typed)


PINNED = {"pinned_message": {"message_id": 1, "date": 1, "chat": {"id": CHAT, "type": "private"}, "text": "x"}}


@pytest.mark.parametrize("done", [PINNED, {"message_auto_delete_timer_changed": {"message_auto_delete_time": 60}}])
async def test_what_was_done_in_a_chat_is_not_answered(tmp_path: Path, done: dict[str, Any]) -> None:
    async with chatting(tmp_path) as chat:
        chat.telegram.say(CHAT, "", **done)
        chat.telegram.say(CHAT, "안녕")
        await chat.until(lambda: chat.texts == ["답: 안녕"])


def reply_to(number: int, **more: Any) -> dict[str, Any]:
    chat = {"id": CHAT, "type": "private"}
    return {"reply_to_message": {"message_id": number, "date": 1, "chat": chat, **more}}


async def test_a_reply_has_the_words_and_the_files_that_it_is_about(tmp_path: Path) -> None:
    async with chatting(tmp_path) as chat:
        chat.telegram.send_file(CHAT, "document", b"one", file={"file_name": "../a/1.txt"}, caption="첫째")
        chat.telegram.say(CHAT, "둘째")
        await chat.until(lambda: "답: 둘째" in chat.texts)
        document = {"file_id": "file0", "file_unique_id": "file0", "file_name": "../a/1.txt"}
        chat.telegram.say(CHAT, "이건 뭐야?", **reply_to(1, caption="첫째\n줄", document=document))
        await chat.until(lambda: len(chat.begun) == 3)
        about = chat.begun[-1]
        assert (about.text, about.typed) == ("> 첫째\n> 줄\n\n이건 뭐야?", "이건 뭐야?")
        assert [(each.name, each.data) for each in about.attachments] == [("1.txt", b"one")]


async def test_a_reply_to_the_newest_answer_is_only_its_words(tmp_path: Path) -> None:
    async with chatting(tmp_path) as chat:
        chat.telegram.say(CHAT, "커피")
        await chat.until(lambda: "답: 커피" in chat.texts)
        newest = chat.telegram.sent(CHAT)[-1]
        chat.telegram.say(CHAT, "네", **reply_to(newest.id, text=newest.text))
        await chat.until(lambda: len(chat.begun) == 2)
        assert (chat.begun[-1].text, chat.begun[-1].typed) == ("네", None)


@pytest.mark.parametrize(
    ("command", "words"), [("/start", "linked"), ("/help", "help"), ("/HELP", "help"), ("/new", "new")]
)
async def test_commands_of_telegram_are_answered_without_a_model(tmp_path: Path, command: str, words: str) -> None:
    async with chatting(tmp_path) as chat:
        chat.telegram.say(CHAT, command)
        await chat.until(lambda: chat.texts == [TEXTS(f"telegram.chat.{words}")])
        assert chat.begun == []


@pytest.mark.parametrize("form", ["{}", "/start {}"])
async def test_a_linked_chat_is_linked_anew_by_a_code_which_reaches_no_model(tmp_path: Path, form: str) -> None:
    async with chatting(tmp_path) as chat:
        until = SystemClock().now() + timedelta(minutes=5)
        await chat.records.keep_code(LinkCode(digest=digest_of(CODE), workspace="일", agent="비서", until=until))
        chat.telegram.say(CHAT, form.format(CODE))
        await chat.until(lambda: chat.texts == [TEXTS("telegram.chat.code_linked")])
        assert (await chat.records.chat(CHAT)).agent == "비서"
        assert chat.begun == []


async def test_what_only_looks_like_a_code_is_a_message_of_a_linked_chat(tmp_path: Path) -> None:
    async with chatting(tmp_path) as chat:
        chat.telegram.say(CHAT, "2026-1127")
        await chat.until(lambda: chat.texts == ["답: 2026-1127"])
        chat.telegram.say(CHAT, "/start 2026-1127")
        await chat.until(lambda: TEXTS("telegram.chat.code_wrong") in chat.texts)


async def test_new_lets_the_next_message_begin_a_conversation(tmp_path: Path) -> None:
    async with chatting(tmp_path) as chat:
        await chat.records.converse(CHAT, "before")
        chat.telegram.say(CHAT, "/new")
        await chat.until(lambda: chat.texts)
        assert (await chat.records.chat(CHAT)).conversation == ""


LONG = "아주 뜨겁고 진하게, 얼음은 하나도 넣지 말고 큰 잔에 담아서요"


def asking(text: str) -> list[pk.Packet]:
    """A flow that offers two answers."""
    buttons = [
        {"label": "따뜻한 걸로", "text": "따뜻하게"},
        {"label": "취소", "text": "취소"},
        {"label": "길게", "text": LONG},
    ]
    payload = {"buttons": buttons, "confirm": {}}
    return [
        pk.AnswerDelta(turn_index=0, text=f"들었어요: {text}"),
        pk.FlowStep(turn_index=0, event=pk.FLOW_DONE, payload=payload),
    ]


async def test_a_button_of_the_newest_message_is_said_and_an_older_one_is_refused(tmp_path: Path) -> None:
    async with chatting(tmp_path, asking) as chat:
        await chat.records.converse(CHAT, "talk")
        chat.telegram.say(CHAT, "커피")
        await chat.until(lambda: chat.texts)
        first = chat.telegram.sent(CHAT)[0]
        assert [label for label, _ in first.buttons] == ["따뜻한 걸로", "취소", "길게"]
        chat.telegram.press(CHAT, first, "따뜻한 걸로")
        await chat.until(lambda: "들었어요: 따뜻하게" in chat.texts)
        assert chat.telegram.sent(CHAT)[0].buttons == ()
        chat.telegram.press(CHAT, first, "취소")
        await chat.until(lambda: len(chat.telegram.answered) == 2)
        assert [each.text for each in chat.begun] == ["커피", "따뜻하게"]


async def test_a_button_says_its_text_whole_however_long_that_is(tmp_path: Path) -> None:
    async with chatting(tmp_path, asking) as chat:
        await chat.records.converse(CHAT, "talk")
        chat.telegram.say(CHAT, "커피")
        await chat.until(lambda: chat.texts)
        chat.telegram.press(CHAT, chat.telegram.sent(CHAT)[0], "길게")
        await chat.until(lambda: f"들었어요: {LONG}" in chat.texts)


async def test_what_tells_about_this_computer_does_not_leave(tmp_path: Path) -> None:
    async with chatting(tmp_path) as chat:
        device, home = await chat.records.device(), Path.home()
        chat.telegram.say(CHAT, f"{home}/문서/계약.pdf, 장치 {device}, 토큰 {TOKEN}, **중요**합니다")
        await chat.until(lambda: chat.texts)
        assert chat.texts == ["답: …/계약.pdf, 장치 •••, 토큰 •••, 중요합니다"]
        assert not any(word in str(each.params) for each in chat.telegram.calls for word in (device, TOKEN, f"{home}/"))


async def test_a_user_who_has_blocked_the_bot_holds_up_nothing(tmp_path: Path) -> None:
    async with chatting(tmp_path) as chat:
        chat.telegram.chats.blocked.add(CHAT)
        chat.telegram.say(CHAT, "안녕")
        await chat.until(lambda: chat.telegram.called("sendMessage"))
        chat.telegram.chats.blocked.clear()
        chat.telegram.say(CHAT, "다시 안녕")
        await chat.until(lambda: "답: 다시 안녕" in chat.texts)


async def test_numbers_that_begin_anew_below_the_former_ones_are_answered(tmp_path: Path) -> None:
    async with chatting(tmp_path) as chat:
        chat.telegram.say(CHAT, "하나")
        await chat.until(lambda: "답: 하나" in chat.texts)
        chat.telegram.number_from(17)
        chat.telegram.say(CHAT, "둘")
        chat.telegram.say(CHAT, "셋")
        await chat.until(lambda: chat.texts == ["답: 하나", "답: 둘", "답: 셋"])


ASKED = Message(role=Role.USER, text="물어요", turn=TURN)
WHOLE = Message(role=Role.ASSISTANT, text="다 했어요.", turn=TURN)
HALF = Message(role=Role.ASSISTANT, text="하는 중", turn=TURN, completion=Completion.STREAMING)
CALL = Message(role=Role.ASSISTANT, text="", turn=TURN, tool_uses=(ToolUse(id="1", name="web_search"),))
RESULT = Message(role=Role.TOOL, text="찾음", turn=TURN, tool_use_id="1")
LATER = Message(role=Role.USER, text="창에서 물어요", turn="01a219ba-5397-70cc-88c2-97b0a315e256")
INTERRUPTED = TEXTS("telegram.chat.interrupted")


@pytest.mark.parametrize(
    ("disk", "tries", "shown", "begun"),
    [
        ([ASKED, WHOLE], 0, "다 했어요.", None),
        ([ASKED, CALL, RESULT, WHOLE], 0, "다 했어요.", None),
        ([ASKED, WHOLE, LATER], 0, "다 했어요.", None),
        ([], 0, "답: 물어요", BeginTurn),
        ([ASKED], 0, "답: 물어요", AnswerAgain),
        ([ASKED, HALF], 1, "답: 물어요", AnswerAgain),
        ([ASKED], 2, INTERRUPTED, None),
        ([ASKED, CALL], 0, INTERRUPTED, None),
        ([ASKED, CALL, RESULT], 0, INTERRUPTED, None),
        ([ASKED, CALL, RESULT, HALF], 0, INTERRUPTED, None),
        ([ASKED, LATER], 0, INTERRUPTED, None),
    ],
)
async def test_what_was_cut_off_is_sent_answered_again_or_told_by_what_is_stored(
    tmp_path: Path, disk: list[Message], tries: int, shown: str, begun: type | None
) -> None:
    again = "01a219ba-5397-70cb-86c3-272e21eb2393" if tries else ""
    cut_off = Incoming(text="물어요", conversation="talk", again=again, tries=tries)
    async with chatting(tmp_path, disk=disk, cut_off=cut_off) as chat:
        await chat.until(lambda: shown in chat.texts)
        assert chat.texts == [shown]
        assert [type(each) for each in chat.engine.begun] == ([] if begun is None else [begun])


async def test_a_press_whose_turn_was_cut_off_is_answered(tmp_path: Path) -> None:
    cut_off = Incoming(text="물어요", query="q1", under=4, conversation="talk")
    async with chatting(tmp_path, disk=[ASKED], cut_off=cut_off) as chat:
        await chat.until(lambda: chat.texts == ["답: 물어요"])
