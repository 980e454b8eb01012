from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel
from pytestqt.qtbot import QtBot

from assistant.core.machine.states import TurnId
from assistant.core.service.requests.turns import BeginTurn
from assistant.core.service.requests.voice import ToggleVoice
from assistant.core.updates import VoiceAvailable
from assistant.desktop.main_window import MainWindow
from tests.fakes.front.connection import RecordedConnection

NO_MICROPHONE = VoiceAvailable(
    microphone="", microphone_reason="There is no microphone.", speaker="s", speaker_reason="", muted=False
)


def test_the_card_of_reminders_sets_one(window: MainWindow, connection: RecordedConnection) -> None:
    window.empty.cards["reminder"].click()
    said = "Remind me to stretch in 10 minutes"
    assert connection.sent == [BeginTurn(turn=TurnId("1"), conversation="a", text=said)]


def test_the_card_of_memory_lets_the_user_go_on_and_keeps_what_was_written(
    window: MainWindow, connection: RecordedConnection
) -> None:
    window.empty.cards["memory"].click()
    QTest.keyClicks(window.composer.input, "I like tea")
    first = window.composer.text
    window.empty.cards["memory"].click()
    assert (first, window.composer.text) == ("Remember: I like tea", "Remember: I like tea")
    assert connection.sent == []


def test_the_card_of_files_opens_the_choice_of_files(window: MainWindow, qtbot: QtBot) -> None:
    window.empty.cards["files"].click()
    qtbot.waitUntil(lambda: window.composer.findChild(QFileDialog) is not None)
    dialog = window.composer.findChild(QFileDialog)
    assert dialog is not None
    dialog.reject()
    assert window.composer.text == "Summarise this file"


def test_the_card_of_talking_talks_and_is_off_without_a_microphone(
    window: MainWindow, connection: RecordedConnection
) -> None:
    window.empty.cards["talk"].click()
    window.show_update(NO_MICROPHONE)
    window.empty.cards["talk"].click()
    assert connection.sent == [ToggleVoice()]


@pytest.mark.parametrize(
    ("card", "page"), [("dictation", ("settings", "desktop.global_dictate")), ("model", ("models", ""))]
)
def test_other_cards_open_their_page(window: MainWindow, card: str, page: tuple[str, str]) -> None:
    wanted: list[tuple[str, str]] = []
    window.empty.page_wanted.connect(lambda *each: wanted.append(each))
    window.empty.cards[card].click()
    assert wanted == [page]
    assert window.pages.shown is not None
    assert window.pages.shown[0] == page[0]


def test_every_card_is_reached_and_pressed_by_keyboard(window: MainWindow) -> None:
    window.composer.input.setFocus()
    reached = set()
    for _ in range(40):
        QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Tab)
        reached |= {name for name, card in window.empty.cards.items() if card.hasFocus()}
    assert reached == set(window.empty.cards)
    pressed: list[bool] = []
    card = window.empty.cards["model"]
    card.clicked.connect(lambda: pressed.append(True))
    card.setFocus()
    QTest.keyClick(card, Qt.Key.Key_Space)
    assert pressed == [True]


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("size", [(320, 480), (480, 640), (1000, 760), (2560, 1300)])
def test_no_word_of_a_card_is_clipped(
    make_window: Callable[[str], MainWindow], language: str, size: tuple[int, int]
) -> None:
    window = make_window(language)
    window.resize(*size)
    QApplication.processEvents()
    cards = [*window.empty.cards.values()]
    assert 4 <= len(cards) <= 6
    assert len({(card.width(), card.height()) for card in cards}) == 1
    for card in cards:
        for label in card.findChildren(QLabel):
            place = label.geometry()
            assert card.rect().contains(place)
            assert label.heightForWidth(place.width()) <= place.height()
    assert len({card.x() for card in cards}) == (1 if window.empty.width() < 500 else 2)
