from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QAction, QCloseEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QSystemTrayIcon, QWidget
from pytestqt.qtbot import QtBot

from assistant.core.machine.states import InteractionState, ProcessingState, SessionState, Snapshot, TurnId
from assistant.core.messages import Message, Role
from assistant.core.packets import AnswerDelta, Done, Failure, Packet
from assistant.core.records.agents import AgentShown
from assistant.core.service.request import Request
from assistant.core.service.requests.conversations import NewConversation
from assistant.core.service.requests.engine import ListWhatEnds, WhatEnds
from assistant.core.service.requests.models import ListKeptModels
from assistant.core.service.requests.names import ListNames
from assistant.core.service.requests.records import ListTraces
from assistant.core.service.requests.settings import ListSettings, SettingsList
from assistant.core.service.requests.turns import BeginTurn
from assistant.core.service.requests.voice import SetMuted, Stop, ToggleVoice
from assistant.core.texts import Texts
from assistant.core.updates import (
    AnswerInterrupted,
    ConversationOpened,
    EmbeddedModelMemory,
    EngineStopped,
    MessageAdded,
    ModelChosen,
    ModelsKept,
    NoticePosted,
    PacketEmitted,
    PartialHeard,
    Severity,
    StateChanged,
    TurnWithdrawn,
    VoiceAvailable,
)
from assistant.desktop.chrome.notices import MOST_KEPT
from assistant.desktop.chrome.window_menu import MUTE_KEYS
from assistant.desktop.conversation.failure_card import FailureCard
from assistant.desktop.kit.theme import Theme
from assistant.desktop.main_window import SMALLEST, MainWindow
from assistant.desktop.models.models_page import ModelsPage
from assistant.desktop.pages import PAGES
from tests.fakes.front.connection import RecordedConnection

TURN = TurnId("1")
LISTENING = Snapshot(interaction=InteractionState.LISTENING, session=SessionState.ACTIVE, turn=TURN)
THINKING = Snapshot(interaction=InteractionState.PROCESSING, processing=ProcessingState.STREAMING, turn=TURN)
PLACEHOLDER = ModelChosen(provider="local", model="smollm2-135m", placeholder=True)


def enter(window: MainWindow, snapshot: Snapshot) -> None:
    window.show_update(StateChanged(conversation="a", snapshot=snapshot))


def emit(window: MainWindow, *packets: Packet) -> None:
    for packet in packets:
        window.show_update(PacketEmitted(conversation="a", turn=TURN, packet=packet))


def hear(window: MainWindow, *, muted: bool = False, reason: str = "") -> None:
    window.show_update(
        VoiceAvailable(
            microphone="m",
            microphone_reason=reason,
            speaker="s",
            speaker_reason="",
            muted=muted,
            called="Hey Jarvis",
        )
    )


def shortcut(window: MainWindow, name: str) -> QAction:
    action = window.findChild(QAction, name)
    assert action is not None
    return action


def nothing_is_lost(request: object) -> WhatEnds | None:
    return WhatEnds() if isinstance(request, ListWhatEnds) else None


def with_tray(monkeypatch: pytest.MonkeyPatch, *, there: bool) -> None:
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: there)


def test_the_header_names_the_agent_of_the_open_conversation(window: MainWindow) -> None:
    window.show_update(ConversationOpened(conversation="a", messages=(), agent=AgentShown(name="Coach")))
    assert window.strip.agent.text() == "Coach"
    window.show_update(ConversationOpened(conversation="b", messages=()))
    assert window.strip.agent.text() == ""


def test_a_spoken_conversation_from_hearing_to_being_interrupted(window: MainWindow) -> None:
    window.show_update(ConversationOpened(conversation="a", messages=()))
    enter(window, LISTENING)
    window.show_update(PartialHeard(conversation="a", turn=TURN, text="what time", stable=4))
    window.show_update(
        MessageAdded(conversation="a", turn=TURN, message=Message(role=Role.USER, text="What time is it?"))
    )
    enter(window, THINKING)
    emit(window, AnswerDelta(turn_index=0, text="It is "), AnswerDelta(turn_index=0, text="three."))
    enter(window, Snapshot(interaction=InteractionState.SPEAKING, session=SessionState.ACTIVE, turn=TURN))
    window.show_update(AnswerInterrupted(conversation="a", turn=TURN))
    emit(window, Done(turn_index=0, finish="cancelled"))

    assert [row.text for row in window.conversation.rows] == ["What time is it?", "It is three."]
    assert window.strip.word.text() == "Speaking"


