"""The page of Telegram: the token, the code, chats, and calls that wait for the user."""

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from assistant.core.errors import ErrorCode
from assistant.core.machine.states import TurnId
from assistant.core.records.agents import AgentId, ListedAgent, ListedWorkspace
from assistant.core.service.request import Refusal
from assistant.core.service.requests.agents import ListWorkspaces
from assistant.core.service.requests.conversations import OpenConversation
from assistant.core.service.requests.settings import SetSetting
from assistant.core.service.requests.telegram import linking as rq
from assistant.core.service.requests.telegram.refused_calls import DropRefusedCall, RunRefusedCall
from assistant.core.service.requests.turns import TurnBegun
from assistant.core.telegram.records import TelegramBot, TelegramState
from assistant.core.updates import TelegramChanged
from assistant.desktop.telegram.telegram_page import TelegramPage, TelegramPart
from tests.fakes.front.connection import DONE, RecordedConnection
from tests.fakes.front.page_needs import page_needs

BOT = TelegramBot(bot=1, username="my_bot", name="소리")
CHAT = rq.ShownChat(
    chat=5, name="민지", agent="글쓴이", workspace="일", conversation="c", linked_at="2026-11-26T12:00:00+09:00"
)
CALL = rq.ShownCall(
    id="k",
    title="메모 만들기",
    arguments=(("제목", "장보기"), ("글", "우유")),
    chat="민지",
    conversation="c",
    refused_at="2026-11-26T12:30:00+09:00",
)
NOBODY = rq.TelegramView(state=TelegramState.OFF, words="꺼져 있어요.", bot=None, chats=(), calls=())
RUNNING = rq.TelegramView(state=TelegramState.RUNNING, words="받고 있어요.", bot=BOT, chats=(CHAT,), calls=(CALL,))
WORKSPACES = (
    ListedWorkspace(
        name="일",
        title="회사",
        current=True,
        agents=(
            ListedAgent(id=AgentId(workspace="일", name="sori"), title="소리", current=True),
            ListedAgent(id=AgentId(workspace="일", name="글쓴이"), title="글쓴이", current=False),
        ),
    ),
)


def page(
    qtbot: QtBot, view: rq.TelegramView, language: str = "ko"
) -> tuple[TelegramPart, RecordedConnection, TelegramPage]:
    """The part, its connection, and the page, which lives as long as somebody holds it."""
    connection = RecordedConnection()
    made = TelegramPage(page_needs(connection, language))
    qtbot.addWidget(made, before_close_func=lambda _: made.hide())  # keeps it: the part has no other owner
    made.show()
    connection.reply(ListWorkspaces, WORKSPACES)
    connection.reply(rq.ReadTelegram, view)
    QApplication.processEvents()  # Qt shows new cards with the next event.
    assert isinstance(made.part, TelegramPart)
    return made.part, connection, made


def sent(connection: RecordedConnection, kind: type[Any]) -> list[Any]:
    return [each for each in connection.sent if isinstance(each, kind)]


def button(part: TelegramPart, text: str) -> QPushButton:
    (found,) = [each for each in part.findChildren(QPushButton) if each.text() == text and each.isVisibleTo(part)]
    return found


def refused(reason: str) -> Refusal:
    return Refusal(code=ErrorCode.INVALID_REQUEST, reason=reason, message=f"<{reason}>")


def test_a_token_is_hidden_asked_about_and_gone_from_the_page(qtbot: QtBot) -> None:
    part, connection, _page = page(qtbot, NOBODY)
    assert part.bot.token.echoMode() is QLineEdit.EchoMode.Password
    assert not part.bot.save.isEnabled()
    assert not any(each.isVisible() for each in (part.link, part.chats))
    QTest.keyClicks(part.bot.token, " 1:abc ")
    QTest.keyClick(part.bot.token, Qt.Key.Key_Return)
    assert sent(connection, rq.SetUpTelegram) == [rq.SetUpTelegram(token="1:abc")]
    connection.reply(rq.SetUpTelegram, BOT)
    assert part.bot.token.text() == ""
    assert "@my_bot" in part.bot.told.text()


def test_a_token_that_telegram_refuses_stays_to_be_mended(qtbot: QtBot) -> None:
    part, connection, _page = page(qtbot, NOBODY)
    part.bot.token.setText("1:wrong")
    part.bot.save.click()
    connection.reply(rq.SetUpTelegram, refused("telegram_token_refused"))
    assert (part.bot.told.text(), part.bot.token.text()) == ("<telegram_token_refused>", "1:wrong")
    assert part.bot.save.isEnabled()


def test_without_a_keyring_a_file_is_used_only_after_a_second_press(qtbot: QtBot) -> None:
    part, connection, _page = page(qtbot, NOBODY)
    part.bot.token.setText("1:abc")
    part.bot.save.click()
    assert not part.bot.keep_in_file.isVisible()
    connection.reply(rq.SetUpTelegram, refused("telegram_no_keyring"))
    part.bot.keep_in_file.click()
    assert [each.in_file for each in sent(connection, rq.SetUpTelegram)] == [False, True]


