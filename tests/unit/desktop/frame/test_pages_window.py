"""One window of pages: a list in groups, one page at a time, a search, by keys, at every width."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot
from typing_extensions import override

from assistant.core.updates import Missed, Update
from assistant.desktop.frame.page import MenuPage, Page, PageNeeds
from assistant.desktop.frame.pages_window import PagesWindow
from assistant.desktop.main_window import MainWindow
from assistant.desktop.pages import PAGES
from tests.fakes.front.connection import RecordedConnection
from tests.fakes.front.page_needs import page_needs


class Sections(Page):
    """A page with parts, which are known after a while, and a search."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "Sections")
        self.known: tuple[tuple[str, str], ...] = ()
        self.part, self.query = "", ""
        self.left, self.seen = 0, list[Update]()

    @property
    @override
    def parts(self) -> tuple[tuple[str, str], ...]:
        return self.known

    @property
    @override
    def shown(self) -> str:
        return self.part

    @override
    def go_to(self, name: str) -> None:
        self.part = name
        self.part_shown.emit()

    @override
    def search(self, query: str) -> None:
        self.query = query

    @override
    def show_update(self, update: Update) -> None:
        self.seen.append(update)

    @override
    def leave(self) -> None:
        self.left += 1


class Plain(Page):
    """A page with nothing special."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "Plain")
        self.column.addWidget(QLabel("here"))


class Opened:
    """The window with three pages, whose texts are those of real ones."""

    def __init__(self, qtbot: QtBot, language: str) -> None:
        self.made: list[str] = []
        rows = (
            MenuPage("settings", "sori", "", self._maker("settings", Sections), searches=True),
            MenuPage("names", "sori", "", self._maker("names", Plain)),
            MenuPage("traces", "records", "", self._maker("traces", Plain)),
        )
        parent = QLabel()
        self.parent = parent
        qtbot.addWidget(parent)
        self.window = PagesWindow(rows, page_needs(RecordedConnection(), language), parent)
        self.window.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
        self.window.show_page("settings")
        self.window.show()

    def _maker(self, name: str, page: type[Sections] | type[Plain]) -> Callable[[PageNeeds], Page]:
        def make(needs: PageNeeds) -> Page:
            self.made.append(name)
            return page(needs)

        return make

    @property
    def sections(self) -> Sections:
        page = self.window.findChild(Sections)
        assert page is not None
        return page

    def know(self) -> None:
        self.sections.known = (("general", "General"), ("voice", "Voice"))
        self.sections.parts_changed.emit()

    def press(self, key: Qt.Key) -> None:
        QTest.keyClick(self.window.list, key)


@pytest.fixture(params=["ko", "en"])
def opened(qtbot: QtBot, request: pytest.FixtureRequest) -> Opened:
    return Opened(qtbot, request.param)


def test_a_page_is_made_when_it_is_first_shown_and_then_kept(opened: Opened) -> None:
    assert opened.made == ["settings"]
    for name in ("names", "settings", "names"):
        opened.window.show_page(name)
    assert opened.made == ["settings", "names"]
    assert opened.window.stack.currentWidget() is opened.window.shown_page


def test_the_list_is_walked_by_keys_over_the_headings_of_groups(opened: Opened) -> None:
    opened.window.list.setFocus()
    shown = []
    for _ in range(3):
        opened.press(Qt.Key.Key_Down)
        shown.append(opened.window.shown)
    assert shown == ["names", "traces", "traces"]
    opened.press(Qt.Key.Key_Home)
    assert opened.window.shown == "settings"


def test_the_parts_of_the_shown_page_stand_below_it(opened: Opened) -> None:
    opened.know()
    listed = [("settings", ""), ("settings", "general"), ("settings", "voice"), ("names", ""), ("traces", "")]
    assert opened.window.list.visible == listed
    opened.press(Qt.Key.Key_Home)
    opened.press(Qt.Key.Key_Down)
    opened.press(Qt.Key.Key_Down)
    assert opened.sections.part == "voice"
    opened.press(Qt.Key.Key_Down)
    assert opened.window.shown == "names"
    assert opened.window.list.visible == [("settings", ""), ("names", ""), ("traces", "")]


def test_who_is_led_to_a_part_sees_it_marked(opened: Opened) -> None:
    opened.know()
    opened.window.show_page("names")
    opened.window.show_page("settings", "voice")
    item = opened.window.list.currentItem()
    assert item is not None
    assert item.text().strip() == "Voice"


def test_the_search_finds_pages_and_asks_the_page_that_searches(opened: Opened) -> None:
    opened.window.show_page("names")
    opened.window.search.setText(opened.window.page.text()[:2])
    assert opened.window.shown == "names"
    assert opened.window.list.visible == [("settings", ""), ("names", "")]
    opened.window.search.setText("xyzzy")
    assert opened.window.shown == "settings", "no page is called so; a setting may be"
    assert opened.sections.query == "xyzzy"
    QTest.keyClick(opened.window.search, Qt.Key.Key_Escape)
    assert opened.window.isVisible()
    assert opened.sections.query == ""
    assert len(opened.window.list.visible) == 3


def test_a_choice_ends_the_search(opened: Opened) -> None:
    opened.know()
    opened.window.search.setText("xyzzy")
    opened.window.show_page("settings", "voice")
    assert (opened.window.search.text(), opened.sections.query) == ("", "")


def test_escape_closes_and_a_page_that_is_left_is_told(opened: Opened) -> None:
    page = opened.sections
    opened.window.show_page("traces")
    assert page.left == 1
    opened.window.show_page("settings")
    QTest.keyClick(opened.window.list, Qt.Key.Key_Escape)
    assert not opened.window.isVisible()
    assert page.left == 2


def test_a_page_that_is_not_shown_follows_the_engine_too(opened: Opened) -> None:
    page = opened.sections
    opened.window.show_page("traces")
    opened.window.show_update(Missed(count=1, conversations=()))
    assert page.seen == [Missed(count=1, conversations=())]


@pytest.mark.parametrize("width", [320, 480, 699, 700, 1000, 1600])
def test_the_list_is_a_button_where_there_is_little_room(opened: Opened, width: int) -> None:
    opened.know()
    opened.window.resize(width, 700)
    narrow = width < 700
    assert opened.window.list.isVisibleTo(opened.window) is not narrow
    assert opened.window.page.isVisibleTo(opened.window) is narrow
    assert opened.window.part.isVisibleTo(opened.window) is narrow
    assert opened.window.search.isVisibleTo(opened.window)
    assert opened.window.minimumSizeHint().width() <= width
    if narrow:
        assert opened.window.part.text() == "General", "a button without words says nothing"
        opened.window.part.choose("voice")
        assert opened.sections.part == "voice"
        opened.window.page.choose("traces")
        assert opened.window.shown == "traces"
        assert not opened.window.part.isVisibleTo(opened.window)


@pytest.mark.parametrize("name", [page.name for page in PAGES])
def test_every_page_is_shown_beside_the_conversation_which_can_be_used_meanwhile(window: MainWindow, name: str) -> None:
    window.show_page(name)
    (pages,) = window.pages.open
    assert not pages.isModal()
    assert window.pages.shown is not None
    assert window.pages.shown[0] == name
    pages.close()
