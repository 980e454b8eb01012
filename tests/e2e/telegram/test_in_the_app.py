"""Telegram as a person uses it: set up in the app, linked by a code, and what a chat may not do done in the app."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from assistant.app.doors import AppDoors
from assistant.core import packets as pk
from assistant.core import updates as up
from assistant.core.messages import Role
from assistant.core.service.requests import projects as pr
from assistant.core.service.requests.conversations import FollowConversation
from assistant.core.service.requests.settings import SetSetting
from assistant.core.service.requests.telegram import linking as rq
from assistant.core.service.requests.telegram.refused_calls import DropRefusedCall, RunRefusedCall
from assistant.core.service.requests.timers import ListSchedule, RunScheduledRequest
from assistant.core.service.requests.turns import GiveAnswer
from assistant.core.telegram.records import TelegramState
from assistant.engine.thread import EngineThread
from assistant.host.places import Places
from assistant.host.settings_file import read_settings
from tests.e2e.conversation.running_engine import LIMIT_S, TEXTS, Client, Shown
from tests.fakes.model_server.script import RecordedRequest, ScriptedCall
from tests.fakes.model_server.server import Reply, serve_in_thread
from tests.fakes.model_server.sori_settings import scripted_settings
from tests.fakes.telegram_server.server import TOKEN, TelegramServer, telegram_server

CHAT, STRANGER = 1001, 6660
HELLO, ONLY_HERE = "네, 반가워요.", "이 작업은 앱에서 직접 실행해주세요"
EVERY_DAY = json.dumps({"when": "매일 아침 8시", "request": "안부를 물어 줘"})
NOTE = json.dumps({"title": "장보기", "text": "우유"})


def scripted(request: RecordedRequest) -> Reply:
    """The model makes a note when it is asked to, and says afterwards that it cannot."""
    last = request.body["messages"][-1]
    if last["role"] == "tool":
        return Reply(text="그건 앱에서 해 주세요.")
    if "메모" in str(last["content"]):
        return Reply(text="", tool_calls=(ScriptedCall(name="create_note", arguments=NOTE),))
    if "예약" in str(last["content"]):
        return Reply(text="", tool_calls=(ScriptedCall(name="schedule_request", arguments=EVERY_DAY),))
    return Reply(text=HELLO)


@dataclass
class Home:
    """A running Sori whose doors the settings open, and a fake Telegram."""

    client: Client
    shown: Shown
    telegram: TelegramServer
    home: Path

    def view(self) -> rq.TelegramView:
        return self.client.result(rq.ReadTelegram())

    def stands(self, state: TelegramState) -> None:
        """Wait until the door stands so."""
        wait_until(lambda: self.view().state is state)

    def told(self, chat: int, text: str, wanted: str = "", **more: Any) -> str:
        """What the bot answers to a message, as soon as that contains what is wanted."""
        before = len(self.telegram.texts(chat))
        self.telegram.say(chat, text, **more)
        return self.answer(chat, before, wanted)

    def answer(self, chat: int, before: int, wanted: str = "") -> str:
        def over() -> str:
            texts = self.telegram.texts(chat)[before:]
            told = "\n".join(texts) if texts and "…" not in texts else ""
            return told if wanted in told else ""

        return str(self.telegram.until(over))


def wait_until(holds: Callable[[], bool]) -> None:
    """Wait until something is so."""
    until = time.monotonic() + LIMIT_S
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.fixture(scope="module")
def sori(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    home, shown = tmp_path_factory.mktemp("home"), Shown()
    with serve_in_thread(scripted) as model, telegram_server() as (telegram, api):
        config = Places(home).config
        config.write_text(scripted_settings(model.base_url, f'[telegram]\nserver = "{api}"'), encoding="utf-8")
        engine = EngineThread(
            home, read_settings(config), TEXTS, hears=False, make_doors=partial(AppDoors, Places(home))
        )
        client = Client(engine, shown)
        engine.start()
        _ = client.conversation
        try:
            yield Home(client, shown, telegram, home)
        finally:
            assert engine.stop(LIMIT_S)


@pytest.fixture(scope="module")
def linked(sori: Home) -> Home:
    """Telegram was set up, and a chat was linked by a code."""
    bot = sori.client.result(rq.SetUpTelegram(token=TOKEN, in_file=True))
    given = sori.client.result(rq.MakeTelegramCode())
    assert given.bot == bot
    assert sori.told(CHAT, "안녕").startswith("워크스페이스를 먼저 연결해주세요")
    assert "연결했어요" in sori.told(CHAT, given.code)
    return sori


def test_the_page_shows_the_bot_and_the_chat(linked: Home) -> None:
    linked.stands(TelegramState.RUNNING)
    view = linked.view()
    assert view.bot is not None
    assert view.bot.username == "sori_test_bot"
    assert [(each.chat, each.workspace) for each in view.chats] == [(CHAT, "")]
    assert any(each.key == "notice.telegram_linked" for each in linked.shown.all(up.NoticePosted))


def test_a_question_is_answered_in_a_conversation_that_the_app_shows(linked: Home) -> None:
    assert linked.told(CHAT, "안녕하세요 반갑습니다", HELLO) == HELLO
    wait_until(lambda: in_the_window(linked) == ["안녕하세요 반갑습니다", HELLO])


def test_an_edited_message_stands_in_the_app_as_a_version_with_its_answer(linked: Home) -> None:
    assert linked.told(CHAT, "서울 날씨는 어때요", HELLO) == HELLO
    before, sent = len(linked.telegram.texts(CHAT)), linked.telegram.chats.numbers[CHAT] - 1
    linked.telegram.edit(CHAT, sent, "부산 날씨는 어때요")
    assert linked.answer(CHAT, before, HELLO) == HELLO
    (chat,) = linked.view().chats
    opened = linked.client.result(FollowConversation(conversation=chat.conversation))
    asked = [each.text for each in opened.messages if each.role is Role.USER]
    assert asked[-1] == "부산 날씨는 어때요"
    assert "서울 날씨는 어때요" not in asked


def in_the_window(linked: Home) -> list[str]:
    """The newest request and answer of the chat's conversation."""
    (chat,) = linked.view().chats
    opened = linked.client.result(FollowConversation(conversation=chat.conversation))
    return [each.text for each in opened.messages][-2:]


