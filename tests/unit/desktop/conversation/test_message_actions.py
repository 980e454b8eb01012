from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QAction, QEnterEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu
from pytestqt.qtbot import QtBot

from assistant.core.display.file_names import shown_name
from assistant.core.errors import ErrorCode
from assistant.core.machine.states import TurnId
from assistant.core.messages import Attachment, Message, Role, ToolUse
from assistant.core.packets import AnswerDelta, Done
from assistant.core.service.request import Refusal
from assistant.core.service.requests.conversations import (
    BranchConversation,
    DeleteMessage,
    LoadMessages,
    MessagePage,
    RestoreMessages,
    ShowVersion,
)
from assistant.core.service.requests.turns import AnswerAgain, EditMessage
from assistant.core.service.requests.voice import ReadAloud
from assistant.core.updates import ConversationOpened, MessageAdded, MessagesDeleted, PacketEmitted
from assistant.desktop.conversation.message_edit import MessageEdit
from assistant.desktop.conversation.message_rows import MessageAction, MessageRow, UserRow
from assistant.desktop.conversation.version_switch import VersionSwitch
from assistant.desktop.main_window import MainWindow
from tests.fakes.front.connection import RecordedConnection

TURN = TurnId("1")
QUESTION = Message(role=Role.USER, text="내일 날씨 어때?", id="q")
ANSWER = Message(role=Role.ASSISTANT, text="맑아요.", id="a", model="qwen3:8b", provider="ollama")


@pytest.fixture
def opened(window: MainWindow) -> MainWindow:
    window.show_update(ConversationOpened(conversation="a", messages=(QUESTION, ANSWER)))
    return window


def hover(row: MessageRow, qtbot: QtBot, *, leave: bool = False) -> None:
    point = QPointF(5, 5)
    QApplication.sendEvent(row, QEvent(QEvent.Type.Leave) if leave else QEnterEvent(point, point, point))
    qtbot.wait(20)


def names(window: MainWindow) -> list[str]:
    bar = window.conversation.bar
    return [each.accessibleName() for each in (*bar.buttons.values(), bar.more) if each.isVisible()]


@pytest.mark.parametrize(
    ("language", "of_question", "of_answer"),
    [
        (
            "en",
            ["Copy", "Edit", "Continue in a new conversation", "Delete", "More"],
            ["Copy", "Read aloud", "Answer again", "Continue in a new conversation", "Delete", "More"],
        ),
        (
            "ko",
            ["복사", "고쳐 쓰기", "새 대화로 이어 가기", "지우기", "더 보기"],
            ["복사", "소리 내어 읽기", "다시 답하기", "새 대화로 이어 가기", "지우기", "더 보기"],
        ),
    ],
)
def test_the_actions_of_a_message_appear_under_the_mouse_and_go_with_it(
    make_window: Callable[[str], MainWindow],
    qtbot: QtBot,
    language: str,
    of_question: list[str],
    of_answer: list[str],
) -> None:
    window = make_window(language)
    window.show_update(ConversationOpened(conversation="a", messages=(QUESTION, ANSWER)))
    question, answer = window.conversation.rows
    assert not window.conversation.bar.isVisible()

    hover(question, qtbot)
    assert names(window) == of_question
    assert not window.conversation.bar.facts.isVisible()

    hover(question, qtbot, leave=True)
    assert not window.conversation.bar.isVisible()

    hover(answer, qtbot)
    assert names(window) == of_answer
    assert window.conversation.bar.facts.text() == "qwen3:8b · ollama"


def test_nothing_moves_when_the_actions_appear(opened: MainWindow, qtbot: QtBot) -> None:
    QApplication.processEvents()  # The window has its size only then.
    before = [row.geometry() for row in opened.conversation.rows]
    hover(opened.conversation.rows[0], qtbot)
    hover(opened.conversation.rows[1], qtbot)

    assert opened.conversation.bar.isVisible()
    assert [row.geometry() for row in opened.conversation.rows] == before