def test_a_message_that_was_half_of_one_goes_with_its_answer(window: MainWindow) -> None:
    whole = TurnId("2")
    window.show_update(ConversationOpened(conversation="a", messages=()))
    window.show_update(
        MessageAdded(conversation="a", turn=TURN, message=Message(role=Role.USER, text="What time", id="half"))
    )
    enter(window, THINKING)
    emit(window, AnswerDelta(turn_index=0, text="Time for what?"))
    enter(window, replace(THINKING, turn=whole))
    window.show_update(TurnWithdrawn(conversation="a", turn=TURN))
    emit(window, Done(turn_index=0, finish="cancelled"))
    window.show_update(
        MessageAdded(conversation="a", turn=whole, message=Message(role=Role.USER, text="What time is it?", id="whole"))
    )
    window.show_update(PacketEmitted(conversation="a", turn=whole, packet=AnswerDelta(turn_index=0, text="Three.")))

    assert [row.text for row in window.conversation.rows] == ["What time is it?", "Three."]


def test_what_is_typed_is_sent_and_shown(window: MainWindow, connection: RecordedConnection) -> None:
    QTest.keyClicks(window.composer.input, "Hello")
    QTest.keyClick(window.composer.input, Qt.Key.Key_Return)

    assert connection.sent == [BeginTurn(turn=TurnId("1"), conversation="a", text="Hello")]
    assert [row.text for row in window.conversation.rows] == ["Hello"]


def test_the_rest_of_an_answer_that_was_cut_off_is_asked_for_with_a_button(
    window: MainWindow, connection: RecordedConnection
) -> None:
    late = Failure(turn_index=1, code="timeout", message="Nothing more came.", offers=("continue", "other_model"))
    window.show_update(MessageAdded(conversation="a", turn=TURN, message=Message(role=Role.USER, text="Tell me")))
    for packet in (AnswerDelta(turn_index=0, text="Once upon"), late, Done(turn_index=2, finish="incomplete")):
        window.show_update(PacketEmitted(conversation="a", turn=TURN, packet=packet))
    card = window.conversation.rows[-1].findChild(FailureCard)
    assert card is not None

    next(each for each in card.findChildren(QPushButton) if each.text() == "Continue").click()

    assert connection.sent[-1:] == [BeginTurn(turn=TurnId("1"), conversation="a", text="Continue")]


def test_the_greeting_gives_way_to_the_conversation_and_comes_back(window: MainWindow) -> None:
    greeted = window.empty.isVisible()
    window.show_update(MessageAdded(conversation="a", turn=TURN, message=Message(role=Role.USER, text="Hi")))
    talking = window.conversation.isVisible()
    window.show_update(ConversationOpened(conversation="b", messages=()))

    assert greeted
    assert talking
    assert window.empty.isVisible()


def test_escape_stops_what_goes_on_and_nothing_else(window: MainWindow, connection: RecordedConnection) -> None:
    shortcut(window, "stop").trigger()
    idle = list(connection.sent)
    enter(window, THINKING)

    QTest.keyClick(window, Qt.Key.Key_Escape)

    assert idle == []
    assert connection.sent == [Stop()]
    assert window.focusWidget() is window.composer.input


def test_voice_mute_and_new_conversation_have_keys(window: MainWindow, connection: RecordedConnection) -> None:
    for name, keys in (("voice", "Ctrl+T"), ("mute", MUTE_KEYS), ("new", "Ctrl+N"), ("quit", "Ctrl+Q")):
        assert shortcut(window, name).shortcut().toString() == keys
    for name in ("voice", "mute", "new"):
        shortcut(window, name).trigger()

    assert connection.sent == [ToggleVoice(), SetMuted(muted=True), NewConversation()]


def test_checks_follow_the_engine_and_not_the_click(window: MainWindow, connection: RecordedConnection) -> None:
    mute = shortcut(window, "mute")
    mute.trigger()
    after_click = mute.isChecked()
    hear(window, muted=True)
    after_update = mute.isChecked()
    mute.trigger()

    assert (after_click, after_update) == (False, True)
    assert connection.sent == [SetMuted(muted=True), SetMuted(muted=False)]


def test_typing_anywhere_goes_into_the_input(window: MainWindow, qtbot: QtBot) -> None:
    window.show_update(MessageAdded(conversation="a", turn=TURN, message=Message(role=Role.USER, text="Hi")))
    row = window.conversation.rows[0]
    qtbot.waitUntil(row.isVisible)
    row.setFocus()

    QTest.keyClick(row, Qt.Key.Key_A)

    assert window.composer.input.toPlainText() == "a"


