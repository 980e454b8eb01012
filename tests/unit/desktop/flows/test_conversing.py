"""What a person does in the window, with the real engine: ask, edit, answer again, branch, delete, find, interrupt."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from assistant.desktop.conversation.message_edit import MessageEdit
from assistant.desktop.conversation.message_rows import MessageAction, UserRow
from assistant.desktop.conversation.version_switch import VersionSwitch
from assistant.desktop.conversations.import_panel import ImportPanel
from assistant.desktop.kit.theme import Theme
from tests.unit.desktop.flows.conftest import Person

pytestmark = [pytest.mark.long, pytest.mark.timeout(180)]


def edit(person: Person, number: int, text: str) -> None:
    row = person.message(number)
    assert isinstance(row, UserRow)
    row.act(MessageAction.EDIT)
    field = row.findChild(MessageEdit)
    assert field is not None
    field.field.setPlainText(text)
    QTest.keyClick(field.field, Qt.Key.Key_Return)


def test_ask_edit_switch_the_version_and_branch(person: Person) -> None:
    person.says("one")
    person.says("two")
    assert [each.rpartition("to: ")[2] for each in person.rows] == ["one", "one", "two", "two"]
    edit(person, 2, "three")
    person.until(lambda: person.answered("three"))
    assert person.rows[2] == "three"
    person.until(lambda: person.message(2).findChild(VersionSwitch) is not None)
    switch = person.message(2).findChild(VersionSwitch)
    assert switch is not None
    assert switch.place.text() == "2/2"
    switch.before.click()
    person.until(lambda: person.answered("two"))
    former = person.window._view.conversation
    person.message(1).act(MessageAction.BRANCH)
    person.until(lambda: person.window._view.conversation != former)
    person.until(lambda: [each.rpartition("to: ")[2] for each in person.rows] == ["one", "one"])
    assert person.window.strip.title.text() == "one (2)"


def test_an_answer_is_made_again_in_its_place(person: Person) -> None:
    person.says("one")
    (_, first) = person.rows
    person.message(1).act(MessageAction.AGAIN)
    person.until(lambda: person.answered("one") and person.rows[-1] != first)
    assert len(person.rows) == 2
    assert person.message(1).findChild(VersionSwitch) is not None


def test_messages_are_deleted_and_brought_back(person: Person) -> None:
    for text in ("one", "apricot", "blueberry"):
        person.says(text)
    every = person.rows
    person.message(2).setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(person.message(2), Qt.Key.Key_Delete)
    person.until(lambda: len(person.rows) == 5)
    assert person.rows == [*every[:2], *every[3:]]
    person.until(person.window.undo.isVisible)
    person.window.undo.button.click()
    person.until(lambda: person.rows == every)
    person.message(2).act(MessageAction.DELETE_AFTER)
    person.until(lambda: person.rows == every[:2])
    person.says("four")
    assert [each.rpartition("to: ")[2] for each in person.rows] == ["one", "one", "four", "four"]
    sent = str(person.server.chats[-1].body["messages"])
    assert "apricot" not in sent
    assert "blueberry" not in sent


def test_a_deleted_question_is_no_longer_sent(person: Person) -> None:
    person.says("my secret is 4711")
    person.says("two")
    person.message(0).act(MessageAction.DELETE)
    person.until(lambda: len(person.rows) == 3)
    person.message(0).act(MessageAction.DELETE)
    person.until(lambda: len(person.rows) == 2)
    person.says("three")
    assert "4711" not in str(person.server.chats[-1].body["messages"])


def test_an_answer_is_stopped_and_the_conversation_goes_on(person: Person) -> None:
    person.slow = True
    person.says("tell me a story", waits=False)
    person.until(lambda: len(person.rows) == 2 and "and on" in person.rows[1])
    QTest.keyClick(person.window.composer.input, Qt.Key.Key_Escape)
    person.until(lambda: MessageAction.AGAIN in person.message(1).offered)
    person.slow = False
    person.says("next")
    assert len(person.rows) == 4


def test_two_quick_messages_are_both_answered(person: Person) -> None:
    person.says("one", waits=False)
    person.says("two", waits=False)
    person.until(lambda: len(person.rows) == 4 and person.answered("two"))
    assert [each.rpartition("to: ")[2] for each in person.rows] == ["one", "one", "two", "two"]


def test_an_old_conversation_is_found_opened_renamed_and_deleted(person: Person) -> None:
    person.says("a trip to Busan")
    person.does("new")
    person.until(lambda: person.rows == [])
    person.says("a cake")
    person.does("search")
    side = person.window.side
    side.search.setText("Busan")
    person.until(lambda: side.model.rowCount() == 2 and side.query == "Busan")
    QTest.keyClick(side.search, Qt.Key.Key_Return)
    person.until(lambda: bool(person.rows) and person.rows[0] == "a trip to Busan")
    title = person.window.strip.title
    person.until(lambda: title.text() == "a trip to Busan")
    person.does("rename")
    title.field.setText("Sea")
    QTest.keyClick(title.field, Qt.Key.Key_Return)
    side.search.clear()
    person.until(lambda: "Sea" in [side.model.title_at(side.model.index(row)) for row in range(side.model.rowCount())])
    opened = person.window._view.conversation
    side.delete_wanted.emit(opened)
    person.until(lambda: person.rows == [])
    side.undo.button.click()
    person.until(lambda: bool(person.rows) and person.rows[0] == "a trip to Busan")
    assert title.text() == "Sea"


def test_words_are_found_in_the_open_conversation(person: Person) -> None:
    for text in ("apple", "pear", "apple pie"):
        person.says(text)
    person.does("find")
    bar = person.window._parts.find
    bar.field.setText("apple")
    person.until(lambda: bar.count.text() == "1 of 4")
    QTest.keyClick(bar.field, Qt.Key.Key_Escape)
    assert not bar.isVisible()


def test_a_conversation_is_written_and_read_again_after_it_was_deleted(person: Person, tmp_path: Path) -> None:
    person.says("one")
    file = tmp_path / "one.json"
    person.does("export")
    (dialog,) = person.window.findChildren(QFileDialog)
    dialog.fileSelected.emit(str(file))
    dialog.reject()
    person.until(file.exists)
    person.window.pages.import_from(file)
    (panel,) = person.window.findChildren(ImportPanel)
    person.until(lambda: not panel.running and panel.result.isVisible())
    assert "Already there: 1" in panel.result.text()


def test_a_file_goes_with_a_message_and_is_kept(person: Person, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("milk", encoding="utf-8")
    person.window.composer.files.add_files([tmp_path / "notes.txt"])
    person.until(lambda: len(person.window.composer.files.files) == 1)
    person.says("read this", waits=False)
    person.until(lambda: len(person.rows) == 2 and bool(person.message(1).message_id))
    assert [each.name for each in person.message(0).files] == ["notes.txt"]
    assert "milk" in str(person.server.chats[-1].body["messages"])


def test_the_theme_changes_while_an_answer_runs(person: Person, theme: Theme) -> None:
    person.slow = True
    person.says("long", waits=False)
    person.until(lambda: len(person.rows) == 2 and "and on" in person.rows[1])
    theme.choose("dark")
    before = len(person.rows[1])
    person.until(lambda: len(person.rows[1]) > before)
    QTest.keyClick(person.window.composer.input, Qt.Key.Key_Escape)
    person.until(lambda: MessageAction.AGAIN in person.message(1).offered)


def test_sori_is_closed_in_the_middle_of_an_answer_and_shows_what_there_was(person: Person) -> None:
    person.slow = True
    person.says("long", waits=False)
    person.until(lambda: len(person.rows) == 2 and "and on" in person.rows[1])
    person.close()
    person.slow = False
    person.open()
    person.until(lambda: len(person.rows) == 2)
    assert person.rows[0] == "long"
    assert "Answer" in person.rows[1]
    person.says("next")