@pytest.mark.parametrize("width", [320, 480, 900])
def test_the_actions_stay_within_the_list(opened: MainWindow, qtbot: QtBot, width: int) -> None:
    opened.resize(width, 500)
    for row in opened.conversation.rows:
        hover(row, qtbot)
        bar = opened.conversation.bar
        assert bar.isVisible()
        holder = bar.parentWidget()
        assert holder is not None
        assert holder.rect().contains(bar.geometry())


def test_the_actions_are_reached_and_left_by_keys(opened: MainWindow, qtbot: QtBot) -> None:
    opened.activateWindow()
    answer = opened.conversation.rows[-1]
    answer.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(opened.conversation.bar.isVisible)
    QTest.keyClick(answer, Qt.Key.Key_Right)
    buttons = opened.conversation.bar.buttons
    assert buttons[MessageAction.COPY].hasFocus()

    QTest.keyClick(buttons[MessageAction.COPY], Qt.Key.Key_Space)
    assert QGuiApplication.clipboard().text() == "맑아요."
    QTest.keyClick(buttons[MessageAction.COPY], Qt.Key.Key_Right)
    assert buttons[MessageAction.ALOUD].hasFocus()
    QTest.keyClick(buttons[MessageAction.ALOUD], Qt.Key.Key_Up)
    assert answer.hasFocus()


def test_each_action_asks_the_engine_for_it(opened: MainWindow, connection: RecordedConnection, qtbot: QtBot) -> None:
    _, answer = opened.conversation.rows
    hover(answer, qtbot)
    before = len(connection.sent)
    for action in (MessageAction.ALOUD, MessageAction.BRANCH, MessageAction.AGAIN):
        opened.conversation.bar.buttons[action].click()

    assert connection.sent[before:] == [
        ReadAloud(text="맑아요."),
        BranchConversation(conversation="a", message="a"),
        AnswerAgain(turn=TURN, conversation="a", message="a"),
    ]


def test_a_message_is_deleted_by_button_by_menu_and_by_key(opened: MainWindow, connection: RecordedConnection) -> None:
    question, answer = opened.conversation.rows
    opened.conversation.bar.enter(answer)
    opened.conversation.bar.buttons[MessageAction.DELETE].click()
    assert connection.sent[-1] == DeleteMessage(conversation="a", message="a")
    question.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(question, Qt.Key.Key_Delete)
    assert connection.sent[-1] == DeleteMessage(conversation="a", message="q")
    menu_entry(question, "Delete this and everything after it").trigger()
    assert connection.sent[-1] == DeleteMessage(conversation="a", message="q", after=True)


@pytest.mark.parametrize(("count", "words"), [(1, "Message deleted"), (4, "4 messages deleted")])
def test_deleted_messages_can_be_brought_back(
    opened: MainWindow, connection: RecordedConnection, count: int, words: str
) -> None:
    undo = opened.undo
    opened.show_update(ConversationOpened(conversation="a", messages=()))
    opened.show_update(MessagesDeleted(conversation="a", deletion="d", count=count, undo_s=8.0))
    assert undo.isVisible()
    assert undo.words.text() == words
    undo.button.click()
    assert connection.sent[-1] == RestoreMessages(deletion="d")
    assert not undo.isVisible()


def test_messages_that_were_deleted_elsewhere_are_not_told_of_here(opened: MainWindow) -> None:
    opened.show_update(MessagesDeleted(conversation="b", deletion="d", count=1, undo_s=8.0))
    assert not opened.undo.isVisible()


def test_more_tells_when_by_whom_and_the_way_to_the_trace(opened: MainWindow) -> None:
    at = "2026-11-26T09:30:12+09:00"
    stored = replace(ANSWER, turn="t", created_at=at, usage={"input": 1200, "output": 34})
    opened.show_update(ConversationOpened(conversation="a", messages=(replace(QUESTION, created_at=at), stored)))
    question, answer = opened.conversation.rows
    told = [each.text() for each in entries(answer)]
    assert "2026-11-26 09:30" in told
    assert "1,200 tokens in, 34 out" in told
    assert "2026-11-26 09:30" in [each.text() for each in entries(question)]
    assert "How this answer came about…" not in [each.text() for each in entries(question)]
    wanted: list[tuple[str, str]] = []
    opened.conversation.page_wanted.connect(lambda page, at: wanted.append((page, at)))
    menu_entry(answer, "How this answer came about…").trigger()
    assert wanted == [("traces", "t")]