def test_the_last_answer_is_copied_by_key(window: MainWindow) -> None:
    emit(window, AnswerDelta(turn_index=0, text="Forty-two."), Done(turn_index=0, finish="complete"))

    shortcut(window, "copy_answer").trigger()

    assert QGuiApplication.clipboard().text() == "Forty-two."
    assert window.notices.messages == ("Copied",)


def test_a_stand_in_is_called_one_and_the_page_tells_how_to_get_better(window: MainWindow, tmp_path: Path) -> None:
    window.show_update(PLACEHOLDER)
    words = window.model.words
    window.models.more_wanted.emit()
    page = window.findChild(ModelsPage)
    assert page is not None
    said = " ".join(label.text() for label in page.findChildren(QLabel))

    assert words == "smollm2-135m · very small — Choose a better model"
    assert "very small model" in said
    assert str(tmp_path / "config.toml") in said
    window.pages.open[0].accept()


def test_a_model_is_named_with_its_provider(window: MainWindow) -> None:
    window.show_update(ModelChosen(provider="mine", model="qwen3:8b", placeholder=False))

    assert window.model.text() == "qwen3:8b · mine"
    assert window.model.toolTip() == ""
    assert window.model.accessibleName() == "Language model: qwen3:8b · mine"


def test_a_long_models_name_is_cut_in_its_middle_so_that_the_provider_stays(window: MainWindow) -> None:
    window.resize(320, 480)
    long = "an-organisation-with-a-name/a-model-with-a-longer-name-still"
    window.show_update(ModelChosen(provider="mine", model=long, placeholder=False))

    assert window.model.text().startswith("an-")
    assert window.model.text().endswith("mine")
    assert "…" in window.model.text()
    assert window.model.toolTip() == f"{long} · mine"
    assert window.model.accessibleName() == f"Language model: {long} · mine"


@pytest.mark.parametrize("width", [320, 480, 1000, 2560])
def test_the_model_is_a_chip_in_the_composer_and_takes_no_more_room_than_its_name(
    qtbot: QtBot, window: MainWindow, width: int
) -> None:
    window.resize(width, 700)
    window.show_update(ModelChosen(provider="mine", model="qwen3:8b", placeholder=False))
    composer = window.composer
    qtbot.waitUntil(lambda: window.model.width() <= window.model.sizeHint().width())
    assert composer.isAncestorOf(window.model)
    chip = window.model.geometry()
    assert composer.voice.geometry().right() < chip.left()
    assert chip.right() < composer.send.geometry().left()


@pytest.mark.parametrize(
    ("language", "asked", "answer"),
    [("ko", "지금 몇 시야?", "오후 세 시 이십 분이에요."), ("en", "What time is it?", "It is twenty past three.")],
)
def test_seven_short_turns_are_seen_at_once_in_a_window_of_760_pixels(
    qtbot: QtBot, make_window: Callable[[str], MainWindow], language: str, asked: str, answer: str
) -> None:
    window = make_window(language)
    window.resize(1000, 760)
    said = Message(role=Role.USER, text=asked), Message(role=Role.ASSISTANT, text=answer)
    window.show_update(ConversationOpened(conversation="a", messages=said * 7))
    qtbot.waitUntil(lambda: len(window.conversation.rows) == 14)
    QApplication.processEvents()
    assert window.conversation.verticalScrollBar().maximum() == 0


def test_what_the_own_model_takes_is_told_while_it_is_loaded(window: MainWindow) -> None:
    window.show_update(EmbeddedModelMemory(model="smollm2-135m", size=98_000_000, memory=250_000_000))
    assert "250 MB" in window.model.toolTip()
    window.show_update(EmbeddedModelMemory(model="smollm2-135m", size=98_000_000, memory=0))
    assert "MB" not in window.model.toolTip()


def test_notices_are_shown_in_the_users_words_and_the_same_one_once(window: MainWindow, texts: Texts) -> None:
    for _ in range(2):
        window.show_update(NoticePosted(key="desktop.notice.restarted", severity=Severity.WARNING))

    assert window.notices.messages == (texts("desktop.notice.restarted"),)


def test_a_notice_without_a_text_shows_its_key_and_breaks_nothing(window: MainWindow) -> None:
    window.show_update(NoticePosted(key="no.such.text", values={"a": "b"}))

    assert window.notices.messages == ("no.such.text",)


