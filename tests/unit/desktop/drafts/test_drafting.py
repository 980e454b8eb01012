"""Nothing typed is lost: in the window, over switches, refusals and restarts."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from assistant.core.machine.states import TurnId
from assistant.core.messages import MAX_MESSAGE_LENGTH, Attachment, Message, Role
from assistant.core.packets import Done, Failure
from assistant.core.service.requests.conversations import RestoreConversation
from assistant.core.service.requests.turns import BeginTurn
from assistant.core.updates import (
    ConversationDeleted,
    ConversationOpened,
    EngineStopped,
    MessageAdded,
    PacketEmitted,
)
from assistant.desktop.drafts.draft_file import DraftFile
from assistant.desktop.main_window import MainWindow
from tests.fakes.front.connection import RecordedConnection

TURN = TurnId("1")
SAID = (Message(role=Role.USER, text="said", id="1"),)
FILE = Attachment(mime_type="text/plain", name="a.txt", data=b"a")


def open_conversation(window: MainWindow, conversation: str, messages: tuple[Message, ...] = SAID) -> None:
    window.show_update(ConversationOpened(conversation=conversation, messages=messages))


def write(window: MainWindow, text: str) -> None:
    QTest.keyClicks(window.composer.input, text)


def on_disk(home: Path) -> dict[str, str]:
    return DraftFile(home / "drafts.json").read().texts


def accept(window: MainWindow, text: str, conversation: str = "a") -> None:
    window.show_update(
        MessageAdded(conversation=conversation, turn=TURN, message=Message(role=Role.USER, text=text, id="m"))
    )


def test_what_is_typed_reaches_the_disk_by_itself_and_is_there_after_a_crash(
    make_window: Callable[[str], MainWindow], tmp_path: Path, qtbot: QtBot
) -> None:
    first = make_window("en")
    open_conversation(first, "a")
    write(first, "half a thou")
    qtbot.waitUntil(lambda: on_disk(tmp_path) == {"a": "half a thou"})

    second = make_window("en")  # As after kill -9: nobody has closed the first.
    before_the_engine = second.composer.text
    open_conversation(second, "a")

    assert before_the_engine == second.composer.text == "half a thou"


def test_each_conversation_has_its_own_draft_with_its_files(window: MainWindow, tmp_path: Path) -> None:
    open_conversation(window, "a")
    write(window, "for a")
    window.composer.files.give_back((FILE,))
    open_conversation(window, "b")
    in_b = (window.composer.text, window.composer.files.files)
    write(window, "for b")
    open_conversation(window, "a")

    assert in_b == ("", ())
    assert (window.composer.text, window.composer.files.files) == ("for a", (FILE,))
    assert on_disk(tmp_path) == {"a": "for a", "b": "for b"}


def test_what_was_typed_in_a_new_conversation_comes_back_with_the_next_new_one(
    window: MainWindow, tmp_path: Path
) -> None:
    open_conversation(window, "new", ())
    write(window, "not sent yet")
    open_conversation(window, "old")
    assert window.composer.text == ""
    open_conversation(window, "newer", ())
    assert window.composer.text == "not sent yet"
    accept(window, "something spoken", "newer")
    assert on_disk(tmp_path) == {"newer": "not sent yet"}


def test_what_is_typed_before_the_engine_is_ready_is_meant_for_what_opens(
    make_window: Callable[[str], MainWindow], tmp_path: Path
) -> None:
    DraftFile(tmp_path / "drafts.json").write(DraftFile(tmp_path / "drafts.json").read())
    first = make_window("en")
    open_conversation(first, "a")
    write(first, "old words")
    first.leave()
    second = make_window("en")
    write(second, " and new ones")
    open_conversation(second, "b")

    assert second.composer.text == "old words and new ones"
    assert on_disk(tmp_path)["a"] == "old words"


def test_a_message_is_a_draft_until_the_engine_has_saved_it(window: MainWindow, tmp_path: Path) -> None:
    open_conversation(window, "a")
    write(window, "Hello")
    QTest.keyClick(window.composer.input, Qt.Key.Key_Return)
    write(window, "and more")
    window.drafting.flush()
    on_its_way = on_disk(tmp_path)
    accept(window, "Hello")

    assert on_its_way == {"a": "Hello\n\nand more"}
    assert on_disk(tmp_path) == {"a": "and more"}


def test_a_refused_message_is_back_in_the_field_before_what_was_typed_since(window: MainWindow, tmp_path: Path) -> None:
    open_conversation(window, "a")
    write(window, "Hello")
    window.composer.files.give_back((FILE,))
    QTest.keyClick(window.composer.input, Qt.Key.Key_Return)
    write(window, "and more")
    failure = Failure(turn_index=0, code="storage", message="The disk is full.")
    for packet in (failure, Done(turn_index=0, finish="failed")):
        window.show_update(PacketEmitted(conversation="a", turn=TURN, packet=packet))

    assert window.composer.text == "Hello\n\nand more"
    assert window.composer.files.files == (FILE,)
    assert window.notices.messages == ("The disk is full.",)
    assert [row.text for row in window.conversation.rows] == ["said"]
    assert on_disk(tmp_path) == {"a": "Hello\n\nand more"}


def test_a_message_that_is_too_long_stays_and_is_not_sent(window: MainWindow, connection: RecordedConnection) -> None:
    # Words, because Qt needs many times as long to break a line that is one word.
    text = ("가" * 29 + " ") * (MAX_MESSAGE_LENGTH // 30) + "가"
    window.composer.put(text)
    QTest.keyClick(window.composer.input, Qt.Key.Key_Return)
    too_long = (window.composer.text, list(connection.sent))
    told = window.notices.messages
    window.composer.put(text[1:])
    QTest.keyClick(window.composer.input, Qt.Key.Key_Return)

    assert too_long == (text, [])
    assert "60,001 characters" in told[0]
    assert window.notices.messages == (), "it is solved"
    assert connection.sent == [BeginTurn(turn=TurnId("1"), conversation="a", text=text[1:])]


def test_what_cannot_be_sent_any_more_stays(window: MainWindow, connection: RecordedConnection) -> None:
    open_conversation(window, "a")
    write(window, "on its way")
    QTest.keyClick(window.composer.input, Qt.Key.Key_Return)
    window.show_update(EngineStopped(reason="boom"))
    gave_back = window.composer.text
    connection.sent.clear()
    QTest.keyClick(window.composer.input, Qt.Key.Key_Return)

    assert gave_back == window.composer.text == "on its way"
    assert connection.sent == []
    assert any("not sent" in words for words in window.notices.messages)


def test_closing_the_window_keeps_the_last_letters(make_window: Callable[[str], MainWindow], tmp_path: Path) -> None:
    window = make_window("en")
    open_conversation(window, "a")
    write(window, "last")
    window.close()
    assert on_disk(tmp_path) == {"a": "last"}


@pytest.mark.parametrize("is_open", [True, False])
def test_the_draft_of_a_deleted_conversation_leaves_the_disk_and_comes_back_with_it(
    window: MainWindow, connection: RecordedConnection, tmp_path: Path, is_open: bool
) -> None:
    open_conversation(window, "a")
    write(window, "secret")
    if not is_open:
        open_conversation(window, "b")
    window.show_update(ConversationDeleted(conversation="a", title="A", undo_s=60))
    if is_open:
        open_conversation(window, "new", ())
    deleted = on_disk(tmp_path)
    window.side.undo.button.click()
    open_conversation(window, "a")

    assert deleted == {}
    assert RestoreConversation(conversation="a") in connection.sent
    assert window.composer.text == "secret"


def test_that_drafts_cannot_be_kept_is_said_once(window: MainWindow, tmp_path: Path) -> None:
    (tmp_path / "drafts.json").mkdir()
    open_conversation(window, "a")
    for words in ("one", "two"):
        write(window, words)
        window.drafting.flush()
    assert len(window.notices.messages) == 1
    assert "could not be saved" in window.notices.messages[0]
