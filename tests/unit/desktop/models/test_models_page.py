"""Models are fetched, used and removed, and keys entered, on one page and with the keyboard alone."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from assistant.core.errors import ErrorCode
from assistant.core.service.request import Refusal
from assistant.core.service.requests.models import (
    AdoptModel,
    ChooseModel,
    FetchModel,
    ListKeptModels,
    ModelFault,
    PauseFetch,
    RemoveModel,
    UnloadModel,
    VerifyModel,
)
from assistant.core.service.requests.servers import (
    AddServer,
    CheckProvider,
    ListServers,
    ModelServer,
    RemoveServer,
    StoreKey,
)
from assistant.core.updates import Keeping, KeptModel, KeyPlace, MemoryFit, ModelChosen, ModelsKept
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
    assert "adds this provider" in page.keys["google"].note.text()
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


MEASURED = replace(
    QWEN, memory=1_970_000_000, memory_measured=True, fit=MemoryFit.FITS, korean="weak", tools=True, needed=True
)
ESTIMATED = replace(BIG, memory=3_700_000_000, fit=MemoryFit.TIGHT)
HEARING = KeptModel(
    model="hear",
    title="Hear",
    reference="",
    size=150_000_000,
    licence="MIT",
    keeping=Keeping.HERE,
    purpose="stt",
    needed=True,
    languages=("ko", "en", "*"),
)
WHOLE = replace(
    KEPT,
    models=(MEASURED, ESTIMATED, HEARING),
    loaded="qwen",
    loaded_memory=2_000_000_000,
    memory_total=8_000_000_000,
    memory_free=3_000_000_000,
)
AWAY = ModelServer(
    name="lab", address="http://lab:1/v1", local=False, code="network", trouble="The server lab does not answer."
)
FOUND = ModelServer(
    name="ollama", address="http://127.0.0.1:11434/v1", local=True, models=("qwen3:8b", "gemma3"), configured=False
)
REFUSED = Refusal(code=ErrorCode.AUTHENTICATION, reason="authentication", message="mine refused the key.")
LOCKED = replace(FOUND, name="jan", models=(), code="authentication", trouble="Jan wants a key.")


def test_what_was_measured_is_told_as_such_and_the_rest_as_an_estimate(window: MainWindow, page: ModelsPage) -> None:
    window.show_update(WHOLE)
    measured, estimated = page.models["qwen"].facts.text(), page.models["big"].facts.text()
    for words in ("2.0 GB of memory (measured)", "weak Korean", "can use tools"):
        assert words in measured
    assert "about 3.7 GB of memory" in estimated
    assert "fits once other programs are closed" in estimated
    assert "Korean" not in estimated
    assert "tools" not in estimated


def test_what_is_loaded_and_what_is_free_is_told_and_it_can_be_unloaded(
    window: MainWindow, page: ModelsPage, connection: RecordedConnection
) -> None:
    assert page.unload.isHidden()
    window.show_update(WHOLE)
    assert "3.0 GB are free now" in page.memory.text()
    page.unload.click()
    assert connection.sent[-1] == UnloadModel()


def test_a_model_that_hears_is_listed_but_not_chosen_and_not_removed_here(window: MainWindow, page: ModelsPage) -> None:
    window.show_update(WHOLE)
    row = page.models["hear"]
    assert row.act.isHidden()
    assert row.remove.isHidden()
    assert row.facts.text() == "150 MB · MIT · recognition KO EN …"


def test_files_are_checked_and_the_result_is_told(
    window: MainWindow, page: ModelsPage, connection: RecordedConnection
) -> None:
    window.show_update(WHOLE)
    row = page.models["qwen"]
    row.check.click()
    assert connection.sent[-1] == VerifyModel(model="qwen")
    connection.reply(VerifyModel, ())
    assert row.standing.text() == "All files are intact"
    row.check.click()
    connection.reply(VerifyModel, (ModelFault(model="qwen", file="a.gguf", flaw="altered"),))
    assert row.standing.text() == "The files are damaged"


def test_a_stored_key_is_tested_and_the_result_is_told(
    window: MainWindow, page: ModelsPage, connection: RecordedConnection
) -> None:
    row = page.keys["mine"]
    for reply, words in (
        (("a", "b"), "The key works. Models: 2."),
        (
            Refusal(code=ErrorCode.AUTHENTICATION, reason="authentication", message="mine refused the key."),
            "mine refused the key.",
        ),
    ):
        row.field.setText("k")
        row.save.click()
        connection.reply(StoreKey, None)
        assert connection.sent[-1] == CheckProvider(provider="mine")
        connection.reply(CheckProvider, reply)
        assert row.tested.text() == words


def test_a_model_of_a_key_that_works_answers_everywhere_after_one_click(
    page: ModelsPage, connection: RecordedConnection
) -> None:
    row = page.keys["mine"]
    offer = row.offer
    for models in (("a/b",), ("one", "two", "three", "four")):
        row.field.setText("k")
        row.save.click()
        assert offer.isHidden(), "nothing is offered before the key works"
        connection.reply(StoreKey, None)
        connection.reply(CheckProvider, models)
        assert [each.text() for each in offer.buttons] == list(models[:3])
        assert offer.others.isHidden() == (len(models) == 1)
    offer.others.choose("four")
    assert connection.sent[-1] == AdoptModel(model="mine/four")
    refusal = Refusal(code=ErrorCode.SETTINGS, reason="x", message="The file cannot be written.")
    connection.reply(AdoptModel, refusal)
    assert offer.words.text() == refusal.message
    offer.buttons[1].click()
    assert connection.sent[-1] == AdoptModel(model="mine/two")
    connection.reply(AdoptModel, None)
    assert (offer.buttons, "two answers from now on" in offer.words.text()) == ([], True)


def test_a_model_of_a_server_that_was_added_answers_everywhere_after_one_click(
    page: ModelsPage, connection: RecordedConnection
) -> None:
    form, offer = page.servers.form, page.servers.offer
    form.address.setText("localhost:11434")
    form.add.click()
    connection.reply(AddServer, FOUND)
    (first, *_) = offer.buttons
    first.click()
    assert connection.sent[-1] == AdoptModel(model=f"ollama/{FOUND.models[0]}")


def test_servers_tell_what_they_offer_or_why_they_do_not(page: ModelsPage, connection: RecordedConnection) -> None:
    connection.reply(ListServers, (AWAY, FOUND, LOCKED))
    away, found, locked = (page.servers.rows[name] for name in ("lab", "ollama", "jan"))
    assert (away.trouble.text(), away.models.isHidden(), away.remove.isHidden()) == (AWAY.trouble, True, False)
    assert "leaves this computer" in away.facts.text()
    assert (found.trouble.isHidden(), found.remove.isHidden(), "models: 2" in found.facts.text()) == (True, True, True)
    found.models.choose("gemma3")
    assert connection.sent[-1] == ChooseModel(conversation="a", model="ollama/gemma3")
    locked.key.click()
    assert page.servers.form.address.text() == LOCKED.address
    away.check.click()
    connection.reply(CheckProvider, ("big-1",))
    assert away.trouble.isHidden()
    assert away.models.values == ["big-1"]
    away.remove.click()
    away.remove.click()
    assert connection.sent[-1:] == [RemoveServer(name="lab")]


def test_a_server_is_added_by_keys_and_may_be_added_although_it_does_not_answer(
    page: ModelsPage, connection: RecordedConnection
) -> None:
    form = page.servers.form
    assert not form.add.isEnabled()
    QTest.keyClicks(form.address, "192.168.0.7:1234")
    QTest.keyClicks(form.key, "k-1")
    QTest.keyClick(form.key, Qt.Key.Key_Return)
    assert connection.sent[-1] == AddServer(address="192.168.0.7:1234", key="k-1")
    assert "k-1" not in repr(connection.sent[-1])
    connection.reply(AddServer, Refusal(code=ErrorCode.NETWORK, reason="network", message="Nobody answers there."))
    assert form.trouble.text() == "Nobody answers there."
    assert form.address.text() == "192.168.0.7:1234", "it can be corrected"
    form.anyway.click()
    assert connection.sent[-1] == AddServer(address="192.168.0.7:1234", key="k-1", unasked=True)
    connection.reply(AddServer, AWAY)
    assert (form.address.text(), form.key.text()) == ("", "")


SEARCHES: tuple[tuple[str, str, set[str]], ...] = (
    ("ko", "qwen", {"qwen"}),
    ("ko", "hear", {"hear"}),
    ("ko", "서버", set()),
    ("ko", "도구", {"qwen"}),
    ("ko", "ㅅㅌㄹㅇ", {"qwen"}),
    ("ko", "제미", set()),
    ("en", "Big", {"big"}),
    ("en", "weak Korean", {"qwen"}),
    ("en", "MIT", {"big", "hear"}),
    ("en", "recognition", {"hear"}),
    ("en", "no such model", set()),
)


@pytest.mark.parametrize(("language", "query", "found"), SEARCHES)
def test_the_search_of_the_window_finds_models(
    make_window: Callable[[str], MainWindow], language: str, query: str, found: set[str]
) -> None:
    window = make_window(language)
    window.show_page("models")
    page = window.findChild(ModelsPage)
    assert page is not None
    window.show_update(WHOLE)
    page.search(query)
    assert {name for name, row in page.models.items() if not row.isHidden()} == found
    page.search("")
    assert not any(row.isHidden() for row in page.models.values())
    window.pages.open[0].close()