def test_plain_notices_make_room_for_new_ones_before_warnings_do(window: MainWindow) -> None:
    window.notices.post("warning", Severity.WARNING)
    for number in range(MOST_KEPT + 1):
        window.notices.post(f"info {number}", Severity.INFO)

    assert window.notices.messages == ("warning", *(f"info {number}" for number in range(2, MOST_KEPT + 1)))


def test_a_notice_is_dismissed_by_its_button(window: MainWindow) -> None:
    window.notices.post("Something happened.", Severity.ERROR)
    shown = window.notices.isVisible()
    button = next(each for each in window.notices.findChildren(QWidget) if each.accessibleName() == "Dismiss")

    QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    assert shown
    assert window.notices.messages == ()
    assert not window.notices.isVisible()


def test_after_the_engine_has_ended_messages_say_that_they_were_not_sent(
    window: MainWindow, connection: RecordedConnection
) -> None:
    window.show_update(EngineStopped(reason="The disk is full."))
    assert window.model.words == "Sori's engine has stopped"
    QTest.keyClicks(window.composer.input, "Hello")
    QTest.keyClick(window.composer.input, Qt.Key.Key_Return)

    notice = window.notices.shown
    assert notice is not None
    assert (notice.message, notice.detail.text()) == (
        "Sori's engine has stopped. Please start Sori again.",
        "The disk is full.",
    )
    assert connection.sent == []
    assert window.composer.text == "Hello"


def test_an_engine_that_was_asked_to_end_leaves_no_notice(window: MainWindow) -> None:
    window.show_update(EngineStopped())

    assert window.notices.messages == ()


