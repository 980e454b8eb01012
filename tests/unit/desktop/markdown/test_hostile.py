"""Whatever a text holds, the view shows words: it fetches nothing, and a click opens web pages alone."""

import pytest
from PySide6.QtGui import QTextCursor
from pytestqt.qtbot import QtBot

from assistant.core.markdown.units import Table
from assistant.core.texts import Texts
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.desktop.markdown.link_question import LinkQuestion
from assistant.desktop.markdown.view import MarkdownText
from tests.fakes.hostile import ADDRESSES, FORMS, HOSTILE, LETTERS, MUCH


class WatchedText(MarkdownText):
    """Notes what the document would load."""

    def loadResource(self, kind: int, name: object) -> object:  # noqa: N802 - Qt's name
        loaded.append((kind, name))
        return None


loaded: list[tuple[int, object]] = []


@pytest.fixture
def opened() -> list[str]:
    loaded.clear()
    return []


@pytest.fixture
def view(qtbot: QtBot, texts: Texts, icons: Icons, theme: Theme, opened: list[str]) -> MarkdownText:
    view = WatchedText("answer", texts, icons, theme, open_address=opened.append)
    qtbot.addWidget(view)
    view.fit(480)
    view.show()
    return view


def pictures(view: MarkdownText) -> list[str]:
    """The names of the pictures in the text: formulas that were typeset here."""
    cursor, found = QTextCursor(view.document()), []
    while cursor.movePosition(QTextCursor.MoveOperation.NextCharacter):
        if cursor.charFormat().isImageFormat():
            found.append(cursor.charFormat().toImageFormat().name())
    return found


def test_there_are_many() -> None:
    assert len(HOSTILE) >= 250


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_text_is_words(view: MarkdownText, opened: list[str], text: str) -> None:
    for at in range(0, len(text), max(len(text) // 3, 1)):
        view.grow(text[at : at + max(len(text) // 3, 1)])
    view.complete()
    view.grab()
    assert (loaded, opened) == ([], [])
    assert all(each.startswith(("http://", "https://")) for each in view.links)
    raw = view.document().toRawText()
    assert not {"\x00", "\x1b", "\u202e"} & {*raw}
    assert raw.count("\ufffc") == len(pictures(view))
    assert all(each.startswith("formula:") for each in pictures(view))
    tables = any(isinstance(each.unit, Table) for each in view._page.placed)
    assert tables or view.document().blockCount() == max(len(view._page.placed), 1)


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_way_leads_to_what_is_no_web_page(view: MarkdownText, opened: list[str], address: str) -> None:
    for form in FORMS:
        view.show_text(form.format(address))
        view.open_link(address)
        for each in view.links:
            view.open_link(each, each)
    assert all(each.startswith(("http://", "https://")) for each in opened)


@pytest.mark.parametrize(
    ("text", "host", "doubts"),
    [
        ("[docs](https://example.com/a)", "example.com", 0),
        ("[여기](https://example.com/a)", "example.com", 0),
        ("[https://google.com](https://evil.example/)", "evil.example", 1),
        ("[google.com](https://google.com@evil.example/)", "evil.example", 2),
        ("[apple.com](https://аpple.com/)", "xn--pple-43d.com", 2),
        ("[x](https://한글.kr/)", "xn--bj0bj06e.kr", 1),
        ("[x](http://2130706433/)", "2130706433", 2),
        ("[x](http://[::1]/)", "[::1]", 2),
        ("[x](http://localhost:8080/)", "localhost:8080", 1),
        ("[\u202emoc.elgoog](https://evil.example/)", "evil.example", 1),
        ("![picture](https://evil.example/a.png)", "evil.example", 0),
    ],
)
def test_a_link_shows_where_it_leads_before_it_opens(
    view: MarkdownText, opened: list[str], text: str, host: str, doubts: int
) -> None:
    view.show_text(text)
    (address,) = view.links
    view.open_link(address, text[1 : text.index("]")].lstrip("["))
    question = view.findChild(LinkQuestion)
    assert question is not None
    assert opened == []
    assert question.what.text() == host
    assert len(question.doubts) == doubts
    assert question.open_button.isDefault() == (doubts == 0)
    question.stay_button.click()
    assert opened == []
    view.open_link(address)
    view.findChildren(LinkQuestion)[-1].open_button.click()
    assert opened == [address]


@pytest.mark.parametrize("text", ["https://example.com/a", "<https://example.com/a>", "보기: https://example.com/a"])
def test_an_address_that_the_user_has_read_opens_at_once(view: MarkdownText, opened: list[str], text: str) -> None:
    view.show_text(text)
    (address,) = view.links
    view.open_link(address, "https://example.com/a")
    assert opened == ["https://example.com/a"]


@pytest.mark.parametrize("text", [*LETTERS, *MUCH[:4]])
def test_code_shows_what_cannot_be_seen(view: MarkdownText, text: str) -> None:
    view.show_text(f"```\n{text}\n```")
    shown = view.toPlainText()
    assert not {"\u202e", "\u2066", "\u200b", "\ufeff", "\x1b", "\u2060"} & {*shown}
