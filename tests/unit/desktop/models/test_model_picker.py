"""Choosing a model for a conversation."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from assistant.core.machine.states import TurnId
from assistant.core.messages import Message, Role
from assistant.core.packets import Done, Failure
from assistant.core.service.requests.models import (
    ChooseModel,
    ListKeptModels,
    ListModels,
    OfferedModels,
    UnlistedModels,
)
from assistant.core.service.requests.servers import StoreKey
from assistant.core.service.requests.turns import AnswerAgain
from assistant.core.updates import MessageAdded, ModelChosen, ModelOffer, ModelsKept, PacketEmitted
from assistant.desktop.conversation.failure_card import FailureCard
from assistant.desktop.main_window import MainWindow
from assistant.desktop.models.model_rows import ROW, RowKind
from assistant.desktop.models.models_page import ModelsPage
from tests.fakes.front.connection import RecordedConnection

TURN = TurnId("1")
GEMMA = "gemma3\tthis computer · images"
OFFERED = OfferedModels(
    chosen="ollama/qwen3:8b",
    models=(
        ModelOffer(reference="ollama/qwen3:8b", provider="ollama", model="qwen3:8b", local=True),
        ModelOffer(reference="ollama/gemma3", provider="ollama", model="gemma3", local=True, images=True),
        ModelOffer(reference="acme/r&d-1", provider="acme", model="r&d-1"),
    ),
)


def offer(window: MainWindow, offered: OfferedModels, *, searching: bool = False) -> None:
    """Show models as the engine gives them."""
    window.models.show_models(offered.models)
    window.models.show_chosen(offered.chosen)
    window.models.show_searching(searching=searching)


def entries(window: MainWindow) -> list[str]:
    return [" · ".join(filter(None, (row.words, row.marks))) for row in window.models.rows]


def choose(window: MainWindow, words: str) -> None:
    """Click on a row."""
    picker = window.models
    at = next(at for at, row in enumerate(picker.rows) if row.words == words and row.kind is not RowKind.HEADING)
    picker.list.itemClicked.emit(picker.list.item(at))


def test_the_picker_looks_for_models_when_it_opens_and_fills_while_it_is_open(
    window: MainWindow, connection: RecordedConnection
) -> None:
    window.model.click()
    first, status = entries(window), window.models.status.text()
    offer(window, OFFERED)

    assert connection.sent == [ListModels(conversation="a")]
    assert window.models.isVisible()
    assert (first, status) == (["Automatic (as set)"], "Looking for models…")
    assert entries(window) == [
        "Automatic (as set)",
        "ollama",
        "qwen3:8b · this computer",
        "gemma3 · this computer · images",
        "acme",
        "r&d-1",
    ]
    assert not window.models.status.isVisible()
    window.models.close()


@pytest.mark.parametrize(("width", "height"), [(320, 480), (700, 700), (780, 760)])
def test_it_stands_on_its_chip_and_on_the_screen(window: MainWindow, width: int, height: int) -> None:
    window.move(0, 0)
    window.resize(width, height)
    window.model.click()
    offer(window, OFFERED)
    chip = window.model.mapToGlobal(window.model.rect().topLeft())
    screen = window.screen().availableGeometry()

    assert window.models.geometry().bottom() < chip.y()
    assert screen.contains(window.models.geometry())
    window.models.close()


def test_no_row_moves_from_beneath_the_pointer_while_more_is_found(
    window: MainWindow, connection: RecordedConnection
) -> None:
    offer(window, replace(OFFERED, models=OFFERED.models[1:2]), searching=True)
    window.model.click()
    picker = window.models
    picker.list.setCurrentRow(2)
    before = entries(window)
    found = [
        *OFFERED.models,
        ModelOffer(reference="new/m", provider="new", model="m"),
        *(ModelOffer(reference=f"big/m{number}", provider="big", model=f"m{number}") for number in range(30)),
    ]
    for count in range(2, len(found) + 1):
        offer(window, OfferedModels(chosen="", models=tuple(found[:count])), searching=count < len(found))
        assert entries(window)[: len(before)] == before
        assert picker.list.currentItem().data(ROW).words == "gemma3"
        before = entries(window)
    QTest.keyClick(picker.search, Qt.Key.Key_Return)

    assert connection.sent[-1] == ChooseModel(conversation="a", model="ollama/gemma3")
    assert not picker.isVisible()


def test_what_belongs_together_stands_together_when_it_is_opened_again(
    window: MainWindow, connection: RecordedConnection
) -> None:
    offer(window, replace(OFFERED, models=OFFERED.models[1:]))
    window.model.click()
    offer(window, OFFERED)
    grown = entries(window)
    window.models.close()
    window.model.click()
    connection.reply(ListModels, OFFERED)

    assert grown[-2:] == ["ollama", "qwen3:8b · this computer"]
    assert entries(window)[1:4] == ["ollama", "qwen3:8b · this computer", "gemma3 · this computer · images"]
    window.models.close()


@pytest.mark.parametrize(
    ("searching", "models", "said"),
    [
        (True, (), "Looking for models…"),
        (True, OFFERED.models, "Looking for models…"),
        (False, (), "No models were found"),
        (False, OFFERED.models, ""),
    ],
)
def test_it_says_that_it_is_looking_and_that_it_has_found_nothing(
    window: MainWindow, searching: bool, models: tuple[ModelOffer, ...], said: str
) -> None:
    window.model.click()
    offer(window, OfferedModels(chosen="", models=models), searching=searching)

    assert (window.models.status.text() if window.models.status.isVisible() else "") == said
    window.models.close()


MANY = tuple(ModelOffer(reference=f"big/m{number}", provider="big", model=f"vendor/M{number}") for number in range(300))


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("qwen", ["ollama", "qwen3:8b · this computer"]),
        ("QWEN", ["ollama", "qwen3:8b · this computer"]),
        ("r&d", ["acme", "r&d-1"]),
        ("acme", ["acme", "r&d-1"]),
        ("ollama gem", ["ollama", "gemma3 · this computer · images"]),
        ("gem ollama", ["ollama", "gemma3 · this computer · images"]),
        ("m299", ["big", "vendor/M299"]),
        ("vendor m29 big", ["big", *(f"vendor/M{number}" for number in (29, *range(290, 300)))]),
        ("nothing like it", []),
        ("소리", []),
    ],
)
def test_a_field_narrows_the_models_down(
    window: MainWindow, connection: RecordedConnection, typed: str, found: list[str]
) -> None:
    window.model.click()
    offer(window, OfferedModels(chosen="", models=(*OFFERED.models, *MANY)))
    QTest.keyClicks(window.models.search, typed) if typed.isascii() else window.models.search.setText(typed)
    assert entries(window) == found
    QTest.keyClick(window.models.search, Qt.Key.Key_Return)
    chosen = [each.model for each in connection.sent if isinstance(each, ChooseModel)]
    assert [name.partition("/")[0] for name in chosen] == ([found[0]] if found else []), "the first match is chosen"
    window.models.close()


def test_soris_own_server_is_called_by_words(window: MainWindow) -> None:
    mine = replace(OFFERED.models[0], provider="embedded", model="tiny", reference="embedded/tiny")
    offer(window, replace(OFFERED, models=(mine,)))

    assert entries(window)[1] == "Sori's own model"


@pytest.mark.parametrize(("chosen", "words"), [("ollama/qwen3:8b", "qwen3:8b"), ("", "Automatic (as set)")])
def test_what_was_chosen_is_checked_and_else_the_automatic_choice(window: MainWindow, chosen: str, words: str) -> None:
    offer(window, replace(OFFERED, chosen=chosen))
    assert [row.words for row in window.models.rows if row.chosen] == [words]


def test_choosing_tells_the_engine_and_automatic_takes_it_back(
    window: MainWindow, connection: RecordedConnection
) -> None:
    offer(window, OFFERED)
    window.model.setFocus()
    choose(window, "r&d-1")
    choose(window, "Automatic (as set)")

    assert window.focusWidget() is window.composer.input
    assert connection.sent == [
        ChooseModel(conversation="a", model="acme/r&d-1"),
        ChooseModel(conversation="a", model=""),
    ]


def test_a_model_is_chosen_by_keyboard_alone(window: MainWindow, connection: RecordedConnection, qtbot: QtBot) -> None:
    offer(window, replace(OFFERED, chosen=""))
    action = window.findChild(QAction, "model")
    assert action is not None
    assert action.shortcut().toString() == "Ctrl+M"
    action.trigger()
    qtbot.waitUntil(window.models.isVisible)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Down):
        QTest.keyClick(window.models.search, key)
    QTest.keyClick(window.models.search, Qt.Key.Key_Return)

    assert connection.sent == [ListModels(conversation="a"), ChooseModel(conversation="a", model="acme/r&d-1")]


def test_other_models_and_keys_are_opened_from_the_picker(window: MainWindow) -> None:
    window.model.click()
    window.models.more.click()
    assert not window.models.isVisible()
    assert window.pages.shown == ("models", "")
    window.pages.open[0].accept()


def fail(window: MainWindow, offers: tuple[str, ...], alternatives: tuple[str, ...] = ()) -> None:
    window.show_update(MessageAdded(conversation="a", turn=TURN, message=Message(role=Role.USER, text="Hi")))
    failure = Failure(turn_index=0, code="x", message="No.", offers=offers, alternatives=alternatives)
    window.show_update(PacketEmitted(conversation="a", turn=TURN, packet=failure))
    done = Done(turn_index=0, finish="failed", provider="acme", model="r&d-1")
    window.show_update(PacketEmitted(conversation="a", turn=TURN, packet=done))


def test_trying_again_asks_the_engine_and_sends_no_second_message(
    window: MainWindow, connection: RecordedConnection
) -> None:
    fail(window, ("retry",))
    before = len(connection.sent)
    window.conversation.retry_wanted.emit("", "")
    window.conversation.retry_wanted.emit("ollama/gemma3", "m1")

    assert connection.sent[before:] == [
        AnswerAgain(turn=TurnId("1"), conversation="a"),
        AnswerAgain(turn=TurnId("2"), conversation="a", model="ollama/gemma3", message="m1"),
    ]
    assert [row.text for row in window.conversation.rows] == ["Hi", ""]


@pytest.mark.parametrize(("provider", "name"), [("claude", "claude"), ("", "mine")])
def test_a_key_is_entered_in_a_field(
    window: MainWindow, connection: RecordedConnection, provider: str, name: str
) -> None:
    window.show_update(ModelChosen(provider="mine", model="m", placeholder=False))
    window.conversation.key_wanted.emit(provider)
    connection.reply(ListKeptModels, ModelsKept(models=(), keys=(), keyring=True, file=""))
    page = window.findChild(ModelsPage)
    assert page is not None
    field = page.keys[name].field
    assert page.window().focusWidget() is field
    QTest.keyClicks(field, " secret-1 ")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert connection.sent[-1] == StoreKey(provider=name, key="secret-1")
    assert field.text() == ""
    assert "secret" not in repr(connection.sent[-1])
    window.pages.open[0].accept()


def test_a_question_that_only_waits_for_the_model_looks_like_no_error(window: MainWindow) -> None:
    window.show_update(MessageAdded(conversation="a", turn=TURN, message=Message(role=Role.USER, text="hi")))
    failure = Failure(turn_index=0, code="model_file", reason="model_on_its_way", message="two minutes left")
    window.show_update(PacketEmitted(conversation="a", turn=TURN, packet=failure))
    assert [each.property("calm") for each in window.findChildren(FailureCard)] == [True]


def test_a_provider_whose_models_cannot_be_listed_stands_in_the_menu_with_the_reason_and_a_remedy(
    window: MainWindow, connection: RecordedConnection
) -> None:
    away = UnlistedModels(provider="acme", code="network", reason="No connection to acme.", message="Check acme.")
    refused = UnlistedModels(provider="big", code="authentication", reason="big refused the key.", message="Check it.")
    window.model.click()
    connection.reply(ListModels, replace(OFFERED, unlisted=(away, refused)))
    assert entries(window)[-2:] == ["acme · No connection to acme.", "big · big refused the key."]

    trouble = [row.words for row in window.models.rows if row.kind is RowKind.TROUBLE]
    window.models.list.itemClicked.emit(window.models.list.item(window.models.list.count() - 2))
    assert trouble == ["acme", "big"]
    assert window.notices.messages == ("Check acme.",)
    assert window.pages.open == []
    window.models.list.itemClicked.emit(window.models.list.item(window.models.list.count() - 1))
    assert window.pages.shown == ("models", "")

    window.models.close()
    window.model.click()
    connection.reply(ListModels, OFFERED)
    assert not any(row.kind is RowKind.TROUBLE for row in window.models.rows), "they list them again"
