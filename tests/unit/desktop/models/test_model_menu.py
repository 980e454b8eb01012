"""Choosing a model for a conversation."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from assistant.core.machine.states import TurnId
from assistant.core.messages import Message, Role
from assistant.core.packets import Done, Failure
from assistant.core.service.requests.keys import StoreKey
from assistant.core.service.requests.models import (
    ChooseModel,
    ListKeptModels,
    ListModels,
    OfferedModels,
    UnlistedModels,
)
from assistant.core.service.requests.turns import AnswerAgain
from assistant.core.updates import MessageAdded, ModelChosen, ModelOffer, ModelsKept, PacketEmitted
from assistant.desktop.conversation.failure_card import FailureCard
from assistant.desktop.main_window import MainWindow
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


def entries(menu: QMenu) -> list[str]:
    return [action.text() for action in menu.actions() if action.isVisible() and not action.isSeparator()]


def entry(menu: QMenu, words: str) -> QAction:
    return next(action for action in menu.actions() if action.text().split("\t")[0] == words)


def test_the_picker_looks_for_models_when_it_opens_and_fills_while_it_is_open(
    window: MainWindow, connection: RecordedConnection
) -> None:
    window.model.click()
    first = entries(window.models)
    offer(window, OFFERED)

    assert connection.sent == [ListModels(conversation="a")]
    assert window.models.isVisible()
    assert first == ["Looking for models…", "Automatic (as set)", "Models and API keys…"]
    assert entries(window.models) == [
        "acme",
        "r&&d-1",
        "ollama",
        "qwen3:8b\tthis computer",
        "gemma3\tthis computer · images",
        "Automatic (as set)",
        "Models and API keys…",
    ]
    window.models.close()


def test_it_grows_upwards_and_covers_its_button_never(window: MainWindow) -> None:
    window.model.click()
    offer(window, OFFERED)
    button = window.model.mapToGlobal(window.model.rect().topLeft())

    assert window.models.y() + window.models.height() <= button.y()
    window.models.close()


def places(menu: QMenu) -> dict[str, int]:
    """Where on the screen each row is."""
    return {action.text(): menu.mapToGlobal(menu.actionGeometry(action).topLeft()).y() for action in menu.actions()}


def test_no_row_moves_from_beneath_the_pointer_while_more_is_found(
    window: MainWindow, connection: RecordedConnection, qtbot: QtBot
) -> None:
    window.move(20, 20)
    offer(window, replace(OFFERED, models=OFFERED.models[1:2]), searching=True)
    window.model.click()
    aimed_at = entry(window.models, "gemma3")
    window.models.setActiveAction(aimed_at)
    before = places(window.models)
    found = [
        *OFFERED.models,
        ModelOffer(reference="new/m", provider="new", model="m"),
        *(ModelOffer(reference=f"big/m{number}", provider="big", model=f"m{number}") for number in range(30)),
    ]
    for count in range(1, len(found) + 1):
        offer(window, OfferedModels(chosen="", models=tuple(found[:count])), searching=count < len(found))
        now = places(window.models)
        assert {name: now[name] for name in before if name in now and name != "Looking for models…"} == {
            name: place for name, place in before.items() if name != "Looking for models…"
        }
        before = now
        assert window.models.activeAction() is aimed_at
    QTest.keyClick(window.models, Qt.Key.Key_Return)

    assert connection.sent[-1] == ChooseModel(conversation="a", model="ollama/gemma3")


def test_what_the_screen_has_no_room_for_has_a_menu_of_its_own(window: MainWindow) -> None:
    window.move(20, 20)
    window.model.click()
    found = tuple(
        ModelOffer(reference=f"p{provider}/m{model}", provider=f"p{provider}", model=f"m{model}")
        for provider in range(7)
        for model in range(8)
    )
    offer(window, OfferedModels(chosen="", models=found))
    button = window.model.mapToGlobal(window.model.rect().topLeft())

    assert window.models.y() >= window.screen().availableGeometry().top()
    assert window.models.y() + window.models.height() <= button.y()
    assert entry(window.models, "m0").menu() is None
    assert len(entries(menu_of(window, "p6"))) == 8
    window.models.close()


def menu_of(window: MainWindow, words: str) -> QMenu:
    menu = entry(window.models, words).menu()
    assert isinstance(menu, QMenu)
    return menu


def test_what_belongs_together_stands_together_when_it_is_opened_again(
    window: MainWindow, connection: RecordedConnection
) -> None:
    offer(window, replace(OFFERED, models=OFFERED.models[1:]))
    window.model.click()
    offer(window, OFFERED)
    grown = entries(window.models)
    window.models.close()
    window.model.click()
    connection.reply(ListModels, OFFERED)

    assert grown[:5] == [
        "Other models of ollama · qwen3:8b",
        "acme",
        "r&&d-1",
        "ollama",
        "gemma3\tthis computer · images",
    ]
    assert entries(window.models)[:5] == [
        "acme",
        "r&&d-1",
        "ollama",
        "qwen3:8b\tthis computer",
        "gemma3\tthis computer · images",
    ]
    window.models.close()


def test_it_says_that_it_is_looking_until_it_has_looked_everywhere(window: MainWindow) -> None:
    said = []
    for searching in (True, False):
        offer(window, OFFERED, searching=searching)
        said.append(entries(window.models)[0])

    assert said == ["Looking for models…", "acme"]


def test_soris_own_server_is_called_by_words(window: MainWindow) -> None:
    mine = replace(OFFERED.models[0], provider="embedded", model="tiny", reference="embedded/tiny")
    offer(window, replace(OFFERED, models=(mine,)))

    assert entries(window.models)[0] == "Sori's own model"


def test_what_was_chosen_is_checked_and_else_the_automatic_choice(window: MainWindow) -> None:
    offer(window, OFFERED)
    chosen = [action.text() for action in window.models.actions() if action.isChecked()]
    offer(window, OfferedModels(chosen="", models=OFFERED.models))
    automatic = [action.text() for action in window.models.actions() if action.isChecked()]

    assert chosen == ["qwen3:8b\tthis computer"]
    assert automatic == ["Automatic (as set)"]


def test_choosing_tells_the_engine_and_automatic_takes_it_back(
    window: MainWindow, connection: RecordedConnection
) -> None:
    offer(window, OFFERED)
    window.model.setFocus()
    entry(window.models, "r&&d-1").trigger()
    entry(window.models, "Automatic (as set)").trigger()

    assert window.focusWidget() is window.composer.input
    assert connection.sent == [
        ChooseModel(conversation="a", model="acme/r&d-1"),
        ChooseModel(conversation="a", model=""),
    ]


def test_a_model_is_chosen_by_keyboard_alone(window: MainWindow, connection: RecordedConnection, qtbot: QtBot) -> None:
    offer(window, OFFERED)
    action = window.findChild(QAction, "model")
    assert action is not None
    assert action.shortcut().toString() == "Ctrl+M"
    action.trigger()
    qtbot.waitUntil(window.models.isVisible)
    for _ in range(3):
        QTest.keyClick(window.models, Qt.Key.Key_Up)
    QTest.keyClick(window.models, Qt.Key.Key_Return)

    assert connection.sent == [ListModels(conversation="a"), ChooseModel(conversation="a", model="ollama/gemma3")]


def test_a_provider_with_many_models_has_a_menu_of_its_own(window: MainWindow, connection: RecordedConnection) -> None:
    many = tuple(ModelOffer(reference=f"big/m{number}", provider="big", model=f"m{number}") for number in range(30))
    offer(window, OfferedModels(chosen="big/m7", models=(*OFFERED.models, *many)))
    menu = entry(window.models, "big · m7").menu()
    assert isinstance(menu, QMenu)
    checked = entry(menu, "m7").isChecked()
    entry(menu, "m9").trigger()

    assert len(entries(menu)) == 30
    assert checked
    assert connection.sent == [ChooseModel(conversation="a", model="big/m9")]


def test_that_no_model_was_found_is_said(window: MainWindow) -> None:
    offer(window, OfferedModels(chosen="", models=()))

    assert entries(window.models) == ["No models were found", "Automatic (as set)", "Models and API keys…"]


def test_other_models_and_keys_are_a_row_of_the_menu(window: MainWindow) -> None:
    entry(window.models, "Models and API keys…").trigger()
    assert window.shown_page == ("models", "")
    window.open_pages[0].accept()


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
    window.open_pages[0].accept()


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
    assert entries(window.models)[-3:] == [
        "acme · No connection to acme.",
        "big · big refused the key.",
        "Models and API keys…",
    ]

    entry(window.models, "acme · No connection to acme.").trigger()
    assert window.notices.messages == ("Check acme.",)
    assert window.open_pages == []
    entry(window.models, "big · big refused the key.").trigger()
    assert window.shown_page == ("models", "")

    window.models.close()
    window.model.click()
    connection.reply(ListModels, OFFERED)
    assert not any("acme ·" in each or "big ·" in each for each in entries(window.models)), "they list them again"