def entries(row: MessageRow) -> list[QAction]:
    row.show_menu(row.mapToGlobal(row.rect().center()))
    menu = row.findChildren(QMenu)[-1]
    return menu.actions()


def menu_entry(row: MessageRow, words: str) -> QAction:
    return next(each for each in entries(row) if each.text() == words)


def edited(window: MainWindow, text: str) -> MessageEdit:
    question = window.conversation.rows[0]
    assert isinstance(question, UserRow)
    question.act(MessageAction.EDIT)
    edit = question.findChild(MessageEdit)
    assert edit is not None
    edit.field.setPlainText(text)
    return edit


def test_a_message_is_edited_in_its_place_and_sent_with_enter(
    opened: MainWindow, connection: RecordedConnection
) -> None:
    edit = edited(opened, "모레 날씨 어때?")
    QTest.keyClick(edit.field, Qt.Key.Key_Return)

    assert connection.sent[-1] == EditMessage(turn=TURN, conversation="a", message="q", text="모레 날씨 어때?")
    assert opened.conversation.rows[0].text == "모레 날씨 어때?"


@pytest.mark.parametrize("text", ["내일 날씨 어때?", " 내일 날씨 어때? \n"])
def test_an_edit_that_changes_nothing_asks_for_nothing(
    opened: MainWindow, connection: RecordedConnection, text: str
) -> None:
    before = len(connection.sent)
    QTest.keyClick(edited(opened, text).field, Qt.Key.Key_Return)
    assert len(connection.sent) == before


def test_escape_gives_an_edit_up_and_stops_nothing(opened: MainWindow, connection: RecordedConnection) -> None:
    before = len(connection.sent)
    edit = edited(opened, "x")
    QTest.keyClick(edit.field, Qt.Key.Key_Escape)

    assert len(connection.sent) == before
    assert opened.conversation.rows[0].text == "내일 날씨 어때?"
    assert not edit.isVisible()


def test_a_refused_edit_is_given_back_to_the_user(opened: MainWindow, connection: RecordedConnection) -> None:
    QTest.keyClick(edited(opened, "모레?").field, Qt.Key.Key_Return)
    connection.reply(EditMessage, Refusal(code=ErrorCode.INVALID_REQUEST, reason="", message="Not now."))
    question = opened.conversation.rows[0]
    shown = [each for each in question.findChildren(MessageEdit) if each.isVisible()]

    assert question.text == "내일 날씨 어때?"
    assert [each.field.toPlainText() for each in shown] == ["모레?"]


def test_an_answer_that_has_just_ended_can_be_answered_again_in_its_place(
    window: MainWindow, connection: RecordedConnection, qtbot: QtBot
) -> None:
    window.show_update(MessageAdded(conversation="a", turn=TURN, message=QUESTION))
    window.show_update(PacketEmitted(conversation="a", turn=TURN, packet=AnswerDelta(turn_index=0, text="맑아요.")))
    hover(window.conversation.rows[-1], qtbot)
    assert not window.conversation.bar.isVisible()

    window.show_update(PacketEmitted(conversation="a", turn=TURN, packet=Done(turn_index=0, finish="complete")))
    connection.reply(LoadMessages, MessagePage(messages=(QUESTION, ANSWER)))
    qtbot.wait(20)
    window.conversation.bar.buttons[MessageAction.AGAIN].click()

    assert connection.sent[-1] == AnswerAgain(turn=TURN, conversation="a", message="a")


