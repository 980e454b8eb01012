"""What a user is at stays, whatever the window shows in between and whichever window replaces it."""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtWidgets import QLineEdit

from assistant.core.messages import Message, Role
from assistant.core.records.conversations import ConversationEntry
from assistant.core.service.requests.conversations import RenameConversation
from assistant.core.updates import ConversationOpened
from assistant.desktop.conversation.message_edit import MessageEdit
from assistant.desktop.conversation.message_rows import MessageAction, UserRow
from assistant.desktop.main_window import MainWindow
from tests.fakes.front.connection import RecordedConnection

ASKED = Message(role=Role.USER, text="What is a comet?", id="q")
ENTRY = ConversationEntry(id="a", title="Comets", updated_at="2026-07-01T09:00:00+09:00")


def test_what_is_written_in_place_of_a_message_stays_until_it_is_sent_or_given_up(window: MainWindow) -> None:
    """Another conversation, the same one shown anew, and a window in another language: nothing that is written goes."""
    comets = ConversationOpened(conversation="a", messages=(ASKED,))
    window.show_update(comets)
    question = window.conversation.rows[0]
    assert isinstance(question, UserRow)
    question.act(MessageAction.EDIT)
    question.findChildren(MessageEdit)[0].field.setPlainText("What is half a com")
    for shown in (comets, ConversationOpened(conversation="b", messages=()), comets):
        window.show_update(shown)
    question = window.conversation.rows[0]
    assert isinstance(question, UserRow)
    assert question.written == "What is half a com"

    question.findChildren(MessageEdit)[0].cancel.click()
    window.show_update(comets)
    question = window.conversation.rows[0]
    assert isinstance(question, UserRow)
    assert question.written is None


def test_a_window_in_another_language_goes_on_with_what_is_half_written(
    make_window: Callable[[str], MainWindow], connection: RecordedConnection
) -> None:
    former, comets = make_window("en"), ConversationOpened(conversation="a", messages=(ASKED,))
    former.show_update(comets)
    former.composer.put("And a met")
    question = former.conversation.rows[0]
    assert isinstance(question, UserRow)
    question.act(MessageAction.EDIT)
    question.findChildren(MessageEdit)[0].field.setPlainText("What is half a com")
    former.strip.title.show_title("Comets", can_change=True)
    former.strip.title.edit()
    former.strip.title.field.setText("Comets and met")
    former.side.show_listed("", (ENTRY,))
    former.side.rows.enter_at("a")
    former.side.rows.rename_current()
    former.side.rows.findChildren(QLineEdit, "rename")[0].setText("Com")
    unfinished = former.hand_over()

    window = make_window("ko")
    window.take_over(unfinished)
    window.show_update(comets)
    window.strip.title.show_title("Comets", can_change=True)
    window.side.show_listed("", (ENTRY,))
    goes_on = window.hand_over()
    assert goes_on == replace(unfinished, unsent=goes_on.unsent)
    assert goes_on.unsent.text == "And a met"
    assert window.strip.title.editing
    assert window.side.rows.editing
    assert not [each for each in connection.sent if isinstance(each, RenameConversation)]
