"""Every row of the table of pages names a page that can be made, has its words, and keys of its own."""

from collections import Counter

import pytest
from pytestqt.qtbot import QtBot

from assistant.core.settings import Language
from assistant.desktop.frame.page import MenuPage, Page
from assistant.desktop.main_window import MainWindow
from assistant.desktop.pages import PAGES
from assistant.host.texts import load_texts
from tests.fakes.front.connection import RecordedConnection
from tests.fakes.front.page_needs import page_needs


@pytest.mark.parametrize("row", PAGES, ids=lambda row: row.name)
@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_page_can_be_made_and_each_of_its_parts_be_shown(qtbot: QtBot, row: MenuPage, language: Language) -> None:
    page = row.make(page_needs(RecordedConnection(), language))
    qtbot.addWidget(page)
    assert isinstance(page, Page)
    for part, title in page.parts:
        assert title
        page.go_to(part)
        page.search("x")


@pytest.mark.parametrize("language", ["ko", "en"])
def test_pages_have_titles_of_their_own(language: Language) -> None:
    texts = load_texts(language)
    assert len({texts(f"desktop.action.{row.name}") for row in PAGES}) == len(PAGES)


def test_no_two_actions_of_the_window_have_the_same_keys(window: MainWindow) -> None:
    keys = Counter(action.shortcut().toString() for action in window.actions() if not action.shortcut().isEmpty())
    assert {each for each, count in keys.items() if count > 1} == set()


@pytest.mark.parametrize("language", ["ko", "en"])
def test_no_page_is_named_by_a_part_of_another_pages_name(language: Language) -> None:
    texts = load_texts(language)
    names = [frozenset(texts(f"desktop.action.{each.name}").casefold().split()) for each in PAGES]
    assert not [(one, other) for one in names for other in names if one < other]
