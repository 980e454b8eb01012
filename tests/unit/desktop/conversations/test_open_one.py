"""The title of the open conversation, words in it, files with it, and what is dropped onto the window."""

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

from assistant.core.messages import Message, Role
from assistant.core.service.request import Request
from assistant.core.service.requests.conversations import (
    ExportForm,
    FindInConversation,
    FollowConversation,
    ImportConversations,
    PinConversation,
    ReadTitle,
    RecogniseExport,
    RenameConversation,
    WriteConversations,
)
from assistant.core.updates import ConversationOpened, ConversationsChanged
from assistant.desktop.conversations.printing import drawn
from assistant.desktop.kit.message_text import MessageText
from assistant.desktop.main_window import MainWindow
from tests.fakes.front.connection import RecordedConnection

QUESTION = Message(role=Role.USER, text="부산 여행 어때?", id="q")
ANSWER = Message(role=Role.ASSISTANT, text="부산은 **바다**가 좋아요. Busan is fine.", id="a")


@pytest.fixture
def opened(window: MainWindow) -> MainWindow:
    window.show_update(ConversationOpened(conversation="a", messages=(QUESTION, ANSWER), title="부산 여행"))
    window.activateWindow()
    return window


def trigger(window: MainWindow, name: str) -> None:
    action = window.findChild(QAction, name)
    assert action is not None
    action.trigger()


def test_the_title_is_changed_where_it_stands(opened: MainWindow, connection: RecordedConnection) -> None:
    title = opened.strip.title
    assert title.text() == "부산 여행"
    QTest.mouseClick(title, Qt.MouseButton.LeftButton)
    assert title.editing
    title.field.setText("  부산   2박 ")
    QTest.keyClick(title.field, Qt.Key.Key_Return)
    assert connection.sent[-1] == RenameConversation(conversation="a", title="부산 2박")
    assert (title.editing, title.text()) == (False, "부산 2박")


@pytest.mark.parametrize(("text", "key"), [("Other", Qt.Key.Key_Escape), ("부산 여행", Qt.Key.Key_Return)])
def test_a_title_that_is_given_up_or_the_same_stays(
    opened: MainWindow, connection: RecordedConnection, text: str, key: Qt.Key
) -> None:
    before = len(connection.sent)
    trigger(opened, "rename")
    title = opened.strip.title
    title.field.setText(text)
    QTest.keyClick(title.field, key)
    assert not title.editing
    assert title.text() == "부산 여행"
    assert connection.sent[before:] == []


def test_a_new_conversation_has_no_title_to_change(window: MainWindow) -> None:
    trigger(window, "rename")
    assert not window.strip.title.editing


def test_a_title_that_another_door_changes_is_followed(opened: MainWindow, connection: RecordedConnection) -> None:
    opened.show_update(ConversationsChanged())
    assert ReadTitle(conversation="a") in connection.sent
    connection.reply(ReadTitle, "Trip <b>to</b> Busan")
    assert opened.strip.title.text() == "Trip <b>to</b> Busan"


def found(request: Request[Any]) -> object:
    return ("q", "a") if isinstance(request, FindInConversation) and request.query == "부산" else None