def test_the_page_says_how_it_stands_and_switches(qtbot: QtBot) -> None:
    part, connection, _page = page(qtbot, RUNNING)
    assert "받고 있어요." in part.bot.note.text()
    assert part.bot.switch.isChecked()
    part.bot.switch.click()
    assert sent(connection, SetSetting) == [SetSetting(name="telegram.enabled", value=False)]


def test_a_code_for_the_chosen_agent_is_shown_until_a_chat_is_linked(qtbot: QtBot) -> None:
    part, connection, _page = page(qtbot, RUNNING)
    assert not part.link.code.isVisible()
    part.link.agent.choose("일/글쓴이")
    part.link.make.click()
    assert sent(connection, rq.MakeTelegramCode) == [rq.MakeTelegramCode(workspace="일", agent="글쓴이")]
    connection.reply(rq.MakeTelegramCode, rq.GivenCode(code="7K3M-9QXA", until="2026-11-26T12:10:00+09:00", bot=BOT))
    assert part.link.code.text() == "7K3M-9QXA"
    assert "12:10" in part.link.hint.text()
    part.show_update(TelegramChanged())
    other = rq.ShownChat(chat=6, name="B", agent="소리", workspace="", conversation="", linked_at=CHAT.linked_at)
    view = rq.TelegramView(state=RUNNING.state, words="", bot=BOT, chats=(CHAT, other), calls=())
    connection.reply(rq.ReadTelegram, view)
    assert not part.link.code.isVisible()


def test_a_waiting_call_shows_all_it_would_do_and_runs_in_its_conversation(qtbot: QtBot) -> None:
    part, connection, _page = page(qtbot, RUNNING)
    shown = " ".join(each.text() for each in part.calls.findChildren(type(part.intro)))
    assert all(each in shown for each in ("메모 만들기", "장보기", "우유", "민지"))
    button(part, "확인하고 실행").click()
    assert sent(connection, RunRefusedCall) == []
    connection.reply(OpenConversation, DONE)
    assert [each.call for each in sent(connection, RunRefusedCall)] == ["k"]
    assert sent(connection, OpenConversation) == [OpenConversation(conversation="c")]


def test_the_conversation_is_shown_in_which_a_flow_begins(qtbot: QtBot) -> None:
    part, connection, _page = page(qtbot, RUNNING)
    button(part, "확인하고 실행").click()
    connection.reply(OpenConversation, DONE)
    connection.reply(RunRefusedCall, TurnBegun(conversation="new", turn=TurnId("t")))
    assert sent(connection, OpenConversation)[-1] == OpenConversation(conversation="new")


def test_a_waiting_call_is_dropped_and_a_chat_is_unlinked(qtbot: QtBot) -> None:
    part, connection, _page = page(qtbot, RUNNING)
    button(part, "버리기").click()
    button(part, "연결 끊기").click()
    assert sent(connection, DropRefusedCall) == [DropRefusedCall(call="k")]
    assert sent(connection, rq.UnlinkTelegramChat) == [rq.UnlinkTelegramChat(chat=5)]


def test_everything_is_removed_only_after_a_second_press(qtbot: QtBot) -> None:
    part, connection, _page = page(qtbot, RUNNING)
    part.bot.forget.click()
    assert sent(connection, rq.ForgetTelegram) == []
    part.bot.cancel.click()
    assert part.bot.forget.isVisible()
    part.bot.forget.click()
    part.bot.sure.click()
    connection.reply(rq.ForgetTelegram, True)
    assert part.bot.token.isVisible()


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("state", [TelegramState.OFFLINE, TelegramState.RUNNING, TelegramState.CONFLICT])
def test_a_change_of_the_state_takes_no_question_and_no_field_from_the_user(
    qtbot: QtBot, language: str, state: TelegramState
) -> None:
    part, _, _page = page(qtbot, RUNNING, language)
    changed = replace(RUNNING, state=state, words="<changed>")
    part.bot.forget.click()
    part.bot.show_view(changed)
    assert "<changed>" in part.bot.note.text()
    assert part.bot.sure.isVisible()
    part.bot.cancel.click()
    part.bot.change.click()
    part.bot.show_view(RUNNING)
    assert part.bot.token.isVisible()
    part.bot.token.setText("2:half")
    part.bot.show_view(replace(changed, bot=None))
    assert part.bot.token.text() == ""
    assert not part.bot.forget.isVisible()


@pytest.mark.parametrize("language", ["ko", "en"])
def test_every_control_has_a_name_and_the_keyboard_reaches_it(qtbot: QtBot, language: str) -> None:
    part, _, _page = page(qtbot, RUNNING, language)
    shown = [each for each in part.findChildren(QPushButton) if each.isVisibleTo(part)]
    assert len(shown) >= 8
    assert all(each.accessibleName() and each.focusPolicy() & Qt.FocusPolicy.TabFocus for each in shown)
    names = [each.accessibleName() for each in shown]
    assert len(set(names)) == len(names)
    assert part.bot.switch.accessibleName()
    assert part.bot.token.accessibleName()
