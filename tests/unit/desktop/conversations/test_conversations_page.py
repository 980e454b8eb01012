"""The page of all conversations: by workspace, several at once, imports with progress and an end."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from assistant.core.errors import ErrorCode
from assistant.core.records.agents import ListedWorkspace
from assistant.core.records.conversations import ConversationEntry, ConversationMark
from assistant.core.service.request import Refusal
from assistant.core.service.requests.agents import ListWorkspaces
from assistant.core.service.requests.conversations import (
    DeleteConversation,
    ImportConversations,
    ImportedConversations,
    ListConversations,
    MoveConversation,
    OpenConversation,
    PinConversation,
    RestoreConversation,
    WriteConversations,
)
from assistant.core.texts import Texts
from assistant.core.updates import ConversationMarked, ImportProgressed
from assistant.desktop.conversations.conversations_page import ConversationsPage
from assistant.desktop.kit.theme import Theme
from tests.fakes.front.connection import RecordedConnection
from tests.fakes.front.page_needs import page_needs

AT = "2026-11-26T09:00:00+09:00"
ENTRIES = (
    ConversationEntry(id="1", title="여행", updated_at=AT),
    ConversationEntry(id="2", title="<b>Bold</b>", updated_at=AT, workspace="work"),
    ConversationEntry(id="3", title="요리", updated_at=AT, pinned=True),
)
WORKSPACES = (
    ListedWorkspace(name="default", title="Home", current=True, agents=()),
    ListedWorkspace(name="work", title="Work & play", current=False, agents=()),
)


@pytest.fixture
def page(qtbot: QtBot, connection: RecordedConnection, texts: Texts, theme: Theme, tmp_path: Path) -> ConversationsPage:
    made = ConversationsPage(page_needs(connection, texts=texts, theme=theme, home=tmp_path))
    qtbot.addWidget(made)
    made.show()
    connection.reply(ListWorkspaces, WORKSPACES)
    connection.reply(ListConversations, ENTRIES)
    return made


def choose(page: ConversationsPage, *titles: str) -> None:
    page.rows.clearSelection()
    for item in page._items():
        item.setSelected(any(title in item.text(0) for title in titles))


def test_conversations_stand_below_their_workspaces_pinned_ones_first(page: ConversationsPage) -> None:
    groups = filter(None, map(page.rows.topLevelItem, range(page.rows.topLevelItemCount())))
    shown = {each.text(0): [row.text(0) for row in map(each.child, range(each.childCount())) if row] for each in groups}
    assert [item.text(1) for item in page._items()] == ["On top", "", ""]
    assert shown == {"Default workspace": ["요리", "여행"], "Work & play": ["<b>Bold</b>"]}


def test_several_are_deleted_and_brought_back_at_once(page: ConversationsPage, connection: RecordedConnection) -> None:
    assert not page.delete_button.isEnabled()
    choose(page, "여행", "Bold")
    assert not page.open_button.isEnabled()
    QTest.keyClick(page.rows, Qt.Key.Key_Delete)
    assert [each for each in connection.sent if isinstance(each, DeleteConversation)] == [
        DeleteConversation(conversation="1"),
        DeleteConversation(conversation="2"),
    ]
    page.undo.button.click()
    assert connection.sent[-2:] == [RestoreConversation(conversation="1"), RestoreConversation(conversation="2")]


def test_several_are_pinned_moved_and_written(
    page: ConversationsPage, connection: RecordedConnection, tmp_path: Path
) -> None:
    choose(page, "여행", "요리")
    page.pin_button.click()
    assert connection.sent[-2:] == [PinConversation(conversation="1"), PinConversation(conversation="3")]
    page._move("work")
    wanted = [MoveConversation(conversation=each, workspace="work") for each in "13"]
    assert connection.sent[-2:] == wanted
    page.export_button.click()
    (dialog,) = page.window().findChildren(QFileDialog)
    dialog.fileSelected.emit(str(tmp_path / "some.json"))
    sent = connection.sent[-1]
    assert isinstance(sent, WriteConversations)
    assert sent.conversations == ("1", "3")
    dialog.reject()


def test_pinned_ones_alone_are_unpinned(page: ConversationsPage, connection: RecordedConnection) -> None:
    choose(page, "요리")
    assert page.pin_button.text() == "Unpin"
    page.pin_button.click()
    assert connection.sent[-1] == PinConversation(conversation="3", pinned=False)


def test_one_is_opened(page: ConversationsPage, connection: RecordedConnection) -> None:
    choose(page, "여행")
    page.open_button.click()
    assert connection.sent[-1] == OpenConversation(conversation="1")


def test_what_is_being_answered_is_marked(page: ConversationsPage) -> None:
    page.show_update(ConversationMarked(conversation="2", mark=ConversationMark.ANSWERING))
    assert [item.text(1) for item in page._items() if "Bold" in item.text(0)] == ["Being answered"]


def test_an_import_tells_how_far_it_is_and_what_it_took_and_did_not(
    page: ConversationsPage, connection: RecordedConnection, tmp_path: Path
) -> None:
    file = tmp_path / "chatgpt.zip"
    page.imports.take([file])
    assert connection.sent[-1] == ImportConversations(path=str(file))
    page.show_update(ImportProgressed(path=str(file), added=3, passed=4, fraction=0.5))
    assert page.imports.bar.value() == page.imports.bar.maximum() // 2
    assert "4" in page.imports.result.text()
    done = ImportedConversations(added=5, messages=20, known=1, left_out=2, invalid=("a[3]",), unknown=("b",))
    connection.reply(ImportConversations, done)
    told = page.imports.result.text()
    for words in ("Conversations added: 5 (messages: 20)", "Already there: 1", ": 2", "a[3]", "the first: b"):
        assert words in told
    assert not page.imports.running
    assert [*connection.sent][-1] == ListConversations()
    connection.reply(ListConversations, (ConversationEntry(id="9", title="Sourdough bread", updated_at=AT),))
    assert [item.text(0) for item in page._items()] == ["Sourdough bread"]


def test_an_import_that_fails_at_once_is_not_called_done(
    page: ConversationsPage, connection: RecordedConnection, tmp_path: Path
) -> None:
    for added, title in ((0, "Nothing was imported from a.zip"), (2, "Imported from a.zip")):
        page.imports.take([tmp_path / "a.zip"])
        connection.reply(ImportConversations, ImportedConversations(added=added, failure="It is damaged."))
        assert page.imports.words.text() == title
        told = page.imports.result.text().splitlines()
        assert told[-1] == "It is damaged."
        assert (len(told) > 1) == bool(added)


def test_an_import_is_stopped_and_the_next_file_does_not_begin(
    page: ConversationsPage, connection: RecordedConnection, tmp_path: Path
) -> None:
    page.imports.take([tmp_path / "a.json", tmp_path / "b.json"])
    page.show_update(ImportProgressed(path=str(tmp_path / "a.json"), added=7, passed=7))
    page.imports.stop.click()
    assert connection.cancelled == [ImportConversations(path=str(tmp_path / "a.json"))]
    assert "7" in page.imports.result.text()
    assert ImportConversations(path=str(tmp_path / "b.json")) not in connection.sent


def test_files_are_imported_one_after_the_other_also_after_a_refusal(
    page: ConversationsPage, connection: RecordedConnection, tmp_path: Path
) -> None:
    page.imports.take([tmp_path / "a.json", tmp_path / "b.json"])
    connection.reply(ImportConversations, Refusal(code=ErrorCode.INVALID_REQUEST, reason="x", message="No export."))
    assert connection.sent[-1] == ImportConversations(path=str(tmp_path / "b.json"))
    connection.reply(ImportConversations, ImportedConversations())
    assert not page.imports.running
