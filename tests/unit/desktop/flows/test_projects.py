"""What a person does with projects in the window, with the real engine: drop, read, retry, remove, search, cite."""

from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QPushButton, QWidget

from assistant.core.texts import Texts
from assistant.desktop.conversation.answer_row import AnswerRow
from assistant.desktop.conversation.source_reader import SourceReader
from assistant.desktop.frame.pages_window import PagesWindow
from assistant.desktop.kit.buttons import IconButton
from assistant.desktop.kit.menu import Menu
from assistant.desktop.markdown.view import MarkdownText
from assistant.desktop.projects.file_list import ProjectFileList
from assistant.desktop.projects.passage_list import PassageList
from assistant.desktop.projects.passage_view import PassageView
from assistant.desktop.projects.project_list import ProjectList
from assistant.desktop.projects.projects_page import ProjectsPage
from tests.unit.desktop.flows.conftest import Person

pytestmark = [pytest.mark.long, pytest.mark.timeout(180)]

SMALL_MODEL = """
[[models]]
model = "scripted-model"
context_tokens = 8000
"""
READY = "ready"
MEETING = "# 회의 😀\n\n회의는 매주 화요일 오후 3시에 열려요.\n"
TRAVEL = "# Travel\n\nA travel day is paid with 80,000 won.\n"
HISTORY = "\n".join(
    f"## Year {year}\n\n" + ("The harbour was opened in spring. " if year == 1950 else "") + f"Nothing in {year}. " * 40
    for year in range(1920, 1980)
)
"""Longer than the small model reads, so that passages are sent."""


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "회사 문서"
    folder.mkdir()
    (folder / "회의.md").write_text(MEETING, encoding="utf-8")
    (folder / "travel.md").write_text(TRAVEL, encoding="utf-8")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\nbroken")
    (folder / ".hidden.md").write_text("hidden", encoding="utf-8")
    return folder


