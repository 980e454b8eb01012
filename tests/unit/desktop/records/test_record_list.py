"""Lists of records: ten thousand rows in pages, a search over all of them, keys, and what a screen reader hears."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from assistant.core.texts import Texts
from assistant.desktop.kit.theme import Theme
from assistant.desktop.records.record_list import RecordAction, RecordList
from assistant.desktop.records.record_model import RecordModel, RecordRow
from assistant.desktop.records.word_bar import WordBar

ALL = 10_000
PAGE = 200


def row(number: int) -> RecordRow:
    kind = "even" if number % 2 == 0 else "odd"
    return RecordRow(key=str(number), title=f"기록 {number}", detail=kind, side="07:00", kind=kind, record=number)


class Book:
    """Serves pages of ten thousand records to a model."""

    def __init__(self, model: RecordModel) -> None:
        self.model, self.pages = model, 0
        model.more_wanted.connect(self._serve)

    def _serve(self, last: RecordRow) -> None:
        first = last.record + 1
        self.pages += 1
        self.model.add_rows([row(each) for each in range(first, first + PAGE)], more=first + PAGE < ALL)


@pytest.fixture
def done() -> list[tuple[str, int]]:
    return []


@pytest.fixture
def shown(qtbot: QtBot, texts: Texts, theme: Theme, done: list[tuple[str, int]]) -> RecordList:
    def act(name: str) -> Callable[[int], None]:
        return lambda record: done.append((name, record))

    actions = (
        RecordAction(name="edit", do=act("edit"), fits=lambda record: record != 3),
        RecordAction(name="forget", do=act("forget"), keys="Delete"),
    )
    made = RecordList(texts, theme, "facts", actions, lambda record: f"record {record}\nall of it")
    qtbot.addWidget(made)
    made.resize(400, 500)
    made.show()
    return made


def test_a_list_reads_no_more_pages_than_are_looked_at(shown: RecordList) -> None:
    book = Book(shown.model)
    shown.show_rows([row(each) for each in range(PAGE)], more=True)
    assert shown.model.canFetchMore(shown.view.rootIndex())
    shown.view.scrollToBottom()
    assert PAGE <= len(shown.model.rows) <= 3 * PAGE
    assert book.pages <= 2


@pytest.mark.parametrize(
    ("query", "kind", "count"),
    [
        ("", "", None),
        ("9999", "", 1),
        ("기록 123", "", 20),
        ("ㄱㄹ 77", "even", None),
        ("없는 말", "", 0),
        ("", "odd", 5_000),
        ("odd", "even", 0),
        ("07:00 9998", "", 1),
    ],
)
def test_a_search_looks_in_all_pages(shown: RecordList, query: str, kind: str, count: int | None) -> None:
    book = Book(shown.model)
    shown.show_rows([row(each) for each in range(PAGE)], more=True)
    shown.model.narrow(query, kind)
    if count is None:
        assert shown.model.rows
    else:
        assert len(shown.model.rows) == count
        assert book.pages == ALL // PAGE - 1
    if count == 0:
        assert shown.empty.isVisible()
        assert shown.empty.text() == "Nothing found."


def test_the_chosen_record_is_told_with_what_fits_it(shown: RecordList, texts: Texts) -> None:
    shown.show_rows([row(each) for each in range(5)])
    assert not shown.frame.isVisible()
    shown.choose("3")
    assert shown.words.toPlainText() == "record 3\nall of it"
    assert not shown.buttons["edit"].isVisible()
    assert shown.buttons["forget"].accessibleName() == "Forget: 기록 3"
    spoken = shown.model.index_of("3").data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "기록 3. odd. 07:00"
    assert shown.view.accessibleName() == texts("desktop.facts.list")


def test_keys_act_on_the_chosen_record(shown: RecordList, done: list[tuple[str, int]]) -> None:
    shown.show_rows([row(each) for each in range(5)])
    shown.choose("1")
    shown.view.setFocus()
    QTest.keyClick(shown.view, Qt.Key.Key_Down)
    shown.view.activated.emit(shown.view.currentIndex())
    QTest.keyClick(shown.view, Qt.Key.Key_Down)
    shown.view.activated.emit(shown.view.currentIndex())
    QTest.keyClick(shown.view, Qt.Key.Key_Delete)
    assert done[:2] == [("edit", 2), ("forget", 3)]


def test_the_chosen_record_stays_chosen_when_the_list_is_read_anew(shown: RecordList) -> None:
    shown.show_rows([row(each) for each in range(5)])
    shown.choose("3")
    shown.show_rows([row(each) for each in (9, 3, 1)])
    assert shown.record == 3
    shown.show_rows([row(9)])
    assert shown.record is None
    assert not shown.frame.isVisible()


def test_an_empty_list_says_one_calm_sentence_only_after_it_was_read(shown: RecordList, texts: Texts) -> None:
    assert shown.empty.text() == texts("desktop.records.reading")
    shown.show_rows([])
    assert shown.empty.text() == texts("desktop.facts.empty")


def test_a_question_waits_for_a_yes_and_the_focus_is_on_no(qtbot: QtBot, texts: Texts) -> None:
    bar, erased = WordBar(texts), list[str]()
    qtbot.addWidget(bar)
    bar.show()
    bar.ask("Erase?", "Erase", lambda: erased.append("all"))
    assert bar.focusWidget() is bar.no
    bar.no.click()
    assert (erased, bar.isVisible()) == ([], False)
    bar.ask("Erase?", "Erase", lambda: erased.append("all"))
    bar.yes.click()
    bar.yes.click()
    assert erased == ["all"]
