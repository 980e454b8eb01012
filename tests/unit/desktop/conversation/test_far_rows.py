"""A long conversation has widgets only near the view, and loses nothing by that."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from assistant.core.machine.states import TurnId
from assistant.core.messages import Message, Role, ToolUse
from assistant.core.packets import ASK_YES_NO, AnswerDelta, Ask
from assistant.core.texts import Texts
from assistant.desktop.conversation.answer_row import AnswerRow
from assistant.desktop.conversation.conversation import MessageList
from assistant.desktop.conversation.message_rows import MessageRow, UserRow
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.message_text import MessageText
from assistant.desktop.kit.theme import Theme
from assistant.desktop.questions.ask_card import AskCard

PAIRS = 150
MOST_ROWS = 70
"""Rows with widgets of a view of 500 pixels: about forty in seven heights of the view, and the newest."""


@pytest.fixture
def conversation(qtbot: QtBot, texts: Texts, icons: Icons, theme: Theme) -> MessageList:
    conversation = MessageList(texts, icons, theme)
    qtbot.addWidget(conversation)
    conversation.resize(480, 500)
    conversation.show()
    conversation.open(messages())
    return conversation


def messages() -> tuple[Message, ...]:
    """Pairs of many lengths; every fifth answer used a tool, every seventh question is long enough to be folded."""
    return tuple(each for number in range(PAIRS) for each in pair(number))


def pair(number: int) -> tuple[Message, ...]:
    question = f"질문 {number} " + ("긴 글 " * 400 if number % 7 == 0 else "")
    tool = (
        Message(role=Role.ASSISTANT, text="", id=f"t{number}", tool_uses=(ToolUse(id=f"u{number}", name="timer_set"),)),
        Message(role=Role.TOOL, text="Set", id=f"r{number}", tool_use_id=f"u{number}"),
    )
    words = f"Answer **{number}**" + "\n\n- an item\n- `code`" * (number % 4)
    return (
        Message(role=Role.USER, text=question, id=f"q{number}"),
        *(tool if number % 5 == 0 else ()),
        Message(role=Role.ASSISTANT, text=words, id=f"a{number}"),
    )


def settle(conversation: MessageList) -> None:
    """Let rows come and go until nothing changes any more."""
    unchanged = 0
    while unchanged < 5:
        before = conversation.rows
        QApplication.processEvents()
        unchanged = unchanged + 1 if conversation.rows == before else 0


def jump(conversation: MessageList, share: float) -> None:
    bar = conversation.verticalScrollBar()
    bar.setValue(round(bar.maximum() * share))
    settle(conversation)


def in_view(conversation: MessageList) -> list[tuple[str, int]]:
    """The ids of the messages in the view, each with its distance from the upper edge."""
    top, bottom = conversation.verticalScrollBar().value(), conversation.verticalScrollBar().pageStep()
    places = [(row.message_id, row.y() - top, row.height()) for row in conversation.rows]
    return [(message, y) for message, y, height in places if y + height > 0 and y < bottom]


def row_of(conversation: MessageList, message: str) -> MessageRow:
    return next(row for row in conversation.rows if row.message_id == message)


def test_wherever_the_reader_is_only_rows_near_the_view_have_widgets(conversation: MessageList) -> None:
    settle(conversation)
    most = len(conversation.findChildren(QWidget))
    for share in (0.0, 0.2, 0.9, 0.5, 0.1, 0.7, 0.3, 1.0):
        jump(conversation, share)
        assert len(conversation.rows) <= MOST_ROWS
        assert len(conversation.findChildren(QWidget)) <= 3 * most


def test_every_message_is_seen_in_order_when_the_reader_walks_through(conversation: MessageList) -> None:
    seen: list[str] = []
    bar = conversation.verticalScrollBar()
    jump(conversation, 0.0)
    while bar.value() < bar.maximum():
        seen += [message for message, _ in in_view(conversation) if message not in seen]
        bar.setValue(bar.value() + 200)
    seen += [message for message, _ in in_view(conversation) if message not in seen]

    assert seen == [message.id for message in messages() if message.id[0] in "qa"]


@pytest.mark.parametrize("share", [0.1, 0.35, 0.5, 0.8])
def test_nothing_moves_that_the_reader_sees_while_rows_come_and_go(conversation: MessageList, share: float) -> None:
    bar = conversation.verticalScrollBar()
    bar.setValue(round(bar.maximum() * share))
    seen = in_view(conversation)
    settle(conversation)
    assert seen
    assert in_view(conversation) == seen
    for step in (-200, -200, 200, 200, 150, -150):  # Steps of a wheel move what is seen by just as much.
        before, at = dict(in_view(conversation)), bar.value()
        bar.setValue(at + step)
        settle(conversation)
        after = dict(in_view(conversation))
        assert {after[message] - before[message] for message in before.keys() & after.keys()} == {-step}


def test_a_row_that_comes_back_stands_where_it_stood_and_can_do_what_it_could(conversation: MessageList) -> None:
    bar = conversation.verticalScrollBar()
    for share in (0.5, 0.45, 0.55, 0.5):
        jump(conversation, share)
    at, seen = bar.value(), in_view(conversation)
    row = row_of(conversation, seen[1][0])
    could, text = row.offered, row.text
    jump(conversation, 0.55)
    conversation.show_message("a149")
    settle(conversation)
    assert row not in conversation.rows
    bar.setValue(at)
    settle(conversation)

    assert in_view(conversation) == seen
    back = row_of(conversation, seen[1][0])
    assert (back.offered, back.text) == (could, text)


def select(row: MessageRow) -> None:
    row.findChildren(MessageText)[0].selectAll()


def edit(row: MessageRow) -> None:
    assert isinstance(row, UserRow)
    row.edit()
    row.setFocus()


def unfold(row: MessageRow) -> None:
    next(each for each in row.findChildren(QPushButton) if each.isCheckable() and not each.isHidden()).click()


def mark(row: MessageRow) -> None:
    assert isinstance(row, UserRow)
    row.mark("desktop.conversation.sending")


def change(row: MessageRow) -> None:
    assert isinstance(row, UserRow)
    row.show_text("Another text, which is being stored")


def open_menu(row: MessageRow) -> None:
    row.show_menu(row.mapToGlobal(row.rect().center()))


@pytest.mark.parametrize(
    ("message", "act"),
    [
        ("q70", select),
        ("a71", select),
        ("a72", lambda row: row.setFocus()),
        ("q73", lambda row: row.setFocus()),
        ("a74", lambda row: row.findChildren(MessageText)[0].setFocus()),
        ("q74", edit),
        ("q77", unfold),
        ("a75", unfold),
        ("q75", mark),
        ("q76", change),
        ("a76", open_menu),
    ],
)
def test_a_row_that_somebody_is_at_keeps_its_widgets(
    conversation: MessageList, message: str, act: Callable[[MessageRow], None]
) -> None:
    conversation.activateWindow()
    conversation.show_message(message)
    settle(conversation)
    row = row_of(conversation, message)
    other = conversation.rows[conversation.rows.index(row) + 1]
    act(row)
    for share in (0.05, 0.95):
        jump(conversation, share)
        assert row in conversation.rows
        assert other not in conversation.rows
        assert [each.message_id for each in conversation.rows] == sorted(
            (each.message_id for each in conversation.rows), key=lambda one: (int(one[1:]), one[0] == "a")
        )
    conversation.show_message(message)
    settle(conversation)
    assert row_of(conversation, message) is row


def test_an_answer_that_grows_and_a_question_that_waits_stay_while_the_reader_is_elsewhere(
    conversation: MessageList,
) -> None:
    turn = TurnId("1")
    conversation.show_packet(turn, AnswerDelta(turn_index=0, text="It grows"))
    ask = Ask(turn_index=0, question="x", kind=ASK_YES_NO, text="May I?", choices=("yes", "no"), within_s=60)
    conversation.show_packet(turn, ask)
    answer = conversation.rows[-1]
    card = answer.findChild(AskCard)
    jump(conversation, 0.1)
    conversation.show_packet(turn, AnswerDelta(turn_index=0, text=" and grows"))
    jump(conversation, 1.0)

    assert isinstance(answer, AnswerRow)
    assert conversation.rows[-1] is answer
    assert "and grows" in answer.text
    assert answer.findChild(AskCard) is card


def test_what_is_found_far_away_is_brought_and_marked_wherever_it_comes_from(conversation: MessageList) -> None:
    conversation.mark_words("Answer")
    for message in ("a20", "a120", "a5"):
        assert conversation.shows(message)
        conversation.show_message(message)
        settle(conversation)
        assert message in dict(in_view(conversation))
        marked = row_of(conversation, message).findChildren(MessageText)[-1]
        assert [each.cursor.selectedText() for each in marked.extraSelections()] == ["Answer"]
    conversation.mark_words("")
    assert not any(text.extraSelections() for text in conversation.findChildren(MessageText))


def test_the_keyboard_walks_to_rows_that_have_no_widgets(conversation: MessageList) -> None:
    conversation.activateWindow()
    conversation.rows[-1].setFocus()
    QTest.keyClick(conversation.rows[-1], Qt.Key.Key_Home)
    settle(conversation)
    first = focused_row()
    assert first.message_id == "q0"
    jump(conversation, 0.6)  # The mouse scrolls away, and the focus stays.
    assert focused_row() is first
    for key, expected in (
        (Qt.Key.Key_Down, "a0"),
        (Qt.Key.Key_Down, "q1"),
        (Qt.Key.Key_Up, "a0"),
        (Qt.Key.Key_End, "a149"),
    ):
        QTest.keyClick(focused_row(), key)
        settle(conversation)
        assert focused_row().message_id == expected
        assert expected in dict(in_view(conversation))


def focused_row() -> MessageRow:
    row = QGuiApplication.focusObject()
    assert isinstance(row, MessageRow)
    return row
