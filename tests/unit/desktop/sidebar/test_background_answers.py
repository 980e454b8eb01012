"""What the window shows of conversations that are answered while another one is open."""

import pytest
from PySide6.QtCore import Qt

from assistant.core.machine.states import NO_TURN, InteractionState, Snapshot, TurnId
from assistant.core.messages import Message, Role
from assistant.core.packets import CONFIRM_TOOL, AnswerDelta, Answered, Ask, Done, Packet
from assistant.core.records.conversations import ConversationEntry, ConversationMark
from assistant.core.service.requests.turns import GiveAnswer, StopTurn
from assistant.core.texts import Texts
from assistant.core.updates import (
    ConversationMarked,
    ConversationOpened,
    MessageAdded,
    PacketEmitted,
    StateChanged,
)
from assistant.desktop.conversation.answer_row import AnswerRow
from assistant.desktop.conversation.message_rows import UserRow
from assistant.desktop.main_window import MainWindow
from tests.fakes.front.connection import RecordedConnection

TURN = TurnId("left")
QUESTION = Message(id="q1", role=Role.USER, text="Tell me a story")
ASK = Ask(
    turn_index=0,
    question="q",
    kind=CONFIRM_TOOL,
    text="May I read the diary?",
    choices=("yes", "no"),
    within_s=30.0,
    tool="read_diary",
)
ENTRIES = tuple(
    ConversationEntry(id=name, title=name.title(), updated_at="2026-01-01T00:00:00+00:00") for name in ("a", "b")
)


@pytest.fixture
def window(window: MainWindow) -> MainWindow:
    """The window with two conversations, the second one open."""
    window.resize(1000, 700)
    window.show_update(ConversationOpened(conversation="b", messages=()))
    window.side.show_listed("", ENTRIES)
    window.show_update(StateChanged(conversation="b", snapshot=Snapshot()))
    return window


def mark(window: MainWindow, mark: ConversationMark, turn: TurnId = NO_TURN) -> None:
    window.show_update(ConversationMarked(conversation="a", mark=mark, turn=turn))


def emit(window: MainWindow, *packets: Packet) -> None:
    for packet in packets:
        window.show_update(PacketEmitted(conversation="a", turn=TURN, packet=packet))


def come_back(window: MainWindow, *packets: Packet) -> None:
    """Open the conversation that is answered, as the engine does."""
    window.show_update(ConversationOpened(conversation="a", messages=(QUESTION,)))
    mark(window, ConversationMark.ANSWERING, TURN)
    window.show_update(MessageAdded(conversation="a", turn=TURN, message=QUESTION))
    emit(window, *packets)


def rows_of(window: MainWindow) -> list[str]:
    return [row.text for row in window.conversation._rows if isinstance(row, UserRow | AnswerRow)]


def spoken(window: MainWindow) -> str:
    """What a screen reader says of the first conversation."""
    model = window.side.model
    return str(model.data(model.index_of("a"), Qt.ItemDataRole.AccessibleTextRole))


@pytest.mark.parametrize("each", [each for each in ConversationMark if each is not ConversationMark.NONE])
def test_a_mark_is_drawn_and_said_until_it_goes(window: MainWindow, texts: Texts, each: ConversationMark) -> None:
    model = window.side.model
    plain, name = window.side.rows.grab().toImage(), spoken(window)
    mark(window, each)
    assert model.mark_at(model.index_of("a")) is each
    assert window.side.rows.grab().toImage() != plain
    assert spoken(window) == f"A. {texts(f'desktop.sidebar.mark.{each}')}"
    mark(window, ConversationMark.NONE)
    assert window.side.rows.grab().toImage() == plain
    assert spoken(window) == name


def test_a_mark_is_there_when_its_conversation_is_listed_later(window: MainWindow) -> None:
    window.side.show_listed("", ENTRIES[1:])
    mark(window, ConversationMark.UNREAD)
    window.side.show_listed("", ENTRIES)
    model = window.side.model
    assert model.mark_at(model.index_of("a")) is ConversationMark.UNREAD


def test_an_answer_streams_on_without_loss_or_doubling_where_it_is_opened_again(window: MainWindow) -> None:
    mark(window, ConversationMark.ANSWERING, TURN)
    emit(window, AnswerDelta(turn_index=0, text="Once "))
    assert rows_of(window) == []
    come_back(window, AnswerDelta(turn_index=0, text="Once "))
    emit(window, AnswerDelta(turn_index=0, text="upon a time."))
    assert rows_of(window) == ["Tell me a story", "Once upon a time."]
    emit(window, Done(turn_index=0, finish="complete"))
    mark(window, ConversationMark.NONE)
    assert rows_of(window) == ["Tell me a story", "Once upon a time."]
    assert [row.asked for row in window.conversation._rows if isinstance(row, AnswerRow)] == [True]


def test_stop_stops_the_answer_in_sight_although_the_session_does_not_drive_it(
    window: MainWindow, connection: RecordedConnection
) -> None:
    come_back(window)
    window.composer.stop_wanted.emit()
    assert connection.sent[-1] == StopTurn(turn=TURN)
    mark(window, ConversationMark.NONE)
    sent = len(connection.sent)
    window.composer.stop_wanted.emit()
    assert connection.sent[sent:] == []


def test_the_window_is_busy_only_while_the_conversation_in_sight_is_answered(window: MainWindow, texts: Texts) -> None:
    idle = window.strip.word.text()
    mark(window, ConversationMark.ANSWERING, TURN)
    assert window.strip.word.text() == idle
    come_back(window)
    assert window.strip.word.text() != idle
    window.show_update(ConversationOpened(conversation="b", messages=()))
    assert window.strip.word.text() == idle


def test_a_question_of_a_conversation_that_is_not_shown_is_told_and_answered_there(
    window: MainWindow, connection: RecordedConnection, texts: Texts
) -> None:
    window.show_update(ConversationMarked(conversation="a", mark=ConversationMark.ASKING, turn=TURN, question=ASK.text))
    words = texts("desktop.notice.asks_elsewhere", question=ASK.text)
    assert words in window.notices.messages
    come_back(window, ASK)
    window.conversation.answer_chosen.emit(TURN, "q", "yes", "")
    assert connection.sent[-1] == GiveAnswer(turn=TURN, question="q", choice="yes")
    emit(window, Answered(turn_index=0, question="q", outcome="yes"))


def test_listening_goes_on_beside_an_answer_in_the_background(window: MainWindow) -> None:
    come_back(window)
    listening = Snapshot(interaction=InteractionState.LISTENING, turn=TurnId("2"))
    window.show_update(StateChanged(conversation="a", snapshot=listening))
    busy = window.strip.word.text()
    window.show_update(StateChanged(conversation="a", snapshot=Snapshot()))
    assert window.strip.word.text() != busy
