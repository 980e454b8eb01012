from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from assistant.core.machine.states import InteractionState, ProcessingState, SessionState, Snapshot, TurnId
from assistant.core.packets import CONFIRM_TOOL, Ask, Failure, Packet, PageOffer
from assistant.core.texts import Texts
from assistant.core.updates import (
    ConversationOpened,
    LevelMeasured,
    PacketEmitted,
    PartialHeard,
    SentenceBegun,
    StateChanged,
)
from assistant.desktop.kit.theme import Theme
from assistant.desktop.main_window import MainWindow
from assistant.desktop.presence.centre import is_voiced
from assistant.desktop.presence.listening_view import CAPTION_CHARS, ListeningView
from assistant.desktop.presence.mood import Mood

TURN = TurnId("1")
IDLE = Snapshot()
LISTENING = Snapshot(interaction=InteractionState.LISTENING, session=SessionState.ACTIVE, turn=TURN)
HELD = Snapshot(interaction=InteractionState.LISTENING, turn=TURN)
THINKING = Snapshot(
    interaction=InteractionState.PROCESSING,
    processing=ProcessingState.STREAMING,
    session=SessionState.ACTIVE,
    turn=TURN,
    by_voice=True,
)
ANSWERING_HELD = Snapshot(
    interaction=InteractionState.PROCESSING, processing=ProcessingState.STREAMING, turn=TURN, by_voice=True
)
SPEAKING = Snapshot(interaction=InteractionState.SPEAKING, session=SessionState.ACTIVE, turn=TURN, by_voice=True)
TYPED = Snapshot(interaction=InteractionState.PROCESSING, processing=ProcessingState.STREAMING, turn=TURN)
READ_ALOUD = Snapshot(interaction=InteractionState.SPEAKING, turn=TURN)


@pytest.mark.parametrize(
    ("snapshot", "voiced"),
    [
        (IDLE, False),
        (TYPED, False),
        (READ_ALOUD, False),
        (LISTENING, True),
        (HELD, True),
        (THINKING, True),
        (ANSWERING_HELD, True),
        (SPEAKING, True),
        (Snapshot(session=SessionState.ACTIVE), True),
        (Snapshot(session=SessionState.ENDING), True),
        (Snapshot(by_voice=True), False),
    ],
)
def test_whoever_talks_gets_the_listening_view_and_whoever_types_does_not(snapshot: Snapshot, voiced: bool) -> None:
    assert is_voiced(snapshot) is voiced


def enter(window: MainWindow, snapshot: Snapshot) -> None:
    window.show_update(StateChanged(conversation="a", snapshot=snapshot))


def test_captions_run_from_what_is_heard_to_what_is_said(window: MainWindow) -> None:
    view, seen = window.listening, []
    enter(window, LISTENING)
    window.show_update(LevelMeasured(level_db=-20))
    assert view.presence.level > 0
    for text, stable in (("what", 0), ("what time is", 4)):
        window.show_update(PartialHeard(conversation="a", turn=TURN, text=text, stable=stable))
        seen.append(view.caption.toPlainText())
    enter(window, THINKING)
    seen.append(view.caption.toPlainText())
    for sentence in ("It is three.", "Anything\nelse?"):
        window.show_update(SentenceBegun(conversation="a", turn=TURN, text=sentence))
        enter(window, SPEAKING)
        seen.append(view.caption.toPlainText())
    enter(window, LISTENING)
    seen.append(view.caption.toPlainText())

    assert seen == ["what", "what time is", "what time is", "It is three.", "Anything else?", ""]
    assert view.isVisible()


def test_state_and_voice_are_told_in_one_place(window: MainWindow) -> None:
    places = []
    for snapshot in (IDLE, SPEAKING, IDLE):
        enter(window, snapshot)
        places.append((window.strip.presence.isVisible(), window.strip.word.isVisible(), window.listening.isVisible()))
    assert places == [(True, False, False), (False, False, True), (True, False, False)]
    assert window.listening.word.text() == "Ready"
    enter(window, SPEAKING)
    assert window.listening.word.text() == "Speaking · Speak or press Esc to stop"