def send_file(linked: Home, name: str, caption: str = "", wanted: str = HELLO) -> str:
    """What the bot answers to a file, as soon as that contains what is wanted."""
    before = len(linked.telegram.texts(CHAT))
    file = {"file_name": name, "mime_type": "text/plain"}
    linked.telegram.send_file(CHAT, "document", f"Text of {name}.".encode(), caption=caption, file=file)
    return linked.answer(CHAT, before, wanted)


def has_project(linked: Home) -> None:
    """Make the project of the tests, unless an earlier one has done so: not all of them run in one process."""
    if not linked.client.result(pr.ListProjects()):
        linked.client.result(pr.AddProject(name="여행"))


def test_a_file_that_found_no_project_is_kept_afterwards_and_no_earlier_one(linked: Home) -> None:
    assert send_file(linked, "earlier.txt") == HELLO
    told = send_file(linked, "일정표.txt", "이 파일 프로젝트에 넣어 줘", "만들어 주세요.")
    assert told == TEXTS("telegram.chat.no_projects")
    assert in_the_window(linked) == ["이 파일 프로젝트에 넣어 줘", told]
    linked.client.result(pr.AddProject(name="여행"))
    told = linked.told(CHAT, "방금 보낸 파일 여행 프로젝트에 넣어 줘", "일정표.txt")
    assert told == "‘여행’ 프로젝트에 넣었어요: 일정표.txt"
    assert in_the_window(linked) == ["방금 보낸 파일 여행 프로젝트에 넣어 줘", told]