def test_closing_hides_into_the_tray_where_there_is_one(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    with_tray(monkeypatch, there=True)
    left: list[bool] = []
    window.quit_wanted.connect(lambda: left.append(True))

    window.close()
    hidden = not window.isVisible()
    window.present()

    assert hidden
    assert left == []
    assert window.isVisible()


def test_closing_without_a_tray_ends_sori(
    window: MainWindow, connection: RecordedConnection, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    with_tray(monkeypatch, there=False)
    connection.answers = nothing_is_lost
    window.tells("no_tray")

    with qtbot.waitSignal(window.quit_wanted):
        window.close()


def test_a_session_that_ends_is_not_held_up_by_the_tray(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    with_tray(monkeypatch, there=True)
    window.let_close()
    event = QCloseEvent()

    QApplication.sendEvent(window, event)

    assert event.isAccepted()


def test_the_window_comes_back_where_and_as_large_as_it_was(make_window: Callable[[str], MainWindow]) -> None:
    first = make_window("ko")
    first.resize(640, 700)
    first.move(QPoint(60, 40))
    first.leave()

    second = make_window("ko")

    assert (second.size(), second.pos()) == (first.size(), first.pos())


def test_the_tray_shows_the_state_and_sends_what_is_chosen(
    window: MainWindow, connection: RecordedConnection, qtbot: QtBot
) -> None:
    enter(window, LISTENING)
    hear(window)
    actions = {action.text(): action for action in window.tray.menu.actions() if action.text()}
    connection.answers = nothing_is_lost

    actions["Talk"].trigger()
    actions["Microphone off"].trigger()
    with qtbot.waitSignal(window.quit_wanted):
        actions["Quit"].trigger()
    window.hide()
    actions["Show window"].trigger()

    assert window.tray.tooltip == "Sori · Listening"
    assert actions["Talk"].isChecked()
    assert connection.sent == [ToggleVoice(), SetMuted(muted=True), ListWhatEnds()]
    assert window.isVisible()


def test_the_tray_says_when_the_microphone_is_off(window: MainWindow) -> None:
    hear(window, muted=True)

    assert window.tray.tooltip == "Sori · The microphone is off"


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("size", [SMALLEST, (500, 760), (1600, 1000)])
def test_nothing_sticks_out_at_any_size(
    make_window: Callable[[str], MainWindow], language: str, size: tuple[int, int]
) -> None:
    window = make_window(language)
    window.show_update(PLACEHOLDER)
    hear(window, reason="마이크가 없어요. 마이크를 연결하고 잠시 기다려 주세요. " * 3)
    window.notices.post("아주 긴 알림이 와도 창 안에서 줄이 바뀌어야 해요. " * 4, Severity.WARNING)
    enter(window, Snapshot())
    window.resize(*size)
    QApplication.processEvents()

    assert (window.width(), window.height()) == size
    for widget in window.findChildren(QWidget):
        if widget.isVisible() and widget.window() is window:
            right = widget.mapTo(window, QPoint(widget.width(), 0)).x()
            assert right <= window.width(), widget
    bottom = window.model.mapTo(window, QPoint(0, window.model.height())).y()
    assert bottom <= window.height()


def test_everything_that_can_be_pressed_has_a_name(window: MainWindow) -> None:
    nameless = [
        each
        for each in window.findChildren(QWidget)
        if each.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not (each.accessibleName() or (isinstance(each, QPushButton) and each.text()))
        and each.isVisible()
    ]

    assert nameless == []


def test_the_colours_change_while_the_window_is_open(window: MainWindow, theme: Theme) -> None:
    window.show_update(MessageAdded(conversation="a", turn=TURN, message=Message(role=Role.USER, text="Hi")))
    enter(window, THINKING)
    QApplication.processEvents()
    light = window.grab().toImage().pixelColor(window.width() // 2, window.height() // 2).lightness()

    theme.choose("dark")
    dark = window.grab().toImage().pixelColor(window.width() // 2, window.height() // 2).lightness()

    assert light > 200
    assert dark < 60


def test_what_belongs_to_another_conversation_is_not_shown_in_this_one(window: MainWindow) -> None:
    window.show_update(ConversationOpened(conversation="here", messages=()))
    said = Message(role=Role.USER, text="Elsewhere", id="1")
    window.show_update(MessageAdded(conversation="there", turn=TURN, message=said))
    answer = AnswerDelta(turn_index=0, text="Not here.")
    window.show_update(PacketEmitted(conversation="there", turn=TURN, packet=answer))
    assert window.conversation.rows == ()
    window.show_update(PacketEmitted(conversation="here", turn=TURN, packet=answer))
    assert len(window.conversation.rows) == 1


@pytest.mark.parametrize(
    ("name", "request_type", "reply"),
    [
        ("settings", ListSettings, SettingsList(settings=(), fault=None)),
        ("names", ListNames, ()),
        ("traces", ListTraces, ()),
        ("models", ListKeptModels, ModelsKept(models=(), keys=(), keyring=True, file="")),
    ],
)
def test_a_reply_for_a_page_that_was_closed_is_dropped(
    window: MainWindow, connection: RecordedConnection, name: str, request_type: type[Request[Any]], reply: object
) -> None:
    window.show_page(name)
    window.pages.open[0].accept()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    connection.reply(request_type, reply)
    assert not window.pages.open


@pytest.mark.parametrize("name", [page.name for page in PAGES])
def test_a_page_opens_by_its_name_and_only_once(window: MainWindow, name: str) -> None:
    window.show_page(name)
    window.show_page(name, "voice.speed")
    assert len(window.pages.open) == 1
    assert window.pages.shown is not None
    assert window.pages.shown[0] == name


def test_what_rings_is_in_the_bar_alone_and_what_rang_in_vain_stays_to_be_read(window: MainWindow) -> None:
    rings = NoticePosted(key="notice.rang", values={"text": "Your tea timer is done."}, about="timer 1")
    window.show_update(rings)
    before = window.notices.messages
    window.show_update(replace(rings, severity=Severity.WARNING))
    assert (before, window.notices.messages) == ((), ("Your tea timer is done.",))
    assert not window.conversation.isVisible()


@pytest.mark.parametrize("name", ["done", "failed", "missed", "interrupted"])
def test_a_scheduled_request_is_told_in_the_window_and_on_the_desktop(
    window: MainWindow, texts: Texts, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    called: list[tuple[str, str]] = []
    monkeypatch.setattr(window.calling.notifications, "tell", lambda title, words, _: called.append((title, words)))
    monkeypatch.setattr(window, "isActiveWindow", lambda: False)
    values = {"what": "read me the news", "answer": "It rains.", "requests": "read me the news"}
    window.show_update(NoticePosted(key=f"notice.scheduled.{name}", values=values, about="request 1"))
    (told,) = window.notices.messages
    assert told == texts(f"notice.scheduled.{name}", **values)
    assert [f"{title}\n{words}".strip() for title, words in called] == [told]


@pytest.mark.parametrize("worded", [True, False])
def test_why_the_engine_ended_is_told_at_once_where_there_are_words_for_it(window: MainWindow, worded: bool) -> None:
    reason = "The disk is full: /h/sori.db. Make room, then try again."
    window.show_update(EngineStopped(reason=reason, worded=worded))
    (told,) = window.notices.messages
    assert (told == reason) is worded