def test_the_listening_view_comes_and_goes_with_the_talk(window: MainWindow) -> None:
    shown = []
    for snapshot in (IDLE, TYPED, LISTENING, THINKING, SPEAKING, IDLE):
        enter(window, snapshot)
        shown.append((window.listening.isVisible(), window.strip.listen.isVisible()))
    assert shown == [(False, False)] * 2 + [(True, True)] * 3 + [(False, False)]


def test_whoever_prefers_the_conversation_keeps_it_also_in_another_window(
    window: MainWindow, make_window: Callable[[str], MainWindow]
) -> None:
    enter(window, LISTENING)
    window.strip.listen.click()
    chosen = [window.listening.isVisible()]
    for snapshot in (IDLE, LISTENING):
        enter(window, snapshot)
        chosen.append(window.listening.isVisible())
    another = make_window("en")
    another.show_update(ConversationOpened(conversation="a", messages=()))
    enter(another, LISTENING)
    chosen.append(another.listening.isVisible())
    another.strip.listen.click()
    chosen.append(another.listening.isVisible())
    assert chosen == [False, False, False, False, True]


@pytest.mark.parametrize(
    "packet",
    [
        Ask(turn_index=0, question="q", kind=CONFIRM_TOOL, text="Run?", choices=("yes", "no"), within_s=30),
        Failure(turn_index=0, code="network", message="The network is down."),
        PageOffer(turn_index=0, page="settings", title="Settings"),
    ],
)
def test_what_must_be_seen_takes_the_place_of_the_view_until_the_next_talk(window: MainWindow, packet: Packet) -> None:
    enter(window, THINKING)
    window.show_update(PacketEmitted(conversation="a", turn=TURN, packet=packet))
    seen = [window.listening.isVisible()]
    for snapshot in (SPEAKING, IDLE, LISTENING):
        enter(window, snapshot)
        seen.append(window.listening.isVisible())
    assert seen == [False, False, False, True]


def test_what_is_typed_during_a_talk_is_seen(window: MainWindow) -> None:
    enter(window, LISTENING)
    window.composer.put("And tomorrow?")
    window.composer.submit()
    assert not window.listening.isVisible()


@pytest.fixture
def view(qtbot: QtBot, texts: Texts, theme: Theme) -> ListeningView:
    view = ListeningView(texts, theme)
    qtbot.addWidget(view)
    view.resize(640, 480)
    view.show()
    return view


@pytest.mark.parametrize("text", ["말하기 " * 200, "x" * 1000, "one two " * 90])
@pytest.mark.parametrize("spoken", [False, True])
def test_of_a_long_caption_the_end_is_shown(view: ListeningView, text: str, spoken: bool) -> None:
    if spoken:
        view.say(text)
    else:
        view.hear(text, 10)
    caption = view.caption.toPlainText()
    assert len(caption) <= CAPTION_CHARS + 2
    assert text.strip().endswith(caption.strip()[-20:])


@pytest.mark.parametrize(("width", "height"), [(320, 260), (480, 400), (1000, 700), (2560, 1300)])
@pytest.mark.parametrize("mood", [LISTENING, THINKING, SPEAKING])
def test_voice_and_caption_fit_every_window(view: ListeningView, mood: Snapshot, width: int, height: int) -> None:
    view.resize(width, height)
    view.enter(mood)
    view.say("가나다라 마바사 " * 30)
    place = view.caption.mapTo(view, view.caption.rect().topLeft())
    assert place.x() >= 0
    assert place.x() + view.caption.width() <= view.width()
    assert view.presence.geometry().bottom() <= place.y()


def test_the_voice_shows_the_mood_large(view: ListeningView, window: MainWindow) -> None:
    view.enter(SPEAKING)
    assert view.presence.mood is Mood.SPEAKING
    assert view.presence.width() > 3 * window.strip.presence.width()
