"""Citations in the window: a number opens its passage, highlighted, and nothing is fetched."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from assistant.core.knowledge.files import FileState, KnownFile, Project
from assistant.core.knowledge.passages import Citation
from assistant.core.machine.states import TurnId
from assistant.core.messages import Message, Role
from assistant.core.packets import AnswerDelta, Cited, Done
from assistant.core.service.requests.projects import ShownFile
from assistant.core.texts import Texts
from assistant.desktop.conversation.answer_row import AnswerRow
from assistant.desktop.conversation.conversation import MessageList
from assistant.desktop.conversation.source_reader import SourceReader
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.menu import Menu
from assistant.desktop.kit.theme import Theme
from assistant.desktop.markdown.link_question import LinkQuestion
from assistant.desktop.markdown.view import MarkdownText

TURN = TurnId("1")
MINUTES = Citation(number=1, title="회의록.md", file="f1", passage=2, text="회의는 3시예요.")
PAGE = Citation(number=2, title="Fig", url="https://example.org/fig", text="A fig.")


@pytest.fixture
def conversation(qtbot: QtBot, texts: Texts, icons: Icons, theme: Theme) -> MessageList:
    conversation = MessageList(texts, icons, theme)
    qtbot.addWidget(conversation)
    conversation.resize(480, 500)
    conversation.show()
    return conversation


def place_of(words: MarkdownText, letters: str) -> QPoint:
    cursor = words.document().find(letters)
    assert not cursor.isNull(), letters
    cursor.setPosition(cursor.selectionStart() + 1)
    return words.cursorRect(cursor).center()


def words_of(conversation: MessageList) -> MarkdownText:
    row = conversation.rows[-1]
    assert isinstance(row, AnswerRow)
    return row.findChildren(MarkdownText)[-1]


@pytest.mark.parametrize("stored", [False, True])
def test_a_number_asks_for_its_passage_and_another_is_plain_text(
    conversation: MessageList, qtbot: QtBot, *, stored: bool
) -> None:
    if stored:
        question = Message(role=Role.USER, text="언제?", id="1")
        answer = Message(role=Role.ASSISTANT, text="3시예요 [1]. 목록[3]", id="2", citations=(MINUTES,))
        conversation.open((question, answer))
    else:
        conversation.add(TURN, Message(role=Role.USER, text="언제?"))
        for packet in (
            Cited(turn_index=0, citation=MINUTES),
            AnswerDelta(turn_index=0, text="3시예요 [1]."),
            AnswerDelta(turn_index=0, text=" 목록[3]"),
            Done(turn_index=1, finish="complete"),
        ):
            conversation.show_packet(TURN, packet)
    words = words_of(conversation)
    assert words.citations == (MINUTES,)
    assert words.links == ()
    with qtbot.waitSignal(conversation.source_wanted) as wanted:
        QTest.mouseClick(words.viewport(), Qt.MouseButton.LeftButton, pos=place_of(words, "[1]"))
    assert wanted.args == [MINUTES]
    assert words.anchorAt(place_of(words, "[3]")) == ""


def test_each_place_of_a_number_opens_the_passage_of_its_own_sentence(conversation: MessageList, qtbot: QtBot) -> None:
    other = replace(MINUTES, passage=5, text="출장비는 8만 원이에요.")
    text = "하나 [1]. 둘 [2]. 셋 [1].\n\n| 넷 |\n|---|\n| 다섯 [1] |\n"
    answer = Message(role=Role.ASSISTANT, text=text, id="2", citations=(MINUTES, PAGE, other, MINUTES))
    conversation.open((Message(role=Role.USER, text="언제?", id="1"), answer))
    words = words_of(conversation)
    assert words.citations == (MINUTES, other, PAGE)
    for before, cited in (("하나 ", MINUTES), ("둘 ", PAGE), ("셋 ", other), ("다섯 ", MINUTES)):
        with qtbot.waitSignal(conversation.source_wanted) as wanted:
            cursor = words.document().find(before)
            cursor.setPosition(cursor.selectionEnd() + 1)
            QTest.mouseClick(words.viewport(), Qt.MouseButton.LeftButton, pos=words.cursorRect(cursor).center())
        assert wanted.args == [cited]
    opened: list[Citation] = []
    conversation.source_wanted.connect(opened.append)
    while words.focus_anchor(forwards=True):
        QTest.keyClick(words, Qt.Key.Key_Return)
    assert opened == [MINUTES, PAGE, other, MINUTES]


def shown(qtbot: QtBot, texts: Texts, citation: Citation) -> SourceReader:
    reader = SourceReader(texts, citation)
    qtbot.addWidget(reader)
    reader.show()
    return reader


def marked(reader: SourceReader) -> list[str]:
    return [each.cursor.selectedText() for each in reader.text.extraSelections()]


FILE = KnownFile(id="f1", name="회의록.md", state=FileState.READY)


def test_the_passage_is_highlighted_in_its_file(qtbot: QtBot, texts: Texts) -> None:
    reader = shown(qtbot, texts, MINUTES)
    assert reader.text.toPlainText() == MINUTES.text
    reader.show_file(ShownFile(file=FILE, text="# 제목 😀\n회의는 3시예요.\n끝"))
    assert reader.text.toPlainText() == "# 제목 😀\n회의는 3시예요.\n끝"
    assert marked(reader) == [MINUTES.text]
    assert not reader.note.isVisible()


def test_a_changed_file_is_said_and_the_stored_passage_is_shown(qtbot: QtBot, texts: Texts) -> None:
    reader = shown(qtbot, texts, MINUTES)
    reader.show_file(ShownFile(file=FILE, text="회의는 4시예요."))
    assert reader.text.toPlainText() == MINUTES.text
    assert reader.note.text() == texts("desktop.source.changed")
    reader.show_gone()
    assert reader.note.text() == texts("desktop.source.gone")


def test_a_page_of_the_web_shows_where_it_leads_before_it_opens(qtbot: QtBot, texts: Texts) -> None:
    assert not shown(qtbot, texts, MINUTES).open_button.isVisible()
    reader = shown(qtbot, texts, PAGE)
    assert reader.open_button.isVisible()
    reader.open_button.click()
    (question,) = reader.findChildren(LinkQuestion)
    assert question.what.text() == "example.org"


def test_a_page_of_the_web_is_kept_in_a_project_that_the_user_chooses(qtbot: QtBot, texts: Texts) -> None:
    assert not shown(qtbot, texts, MINUTES).keep_button.isVisible()
    assert not shown(qtbot, texts, replace(PAGE, file="kept")).keep_button.isVisible()
    reader, kept = shown(qtbot, texts, PAGE), list[str]()
    with qtbot.waitSignal(reader.keep_wanted):
        reader.keep_button.click()
    reader.offer_projects((), lambda each: kept.append(each.id))
    assert reader.note.text() == texts("desktop.source.no_project")
    projects = [Project(id=each, name=f"{each} & co", workspace="default") for each in ("a", "b")]
    reader.offer_projects(projects, lambda each: kept.append(each.id))
    (menu,) = reader.findChildren(Menu)
    assert [each.text() for each in menu.actions()] == ["a && co", "b && co"]
    menu.actions()[1].trigger()
    menu.close()
    assert kept == ["b"]
    reader.show_kept("b & co")
    assert reader.note.text() == texts("desktop.source.kept", project="b & co")
    reader.show_refused("gone")
    assert reader.note.text() == "gone"