def test_what_a_chat_may_not_do_is_run_in_the_app_after_one_yes_and_told_in_the_chat(linked: Home) -> None:
    linked.told(CHAT, "장보기 메모를 만들어 주시겠어요", ONLY_HERE)
    assert not any("장보기" in each.name for each in _files(linked.home))
    (call,) = linked.view().calls
    assert {"장보기", "우유"} <= {value for _, value in call.arguments}
    assert any(each.key == "notice.telegram_refused" for each in linked.shown.all(up.NoticePosted))

    linked.client.result(FollowConversation(conversation=call.conversation))
    before = len(linked.telegram.texts(CHAT))
    answer_call(linked, call, pk.ANSWER_LATE)
    assert linked.answer(CHAT, before).startswith("대답이 없어서 아직 실행하지 않았어요")
    assert linked.view().calls == (call,)

    before = len(linked.telegram.texts(CHAT))
    answer_call(linked, call, pk.ANSWER_YES)
    assert linked.answer(CHAT, before).startswith("앱에서 실행했어요")
    assert any("장보기" in each.name for each in _files(linked.home))
    assert linked.view().calls == ()


def answer_call(linked: Home, call: rq.ShownCall, choice: str) -> None:
    """Let a call run, and answer its question."""
    turn = linked.client.connection.new_turn()
    linked.client.result(RunRefusedCall(call=call.id, turn=turn))
    asked = linked.shown.until(up.PacketEmitted, lambda each: each.turn == turn and isinstance(each.packet, pk.Ask))
    assert isinstance(asked.packet, pk.Ask)
    assert [*asked.packet.arguments.values()] == [value for _, value in call.arguments]
    linked.client.result(GiveAnswer(turn=turn, question=asked.packet.question, choice=choice))


def test_a_chat_is_told_what_comes_of_a_request_that_it_has_scheduled(linked: Home) -> None:
    linked.told(CHAT, "매일 아침 안부를 예약해 주시겠어요", ONLY_HERE)
    (call,) = linked.view().calls
    before = len(linked.telegram.texts(CHAT))
    answer_call(linked, call, pk.ANSWER_YES)
    assert linked.answer(CHAT, before).startswith("앱에서 실행했어요")
    (made,) = linked.client.result(ListSchedule())
    before = len(linked.telegram.texts(CHAT))
    linked.client.result(RunScheduledRequest(timer=made.id))
    assert linked.answer(CHAT, before) == f"⏰ 안부를 물어 줘\n\n{HELLO}"


def test_a_call_that_was_dropped_does_not_run(linked: Home) -> None:
    linked.told(CHAT, "이번에도 메모를 만들어 주시겠어요", ONLY_HERE)
    (call,) = linked.view().calls
    assert linked.client.result(DropRefusedCall(call=call.id))
    assert not linked.client.result(DropRefusedCall(call=call.id))
    assert linked.view().calls == ()


def test_a_flow_that_a_chat_may_not_begin_begins_in_the_app_in_a_conversation_of_its_own(linked: Home) -> None:
    linked.told(CHAT, "12345-678 국민은행으로 3만원 보내 줘", TEXTS("flow.only_here"))
    (call,) = linked.view().calls
    assert call.title == "이체"
    assert [value for _, value in call.arguments] == ["이체", "12345-678 국민은행으로 3만원 보내 줘"]
    waits = [each for each in linked.shown.all(up.NoticePosted) if each.key == "notice.telegram_refused"]
    assert waits[-1].values["tool"] == "이체"

    before = linked.telegram.texts(CHAT)
    turn = linked.client.connection.new_turn()
    begun = linked.client.result(RunRefusedCall(call=call.id, turn=turn))
    assert begun.conversation != call.conversation
    linked.shown.until(up.PacketEmitted, lambda each: each.turn == turn and isinstance(each.packet, pk.Done))
    opened = linked.client.result(FollowConversation(conversation=begun.conversation))
    asked, answer = [each.text for each in opened.messages]
    assert asked == "12345-678 국민은행으로 3만원 보내 줘"
    assert answer == "말씀하신 내용을 이해하지 못했어요."  # The flow's words: this model finds no values in a message.
    assert linked.view().calls == ()
    assert not linked.client.result(DropRefusedCall(call=call.id))
    # The chat is told nothing of it, and goes on: what it says is not for the flow.
    assert linked.telegram.texts(CHAT) == before
    linked.told(CHAT, "네", TEXTS("flow.only_here"))
    assert linked.told(CHAT, "안녕하세요 잘 지내셨어요", HELLO) == HELLO
    assert linked.view().calls == ()


