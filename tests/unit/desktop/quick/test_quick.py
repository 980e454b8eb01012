"""The quick window and the overlay: what is typed and heard, the answer as it comes, and when they are gone (D-01)."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from assistant.core import updates as up
from assistant.core.machine.states import InteractionState, SessionState, Snapshot, TurnId
from assistant.core.messages import Message, Role
from assistant.core.packets import AnswerDelta, Done
from assistant.core.service.requests.turns import BeginTurn
from assistant.core.service.requests.voice import Stop
from assistant.desktop.keyboard import global_keys
from assistant.desktop.main_window import MainWindow
from tests.fakes.front.connection import RecordedConnection

TURN = TurnId("t")
LISTENS = Snapshot(interaction=InteractionState.LISTENING, session=SessionState.ACTIVE)
SPEAKS = Snapshot(interaction=InteractionState.SPEAKING, session=SessionState.ACTIVE, by_voice=True)


def state(snapshot: Snapshot) -> up.StateChanged:
    return up.StateChanged(conversation="a", snapshot=snapshot)


def typed_turn(connection: RecordedConnection) -> BeginTurn:
    return next(each for each in reversed(connection.sent) if isinstance(each, BeginTurn))


def test_a_question_is_sent_and_its_answer_streams_there(window: MainWindow, connection: RecordedConnection) -> None:
    window.shortcuts.press(global_keys.QUICK)
    QTest.keyClicks(window.beside.quick.input, "What is this?")
    QTest.keyClick(window.beside.quick.input, Qt.Key.Key_Return)
    turn = typed_turn(connection).turn
    assert typed_turn(connection).text == "What is this?"
    message = Message(id="m", role=Role.USER, text="What is this?", turn=turn)
    window.show_update(up.MessageAdded(conversation="a", turn=turn, message=message))
    for piece in ("A **small**", " window."):
        window.show_update(up.PacketEmitted(conversation="a", turn=turn, packet=AnswerDelta(turn_index=0, text=piece)))
    assert window.beside.quick.question.text() == "What is this?"
    assert window.beside.quick.answer.source == "A **small** window."
    assert window.conversation.last_answer == "A **small** window."


def test_the_shortcut_opens_it_and_escape_hides_it(window: MainWindow) -> None:
    window.hide()
    window.shortcuts.press(global_keys.QUICK)
    assert window.beside.quick.isVisible()
    escape = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(window.beside.quick, escape)
    assert not window.beside.quick.isVisible()


def test_the_conversation_goes_on_in_the_window(window: MainWindow) -> None:
    window.hide()
    window.shortcuts.press(global_keys.QUICK)
    window.beside.quick.follow(TURN, "Hello")
    window.beside.quick.open.click()
    assert (window.beside.quick.isVisible(), window.isVisible()) == (False, True)


def test_an_answer_of_another_turn_is_not_shown_there(window: MainWindow) -> None:
    window.beside.quick.follow(TURN, "Hello")
    window.show_update(
        up.PacketEmitted(conversation="a", turn=TurnId("x"), packet=AnswerDelta(turn_index=0, text="no"))
    )
    assert window.beside.quick.answer.source == ""


def test_a_called_sori_is_seen_while_the_window_is_closed(window: MainWindow) -> None:
    window.hide()
    window.show_update(state(LISTENS))
    window.show_update(up.PartialHeard(conversation="a", turn=TURN, text="What time"))
    assert (window.beside.overlay.isVisible(), window.beside.overlay.words.text()) == (True, "What time")
    window.show_update(state(SPEAKS))
    window.show_update(up.SentenceBegun(conversation="a", turn=TURN, text="It is five."))
    assert window.beside.overlay.words.text() == "It is five."
    window.show_update(state(Snapshot()))
    assert not window.beside.overlay.isVisible()


@pytest.mark.parametrize(
    "show",
    [
        lambda window: None,
        lambda window: (window.hide(), window.shortcuts.press(global_keys.QUICK)),
    ],
)
def test_what_shows_the_voice_anyway_needs_no_overlay(window: MainWindow, show: Callable[[MainWindow], object]) -> None:
    show(window)
    window.show_update(state(LISTENS))
    assert not window.beside.overlay.isVisible()


def test_an_answer_that_is_only_written_calls_no_overlay(window: MainWindow) -> None:
    window.hide()
    window.show_update(state(Snapshot(interaction=InteractionState.PROCESSING)))
    assert not window.beside.overlay.isVisible()


def test_the_overlay_comes_and_goes_with_the_window(window: MainWindow) -> None:
    window.show_update(state(LISTENS))
    window.hide()
    assert window.beside.overlay.isVisible()
    window.show()
    assert not window.beside.overlay.isVisible()


def test_its_button_stops(window: MainWindow, connection: RecordedConnection) -> None:
    window.beside.overlay.stop.click()
    assert isinstance(connection.sent[-1], Stop)


def test_both_never_take_the_keyboard_away_by_themselves(window: MainWindow, qtbot: QtBot) -> None:
    overlay, dictation = window.beside.overlay, window.dictation.overlay
    for each in (overlay, dictation):
        assert each.testAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        assert each.windowFlags() & Qt.WindowType.WindowDoesNotAcceptFocus
    assert dictation.windowFlags() & Qt.WindowType.WindowTransparentForInput


def test_the_end_of_an_answer_completes_it(window: MainWindow) -> None:
    window.beside.quick.follow(TURN, "Hello")
    for packet in (AnswerDelta(turn_index=0, text="one **two"), Done(turn_index=0, finish="complete")):
        window.show_update(up.PacketEmitted(conversation="a", turn=TURN, packet=packet))
    assert not window.beside.quick.answer.waiting