def drop(on: QWidget, *paths: Path) -> None:
    """Drop files and folders on a widget."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(each)) for each in paths])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    both = Qt.DropAction.CopyAction | Qt.DropAction.MoveAction
    dropped = QDropEvent(QPointF(100, 100), both, data, buttons, keys)
    dropped.setDropAction(Qt.DropAction.MoveAction)  # as a file manager proposes
    on.dropEvent(dropped)
    assert dropped.dropAction() == Qt.DropAction.CopyAction


def choose(person: Person, words: str) -> None:
    """Choose an entry of the menu that opens."""

    def entries() -> dict[str, Menu]:
        return {
            action.text(): menu
            for menu in QApplication.topLevelWidgets()
            if isinstance(menu, Menu) and menu.isVisible()
            for action in menu.actions()
        }

    person.until(lambda: words in entries())
    menu = entries()[words]
    (entry,) = (each for each in menu.actions() if each.text() == words)
    menu.setActiveAction(entry)
    QTest.keyClick(menu, Qt.Key.Key_Return)


def page_of(person: Person) -> ProjectsPage:
    person.window.show_page("projects")
    (pages,) = (each for each in person.window.pages.open if isinstance(each, PagesWindow))
    page = pages.shown_page
    assert isinstance(page, ProjectsPage)
    return page


def files_of(person: Person) -> ProjectFileList:
    page = page_of(person)
    page.go_to("project_files")
    assert isinstance(page.part, ProjectFileList)
    return page.part


def details(part: ProjectList | ProjectFileList | PassageList) -> dict[str, str]:
    """What is told of each row, by its title."""
    rows = [part.list.model.row_at(part.list.model.index(number)) for number in range(part.list.model.rowCount())]
    return {each.title: each.detail for each in rows if each is not None}


def first_is(part: PassageList, title: str) -> bool:
    return next(iter(details(part)), "") == title


def key_of(part: ProjectList | ProjectFileList, title: str) -> str:
    rows = [part.list.model.row_at(part.list.model.index(number)) for number in range(part.list.model.rowCount())]
    return next(each.key for each in rows if each is not None and each.title == title)


def made(person: Person, docs: Path) -> ProjectFileList:
    """Drop the folder on the window, and show the files once they are read."""
    drop(person.window, docs)
    choose(person, "New project “회사 문서”")
    files = files_of(person)
    person.until(
        lambda: (
            details(files).get("history.md", READY) == details(files).get("회의.md") == READY
            and details(files).get("travel.md") == READY
        )
    )
    return files


def dialog(person: Person, kind: type[PassageView] | type[SourceReader]) -> list[QWidget]:
    return [each for each in QApplication.topLevelWidgets() if isinstance(each, kind) and each.isVisible()]


def marked(view: PassageView | SourceReader) -> str:
    (mark,) = view.text.extraSelections()
    return mark.cursor.selectedText().replace("\u2029", "\n")


def test_a_dropped_folder_becomes_a_project_whose_files_tell_how_they_are(
    person: Person, docs: Path, texts: Texts, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    files = made(person, docs)
    person.until(lambda: details(files).get("broken.pdf") == texts("file_reason.broken", detail=""))
    assert details(files)[".hidden.md"] == texts("file_reason.hidden", detail="")
    page = page_of(person)
    page.go_to("projects")
    assert isinstance(page.part, ProjectList)
    projects = page.part
    person.until(lambda: details(projects) == {"회사 문서": texts("desktop.projects.some_failed", count="1")})

    # A copy of a file beside the folder is added.
    extra = tmp_path / "extra.txt"
    extra.write_text("The office is in Busan.", encoding="utf-8")
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(extra)], ""))
    next(each for each in files.findChildren(QPushButton) if each.text() == "Add files…").click()
    person.until(lambda: details(files).get("extra.txt") == READY)

    # A file that could not be read is mended and read again.
    (docs / "broken.pdf").write_bytes(b"%PDF-1.7\nstill broken")
    files.list.choose(key_of(files, "broken.pdf"))
    assert files.list.buttons["retry"].isVisibleTo(files)
    (docs / "broken.pdf").write_text("It is a text now, in truth.", encoding="utf-8")
    files.list.buttons["retry"].click()
    person.until(lambda: details(files).get("broken.pdf") == READY)

    # A file is left out, and comes back.
    files.list.choose(key_of(files, "travel.md"))
    files.list.buttons["remove"].click()
    person.until(lambda: details(files).get("travel.md") == texts("file_reason.removed", detail=""))
    assert files.undo.button.isVisibleTo(files)
    files.undo.button.click()
    person.until(lambda: details(files).get("travel.md") == READY)
    assert (docs / "travel.md").read_text(encoding="utf-8") == TRAVEL

    # The project is removed, and comes back with its files.
    page.go_to("projects")
    projects.list.choose(key_of(projects, "회사 문서"))
    projects.list.buttons["remove"].click()
    person.until(lambda: not details(projects))
    projects.undo.button.click()
    person.until(lambda: list(details(projects)) == ["회사 문서"])
    person.until(lambda: details(files).get("travel.md") == READY)


def test_a_passage_is_found_and_shown_in_its_text(person: Person, docs: Path) -> None:
    made(person, docs)
    page = page_of(person)
    page.go_to("passages")
    assert isinstance(page.part, PassageList)
    found = page.part
    for words, name, passage in (("회의", "회의.md", "오후 3시"), ("travel", "travel.md", "80,000 won")):
        page.search(words)
        person.until(partial(first_is, found, name))
        found.list.view.setCurrentIndex(found.list.model.index(0))
        QTest.keyClick(found.list.view, Qt.Key.Key_Return)
        person.until(lambda: len(dialog(person, PassageView)) == 1)
        (view,) = dialog(person, PassageView)
        assert isinstance(view, PassageView)
        assert passage in marked(view)
        assert marked(view) in view.text.toPlainText()
        QTest.keyClick(view, Qt.Key.Key_Escape)
        person.until(lambda: not dialog(person, PassageView))


@pytest.mark.parametrize("person", [SMALL_MODEL], indirect=True)
def test_the_chip_chooses_a_project_and_a_cited_number_opens_its_passage(
    person: Person, docs: Path, texts: Texts
) -> None:
    (docs / "history.md").write_text(HISTORY, encoding="utf-8")
    chip = person.window._parts.project
    assert not chip.isVisible()
    made(person, docs)
    person.until(chip.isVisible)
    page_of(person).window().close()
    chip.click()
    choose(person, "회사 문서")
    person.until(lambda: chip.text() == texts("desktop.projects.chip", name="회사 문서"))
    person.answer = "It was in spring [1], see [the rules](https://example.org/rules)."
    person.says("When was the harbour opened?", waits=False)
    person.until(lambda: person.rows[-1:] == [person.answer] and bool(person.message(-1).message_id))
    assert "harbour was opened in spring" in str(person.server.chats[-1].body["messages"])
    row = person.message(-1)
    assert isinstance(row, AnswerRow)
    (words,) = row.findChildren(MarkdownText)
    (cited,) = words.citations

    # By mouse.
    cursor = words.document().find("[1]")
    cursor.setPosition(cursor.selectionStart() + 1)
    QTest.mouseClick(words.viewport(), Qt.MouseButton.LeftButton, pos=words.cursorRect(cursor).center())
    opened = reader_of(person)
    assert marked(opened) == cited.text
    assert "harbour was opened" in cited.text
    assert "Year 1979" in opened.text.toPlainText()
    assert opened.name.text().startswith("history.md")
    QTest.keyClick(opened, Qt.Key.Key_Escape)
    person.until(lambda: not dialog(person, SourceReader))

    # By keyboard: the number, the link, the actions of the answer, and back.
    person.window.activateWindow()
    row.setFocus(Qt.FocusReason.TabFocusReason)
    person.until(row.hasFocus)
    QTest.keyClick(row, Qt.Key.Key_Tab)
    assert words.textCursor().selectedText() == "[1]"
    assert words.accessibleDescription().startswith("history.md")
    QTest.keyClick(words, Qt.Key.Key_Return)
    QTest.keyClick(reader_of(person), Qt.Key.Key_Escape)
    person.until(lambda: not dialog(person, SourceReader))
    person.window.activateWindow()
    person.until(words.hasFocus)
    QTest.keyClick(words, Qt.Key.Key_Tab)
    assert words.textCursor().selectedText() == "the rules"
    QTest.keyClick(words, Qt.Key.Key_Tab)
    assert isinstance(QApplication.focusWidget(), IconButton)
    assert not words.textCursor().hasSelection()
    assert not words.hasFocus()

    # A file that has changed or gone is said; what the model was sent stays.
    (docs / "history.md").write_text("All is different now.", encoding="utf-8")
    person.until(lambda: told_of(person, words) == texts("desktop.source.changed"))
    (docs / "history.md").unlink()
    person.until(lambda: told_of(person, words) == texts("desktop.source.gone"))


def reader_of(person: Person) -> SourceReader:
    person.until(lambda: len(dialog(person, SourceReader)) == 1)
    (reader,) = dialog(person, SourceReader)
    assert isinstance(reader, SourceReader)
    person.until(lambda: bool(reader.text.extraSelections()) or reader.note.isVisible())
    return reader


def told_of(person: Person, words: MarkdownText) -> str:
    """What the reader of the only citation notes."""
    (cited,) = words.citations
    words.source_wanted.emit(cited)
    reader = reader_of(person)
    note = reader.note.text()
    assert not note or reader.text.toPlainText() == cited.text
    QTest.keyClick(reader, Qt.Key.Key_Escape)
    person.until(lambda: not dialog(person, SourceReader))
    return note


@pytest.mark.parametrize("person", [SMALL_MODEL], indirect=True)
def test_a_text_that_is_too_long_is_added_to_a_project(person: Person, tmp_path: Path, texts: Texts) -> None:
    long, short = tmp_path / "long report.txt", tmp_path / "short.txt"
    long.write_text("Every line of the report is about the harbour.\n" * 1500, encoding="utf-8")
    short.write_text("short", encoding="utf-8")
    composer = person.window.composer
    composer.files.add_files([long, short])
    line = composer.file_warning
    person.until(line.project.isVisible)
    assert line.project.text() == texts("desktop.attach.add_to_project")
    line.project.click()
    choose(person, "New project “long report”")
    person.until(lambda: [each.name for each in composer.files.files] == ["short.txt"])
    person.until(lambda: not line.isVisible())
    chip = person.window._parts.project
    person.until(lambda: chip.text() == texts("desktop.projects.chip", name="long report"))
    files = files_of(person)
    person.until(lambda: details(files) == {"long report.txt": READY})