def test_a_file_is_kept_in_a_project_when_the_user_says_so(linked: Home) -> None:
    has_project(linked)
    told = send_file(linked, "flight.txt", "이 파일 여행 프로젝트에 넣어 줘", "flight.txt")
    assert told == "‘여행’ 프로젝트에 넣었어요: flight.txt"
    kept = linked.client.result(pr.ListFiles(project="여행"))
    assert {each.name for each in kept} - {"일정표.txt"} == {"flight.txt"}
    linked.client.result(pr.AddProject(name="비밀", workspace="other"))
    told = linked.told(CHAT, "이 파일 비밀 프로젝트에 넣어 줘", "없어요")
    assert told == "‘비밀’ 프로젝트가 없어요. 있는 프로젝트: 여행"


def test_a_file_that_was_sent_before_is_kept_too(linked: Home) -> None:
    has_project(linked)
    assert send_file(linked, "hotel.txt") == HELLO
    told = linked.told(CHAT, "방금 보낸 파일 프로젝트에 넣어 줘", "hotel.txt")
    assert told == "‘여행’ 프로젝트에 넣었어요: hotel.txt"


def test_that_a_file_which_was_kept_cannot_be_read_is_told(linked: Home) -> None:
    has_project(linked)
    before = len(linked.telegram.texts(CHAT))
    file = {"file_name": "empty.txt", "mime_type": "text/plain"}
    linked.telegram.send_file(CHAT, "document", b"", caption="여행 프로젝트에 넣어 줘", file=file)
    assert linked.answer(CHAT, before, f"empty.txt ({TEXTS('file_reason.empty')})")


def test_strangers_groups_and_forwarded_codes_get_nowhere(linked: Home) -> None:
    given = linked.client.result(rq.MakeTelegramCode())
    linked.telegram.say(-7, given.code, kind="supergroup")
    assert linked.told(
        STRANGER, given.code, forward_origin={"type": "hidden_user", "date": 1, "sender_user_name": "x"}
    ).startswith("워크스페이스를 먼저")
    for guess in range(7):
        linked.told(STRANGER, f"0000-000{guess}")
    assert "여러 번 틀려서" in linked.told(STRANGER, given.code)
    assert linked.telegram.texts(-7) == []
    assert [each.chat for each in linked.view().chats] == [CHAT]


def test_a_button_counts_only_in_its_own_chat_under_its_own_message(linked: Home) -> None:
    sent = linked.telegram.sent(CHAT)[0]
    forged = replace(sent, buttons=(("네", "장보기 메모를 만들어 주시겠어요"),))
    before = linked.telegram.texts(STRANGER)
    linked.telegram.press(STRANGER, forged, "네")
    linked.telegram.press(CHAT, forged, "네")
    assert linked.told(CHAT, "안녕하세요 다시 왔어요", HELLO) == HELLO
    assert linked.telegram.texts(STRANGER) == before  # It was told a moment ago that it is not linked.
    assert linked.view().calls == ()


def test_switching_it_off_closes_the_door_and_an_unlinked_chat_is_a_stranger(linked: Home) -> None:
    linked.client.result(SetSetting(name="telegram.enabled", value=False))
    linked.stands(TelegramState.OFF)
    linked.client.result(SetSetting(name="telegram.enabled", value=True))
    linked.stands(TelegramState.RUNNING)
    assert linked.client.result(rq.UnlinkTelegramChat(chat=CHAT))
    assert linked.told(CHAT, "안녕하세요").startswith("워크스페이스를 먼저 연결해주세요")
    assert linked.client.result(rq.ForgetTelegram())
    assert linked.view().bot is None


def test_the_token_is_in_no_log_and_no_database(linked: Home) -> None:
    holding = {each for each in _files(linked.home) if TOKEN.encode() in each.read_bytes()}
    assert holding <= {Places(linked.home).keys}


def _files(folder: Path) -> list[Path]:
    return [each for each in folder.rglob("*") if each.is_file()]