def test_words_are_found_marked_and_passed_through(
    opened: MainWindow, connection: RecordedConnection, qtbot: QtBot
) -> None:
    connection.answers = found
    trigger(opened, "find")
    bar = opened._parts.find
    assert bar.isVisible()
    QTest.keyClicks(bar.field, "x")
    bar.field.setText("부산")
    qtbot.waitUntil(lambda: bar.count.text() == "1 of 2")
    marked = [len(each.extraSelections()) for each in opened.conversation.findChildren(MessageText)]
    assert sorted(marked) == [1, 1]
    QTest.keyClick(bar.field, Qt.Key.Key_Return)
    assert bar.count.text() == "2 of 2"
    QTest.keyClick(bar.field, Qt.Key.Key_Return)
    assert bar.count.text() == "1 of 2"
    QTest.keyClick(bar.field, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert not any(each.extraSelections() for each in opened.conversation.findChildren(MessageText))


def test_a_message_that_is_not_loaded_is_reached(
    opened: MainWindow, connection: RecordedConnection, qtbot: QtBot
) -> None:
    connection.answers = lambda request: ("old",) if isinstance(request, FindInConversation) else None
    trigger(opened, "find")
    opened._parts.find.field.setText("ago")
    qtbot.waitUntil(lambda: FollowConversation(message="old") in connection.sent)
    old = Message(role=Role.USER, text="long ago", id="old")
    connection.reply(FollowConversation, ConversationOpened(conversation="a", messages=(old, QUESTION), wanted="old"))
    assert opened.conversation.shows("old")
    assert any(each.extraSelections() for each in opened.conversation.findChildren(MessageText))


def test_what_is_nowhere_is_said_to_be_nowhere(
    opened: MainWindow, connection: RecordedConnection, qtbot: QtBot
) -> None:
    connection.answers = lambda request: () if isinstance(request, FindInConversation) else None
    trigger(opened, "find")
    opened._parts.find.field.setText("제주")
    qtbot.waitUntil(lambda: opened._parts.find.count.text() == "Not found")


@pytest.mark.parametrize(
    ("name", "form"),
    [("trip.md", ExportForm.MARKDOWN), ("trip.json", ExportForm.JSON), ("TRIP.JSON", ExportForm.JSON)],
)
def test_the_conversation_is_written_into_the_file_that_the_user_names(
    opened: MainWindow, connection: RecordedConnection, tmp_path: Path, name: str, form: ExportForm
) -> None:
    trigger(opened, "export")
    (dialog,) = opened.findChildren(QFileDialog)
    dialog.fileSelected.emit(str(tmp_path / name))
    wanted = WriteConversations(path=str(tmp_path / name), conversations=("a",), form=form)
    assert connection.sent[-1] == wanted
    connection.reply(WriteConversations, 1)
    assert str(tmp_path / name) in opened.notices.messages[-1]
    dialog.reject()


def test_it_is_pinned_from_the_menu(opened: MainWindow, connection: RecordedConnection) -> None:
    trigger(opened, "pin")
    assert connection.sent[-1] == PinConversation(conversation="a")


def dropped(*paths: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(each)) for each in paths])
    return data


def test_a_dropped_export_is_imported_if_the_user_wants_it(
    opened: MainWindow, connection: RecordedConnection, tmp_path: Path
) -> None:
    export = tmp_path / "conversations.json"
    export.write_text("[]", encoding="utf-8")
    opened.take_dropped(dropped(export))
    connection.reply(RecogniseExport, True)
    (question,) = opened.findChildren(QMessageBox)
    assert question.textFormat() is Qt.TextFormat.PlainText
    question.buttons()[0].click()
    assert ImportConversations(path=str(export)) in connection.sent


@pytest.mark.parametrize("names", [("notes.md",), ("data.json",), ("photo.txt",), ("a.json", "b.json")])
def test_other_dropped_files_are_attached(
    opened: MainWindow, connection: RecordedConnection, qtbot: QtBot, tmp_path: Path, names: tuple[str, ...]
) -> None:
    connection.answers = lambda request: False if isinstance(request, RecogniseExport) else None
    for name in names:
        (tmp_path / name).write_text("hello", encoding="utf-8")
    opened.take_dropped(dropped(*(tmp_path / name for name in names)))
    qtbot.waitUntil(lambda: len(opened.composer.files.files) == len(names))


def test_what_is_printed_has_all_words_and_fetches_nothing(qtbot: QtBot) -> None:
    parts = ["# 부산 여행", "![x](https://evil.example/a.png) 좋아", "```sh\nls\n```", "| a | b |\n|-|-|\n| 1 | 2 |"]
    text = drawn("\n\n".join(parts)).toPlainText()
    for each in ("부산 여행", "좋아", "ls", "1", "2"):
        assert each in text
    assert "\ufffc" not in text  # No picture.