@pytest.mark.parametrize(
    ("shown", "versions", "place", "before", "after"),
    [
        ("x", ("x", "y"), "1/2", False, True),
        ("y", ("x", "y"), "2/2", True, False),
        ("y", ("x", "y", "z"), "2/3", True, True),
    ],
)
def test_the_versions_of_a_message_are_shown_in_its_place(
    window: MainWindow,
    connection: RecordedConnection,
    shown: str,
    versions: tuple[str, ...],
    place: str,
    before: bool,
    after: bool,
) -> None:
    question = replace(QUESTION, id=shown, versions=versions)
    window.show_update(ConversationOpened(conversation="a", messages=(question, ANSWER)))
    said, answer = window.conversation.rows
    (switch,) = said.findChildren(VersionSwitch)
    at = versions.index(shown)

    assert not answer.findChildren(VersionSwitch)
    assert switch.place.text() == place
    assert (switch.before.isEnabled(), switch.after.isEnabled()) == (before, after)
    (switch.before if before else switch.after).click()
    wanted = versions[at - 1 if before else at + 1]
    assert connection.sent[-1] == ShowVersion(conversation="a", message=wanted)


def test_an_answer_with_tools_has_the_versions_of_its_first_part(window: MainWindow) -> None:
    calls = Message(
        role=Role.ASSISTANT, text="", id="c", tool_uses=(ToolUse(id="t", name="clock"),), versions=("b", "c")
    )
    result = Message(role=Role.TOOL, text="10:00", id="r", tool_use_id="t")
    window.show_update(ConversationOpened(conversation="a", messages=(QUESTION, calls, result, ANSWER)))
    answer = window.conversation.rows[-1]

    assert [each.place.text() for each in answer.findChildren(VersionSwitch)] == ["2/2"]
    assert answer.message_id == "a"


def test_another_version_stands_where_the_former_one_stood(window: MainWindow, qtbot: QtBot) -> None:
    def messages(shown: str) -> tuple[Message, ...]:
        long = "\n\n".join(["A paragraph."] * 12)
        answers = [replace(ANSWER, id=f"a{number}", text=long) for number in range(4)]
        answers[2] = replace(answers[2], id=shown, versions=("x", "y"))
        return tuple(each for answer in answers for each in (replace(QUESTION, id=f"q{answer.id}"), answer))

    window.show_update(ConversationOpened(conversation="a", messages=messages("y")))
    row = window.conversation.rows[5]
    bar = window.conversation.verticalScrollBar()
    qtbot.waitUntil(lambda: row.y() > 0 and bar.maximum() > 0)
    bar.setValue(row.y() - 150)
    stood = row.y() - bar.value()
    (switch,) = row.findChildren(VersionSwitch)
    switch.before.click()
    window.show_update(ConversationOpened(conversation="a", messages=messages("x"), wanted="x"))

    qtbot.waitUntil(lambda: window.conversation.rows[5].y() - bar.value() == stood)
    assert window.conversation.rows[5].message_id == "x"


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("cat.png", "cat.png"),
        ("보고서.pdf", "보고서.pdf"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\a\\b.txt", "b.txt"),
        ("a\nb\u202e.txt", "ab.txt"),
        ("..", "file"),
        ("", "file"),
        ("/", "file"),
        (".bashrc", "bashrc"),
        ("x" * 300 + ".txt", "x" * 116 + ".txt"),
    ],
)
def test_a_file_is_offered_for_saving_under_a_shown_name(name: str, plain: str) -> None:
    assert shown_name(name) == plain


def test_a_file_of_a_message_is_saved_where_the_user_wants_it(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    file = Attachment(mime_type="text/plain", name="메모.txt", data="안녕".encode())
    question = replace(QUESTION, attachments=(file,))
    window.show_update(ConversationOpened(conversation="a", messages=(question, ANSWER)))
    row = window.conversation.rows[0]
    row.show_menu(row.mapToGlobal(row.rect().center()))
    *_, entry = (each for menu in row.findChildren(QMenu) for each in menu.actions() if "메모.txt" in each.text())
    entry.trigger()
    (dialog,) = row.findChildren(QFileDialog)

    with qtbot.waitSignal(window.conversation.file_told) as told:
        dialog.fileSelected.emit(str(tmp_path / "saved.txt"))
    assert (tmp_path / "saved.txt").read_text(encoding="utf-8") == "안녕"
    assert str(tmp_path / "saved.txt") in told.args[0]

    with qtbot.waitSignal(window.conversation.file_told) as told:
        dialog.fileSelected.emit(str(tmp_path / "nowhere" / "saved.txt"))
    assert "not saved" in told.args[0]
    dialog.reject()
