"""Models are fetched, used and removed, and keys entered, on one page and with the keyboard alone."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from assistant.core.service.requests.keys import StoreKey
from assistant.core.service.requests.models import (
    ChooseModel,
    FetchModel,
    ListKeptModels,
    PauseFetch,
    RemoveModel,
)
from assistant.core.updates import Keeping, KeptModel, KeyPlace, ModelChosen, ModelsKept
from assistant.desktop.main_window import MainWindow
from assistant.desktop.models.models_page import ModelsPage
from tests.fakes.front.connection import RecordedConnection

QWEN = KeptModel(
    model="qwen",
    title="Qwen",
    reference="embedded/qwen",
    size=1_117_320_768,
    licence="Apache-2.0",
    keeping=Keeping.HERE,
    tokens_per_s=11.26,
)
BIG = KeptModel(
    model="big", title="Big", reference="embedded/big", size=2_497_280_256, licence="MIT", keeping=Keeping.ABSENT
)
KEPT = ModelsKept(
    models=(QWEN, BIG),
    keys=(
        KeyPlace(provider="mine", kind="openai", has_key=False, configured=True),
        KeyPlace(provider="google", kind="google", has_key=False, configured=False),
    ),
    keyring=True,
    file="/home/me/keys.json",
)


@pytest.fixture
def page(window: MainWindow) -> ModelsPage:
    window.models.more_wanted.emit()
    page = window.findChild(ModelsPage)
    assert page is not None
    window.show_update(KEPT)
    return page


def shown(window: MainWindow, model: KeptModel) -> None:
    window.show_update(replace(KEPT, models=(QWEN, model)))


def test_it_asks_what_there_is_when_it_opens(page: ModelsPage, connection: RecordedConnection) -> None:
    assert ListKeptModels() in connection.sent
    assert list(page.models) == ["qwen", "big"]
    assert list(page.keys) == ["mine", "google"]


def test_size_licence_and_the_measured_pace_are_told_and_no_pace_is_made_up(page: ModelsPage) -> None:
    assert page.models["qwen"].facts.text() == (
        "1.12 GB · Apache-2.0 · 11.3 tokens a second on this computer (measured)"
    )
    assert page.models["big"].facts.text() == "2.50 GB · MIT · speed not measured yet"


def test_a_model_is_fetched_paused_gone_on_with_and_used_by_keys(
    window: MainWindow, page: ModelsPage, connection: RecordedConnection
) -> None:
    row = page.models["big"]
    row.act.setFocus()
    QTest.keyClick(row.act, Qt.Key.Key_Space)
    shown(window, replace(BIG, keeping=Keeping.FETCHING, fraction=0.4, left="about 2 minutes"))
    assert row.standing.text() == "Fetching: 40% · about 2 minutes left"
    QTest.keyClick(row.act, Qt.Key.Key_Space)
    shown(window, replace(BIG, keeping=Keeping.PAUSED, fraction=0.4))
    assert row.standing.text() == "Paused · 40% fetched"
    QTest.keyClick(row.act, Qt.Key.Key_Space)
    shown(window, replace(BIG, keeping=Keeping.HERE))
    QTest.keyClick(row.act, Qt.Key.Key_Space)
    assert connection.sent[-4:] == [
        FetchModel(model="big"),
        PauseFetch(model="big"),
        FetchModel(model="big"),
        ChooseModel(conversation="a", model="embedded/big"),
    ]
    window.show_update(ModelChosen(provider="embedded", model="big", placeholder=False))
    assert row.standing.text() == "Answers this conversation"
    assert row.act.isHidden()


def test_removing_asks_once_more(page: ModelsPage, connection: RecordedConnection) -> None:
    row = page.models["qwen"]
    row.remove.click()
    assert row.remove.text() == "Really remove"
    assert not any(isinstance(each, RemoveModel) for each in connection.sent)
    row.remove.click()
    assert connection.sent[-1] == RemoveModel(model="qwen")


def test_an_incomplete_model_of_ones_own_cannot_be_fetched(window: MainWindow, page: ModelsPage) -> None:
    shown(window, replace(BIG, keeping=Keeping.DAMAGED, own=True, licence=""))
    row = page.models["big"]
    assert "missing" in row.standing.text()
    assert not row.act.isVisibleTo(row)


def test_a_model_of_ones_own_cannot_be_removed_here(window: MainWindow, page: ModelsPage) -> None:
    shown(window, replace(BIG, keeping=Keeping.HERE, own=True, licence=""))
    assert page.models["big"].remove.isHidden()
    assert "your own" in page.models["big"].facts.text()


def test_what_is_gone_leaves_the_list(window: MainWindow, page: ModelsPage) -> None:
    window.show_update(replace(KEPT, models=(QWEN,)))
    assert list(page.models) == ["qwen"]


def test_without_a_keyring_a_key_is_kept_in_a_file_only_with_consent(
    window: MainWindow, page: ModelsPage, connection: RecordedConnection
) -> None:
    window.show_update(replace(KEPT, keyring=False))
    row = page.keys["google"]
    assert "not encrypted" in row.consent_note.text()
    assert "/home/me/keys.json" in row.consent_note.text()
    before = len(connection.sent)
    QTest.keyClicks(row.field, "secret-1")
    QTest.keyClick(row.field, Qt.Key.Key_Return)
    assert (len(connection.sent), row.save.isEnabled()) == (before, False)
    row.consent.setChecked(True)
    QTest.keyClick(row.field, Qt.Key.Key_Return)
    assert connection.sent[-1] == StoreKey(provider="google", key="secret-1", in_file=True)


def test_whether_there_is_a_key_is_told_and_that_the_settings_get_an_entry(
    window: MainWindow, page: ModelsPage
) -> None:
    assert "There is no key." in page.keys["mine"].note.text()
    assert "config.toml" in page.keys["google"].note.text()
    there = (replace(KEPT.keys[0], has_key=True),)
    window.show_update(replace(KEPT, keys=there))
    assert "There is a key." in page.keys["mine"].note.text()


def test_every_button_says_whose_it_is(make_window: Callable[[str], MainWindow]) -> None:
    window = make_window("ko")
    window.models.more_wanted.emit()
    page = window.findChild(ModelsPage)
    assert page is not None
    window.show_update(KEPT)
    assert page.models["big"].act.accessibleName() == "받기: Big"
    assert page.keys["google"].field.accessibleName() == "Google (Gemini)의 API 키"
