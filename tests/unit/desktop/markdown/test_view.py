"""Answers as the window draws them."""

import subprocess
import sys
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QTextCursor, QTextTable, QWheelEvent
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from assistant.core.markdown.highlighting import LINES_READ_AGAIN
from assistant.core.markdown.reading import TABLE_ROWS
from assistant.core.texts import Texts
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.desktop.markdown.code_area import CodeArea
from assistant.desktop.markdown.code_head import CodeHead
from assistant.desktop.markdown.link_question import LinkQuestion
from assistant.desktop.markdown.page import CODE_EDGE_PX
from assistant.desktop.markdown.view import MarkdownText
from assistant.host.places import PROJECT
from tests.unit.core.markdown.test_unfinished import ANSWER

CODE = "```python\ndef f(x):\n    return '가😀' + x  # 끝\n```"
WIDTH_PX = 480
PIECES = (
    "# ", "- ", "1. ", "> ", "```", "py\n", "\n", "\n\n", "| a ", "|", "---", "**", "*", "`", "가 ", "나", "😀", "$",
)  # fmt: skip


@pytest.fixture
def opened() -> list[str]:
    return []


@pytest.fixture
def view(qtbot: QtBot, texts: Texts, icons: Icons, theme: Theme, opened: list[str]) -> MarkdownText:
    view = MarkdownText("answer", texts, icons, theme, open_address=opened.append)
    qtbot.addWidget(view)
    view.fit(WIDTH_PX)
    view.show()
    return view


def drawn(view: MarkdownText) -> list[tuple[str, list[tuple[str, str, int, bool, str]]]]:
    """Every block of the document with its stretches of one look."""
    found = []
    block = view.document().begin()
    while block.isValid():
        pieces = [
            (text.text(), look.foreground().color().name(), look.fontWeight(), look.fontItalic(), look.anchorHref())
            for text in (each.fragment() for each in block)  # type: ignore[attr-defined]
            for look in [text.charFormat()]
        ]
        found.append((block.text(), pieces))
        block = block.next()
    return found


def stream(view: MarkdownText, source: str, step: int) -> None:
    for at in range(0, len(source), step):
        view.grow(source[at : at + step])
    view.complete()


@pytest.mark.parametrize("step", [1, 2, 3, 7, 20])
def test_what_streamed_looks_like_what_came_at_once(view: MarkdownText, step: int) -> None:
    source = f"{ANSWER}\n\n{CODE}\n\n- 가\n- 나"
    view.show_text(source)
    at_once = drawn(view)
    view.show_text("")
    stream(view, source, step)
    assert drawn(view) == at_once


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=60)
@given(
    st.lists(
        st.sampled_from([*PIECES]),
        max_size=30,
    ),
    st.integers(1, 5),
)
def test_any_text_streams_to_what_it_is(view: MarkdownText, pieces: list[str], step: int) -> None:
    source = "".join(pieces)
    view.show_text("")
    stream(view, source, step)
    streamed = drawn(view)
    view.show_text("")
    view.show_text(source)
    assert [text for text, _ in streamed] == [text for text, _ in drawn(view)]


def test_an_answer_never_gets_shorter_while_it_streams(qtbot: QtBot, view: MarkdownText) -> None:
    heights = [0]
    for at, letter in enumerate(ANSWER + "\n\n" + CODE):
        view.grow(letter)
        qtbot.waitUntil(lambda: not view.waiting)
        heights.append(view.height())
        assert heights[-1] >= heights[-2], ANSWER[:at][-40:]


def test_what_is_selected_stays_selected_while_the_answer_grows(qtbot: QtBot, view: MarkdownText) -> None:
    view.grow("첫 문단입니다.\n\n둘째 ")
    cursor = view.textCursor()
    cursor.setPosition(2)
    cursor.setPosition(5, QTextCursor.MoveMode.KeepAnchor)
    view.setTextCursor(cursor)
    view.grow("문단 **굵게**\n\n- 항목")
    qtbot.waitUntil(lambda: not view.waiting)
    assert view.textCursor().selectedText() == "문단입"


def test_code_is_coloured_by_its_language(view: MarkdownText, theme: Theme) -> None:
    view.show_text(CODE)
    colours = {text: colour for _, pieces in drawn(view) for text, colour, *_ in pieces}
    assert colours["def"] == theme.colors.thinking.lower()
    assert colours["'가😀'"] == theme.colors.accent.lower()
    assert colours["# 끝"] == theme.colors.dim.lower()


def test_code_is_copied_with_its_button(view: MarkdownText) -> None:
    view.show_text(f"글\n\n{CODE}")
    (head,) = view.findChildren(CodeHead)
    head.copy()
    assert QGuiApplication.clipboard().text() == "def f(x):\n    return '가😀' + x  # 끝"


def test_a_link_opens_on_a_click_and_only_then(view: MarkdownText, opened: list[str]) -> None:
    view.show_text("[문서](https://example.com/a) 그리고 [나쁜](javascript:x)")
    at = view.cursorRect(QTextCursor(view.document())).center() + QPoint(6, 0)
    assert opened == []
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    question = view.findChild(LinkQuestion)
    assert question is not None
    assert (question.what.text(), opened) == ("example.com", [])
    question.open_button.click()
    assert opened == ["https://example.com/a"]
    view.open_link("file:///etc/passwd")
    assert opened == ["https://example.com/a"]


def test_the_source_is_what_was_written(view: MarkdownText) -> None:
    stream(view, ANSWER, 11)
    assert view.source == ANSWER


def test_another_theme_recolours_what_is_shown(view: MarkdownText, theme: Theme) -> None:
    view.show_text(CODE)
    theme.choose("dark")
    colours = {text: colour for _, pieces in drawn(view) for text, colour, *_ in pieces}
    assert colours["def"] == theme.colors.thinking.lower()


def test_a_table_fits_its_width(view: MarkdownText) -> None:
    cells = " | ".join(["아주 긴 칸의 글입니다"] * 6)
    view.show_text(f"| {cells} |\n|{'---|' * 6}\n| {cells} |")
    assert view.document().idealWidth() <= WIDTH_PX + 1
    assert "아주 긴 칸의 글입니다" in view.toPlainText()


@pytest.mark.parametrize("source", [CODE, f"글\n\n{CODE}", f"{CODE}\n\n글"])
def test_a_card_is_never_cut_off(view: MarkdownText, source: str) -> None:
    view.show_text(source)
    (head,) = view.findChildren(CodeHead)
    assert head.geometry().top() >= 0
    last = view.document().lastBlock()
    bottom = last.layout().position().y() + last.layout().boundingRect().bottom()
    if source.endswith("```"):
        assert view.height() >= bottom + 10


LONG_TABLE = "| 이름 | 값 | 설명 |\n|---|---:|---|\n" + "".join(
    f"| **줄 {row}** | {row},000 | `코드`와 글 |\n" for row in range(100)
)


def tables(view: MarkdownText) -> list[QTextTable]:
    frames = view.document().rootFrame().childFrames()
    return [each for each in frames if isinstance(each, QTextTable)]


def columns_px(view: MarkdownText, table: QTextTable) -> list[float]:
    layout = view.document().documentLayout()
    blocks = [table.cellAt(0, column).firstCursorPosition().block() for column in range(table.columns())]
    return [layout.blockBoundingRect(block).x() for block in blocks] + [layout.frameBoundingRect(table).right()]


def test_a_long_table_streams_to_what_it_is_at_once(view: MarkdownText) -> None:
    source = f"글\n\n{LONG_TABLE}\n끝"
    view.show_text(source)
    at_once, height = drawn(view), view.height()
    view.show_text("")
    stream(view, source, 40)
    assert drawn(view) == at_once
    assert view.height() == height


@pytest.mark.parametrize("width_px", [WIDTH_PX, 300, 900])
def test_the_parts_of_a_long_table_look_like_one(view: MarkdownText, width_px: int) -> None:
    view.show_text(LONG_TABLE)
    view.fit(width_px)
    parts = tables(view)
    assert len(parts) == 4
    assert all(columns_px(view, each) == columns_px(view, parts[0]) for each in parts)
    layout = view.document().documentLayout()
    rows = [
        layout.blockBoundingRect(each.cellAt(row, 0).firstCursorPosition().block())
        for each in parts
        for row in range(each.rows())
    ]
    # No gap and no thicker line between two parts: every row is as far from the next as any.
    assert len({round(below.top() - above.bottom(), 2) for above, below in pairwise(rows)}) == 1


@pytest.mark.long
def test_only_the_last_rows_of_a_long_table_are_laid_out_again(qtbot: QtBot, view: MarkdownText) -> None:
    changed: list[int] = []
    view.document().contentsChange.connect(lambda at, _removed, _added: changed.append(at))
    for at in range(0, len(LONG_TABLE), 40):
        settled = [each.lastPosition() for each in tables(view)[:-1]]
        changed.clear()
        view.grow(LONG_TABLE[at : at + 40])
        qtbot.waitUntil(lambda: not view.waiting)
        assert all(each >= max(settled, default=0) for each in changed)
    assert all(each.rows() <= TABLE_ROWS + 1 for each in tables(view))


def test_a_long_table_is_copied_as_one(view: MarkdownText) -> None:
    view.show_text(f"글\n\n{LONG_TABLE}\n끝 😀")
    view.selectAll()
    view.copy()
    copied = QGuiApplication.clipboard().mimeData()
    lines = copied.text().splitlines()
    assert lines[:3] == ["글", "이름\t값\t설명", "줄 0\t0,000\t코드와 글"]
    assert lines[3:] == [*(f"줄 {row}\t{row},000\t코드와 글" for row in range(1, 100)), "끝 😀"]
    assert copied.html().count("<table") == 1
    assert copied.html().count("<tr") == 101


def test_part_of_a_text_is_copied_from_and_to_where_it_is_selected(view: MarkdownText) -> None:
    view.show_text("😀 하나\n둘\n\n셋넷")
    cursor = view.textCursor()
    cursor.setPosition(3)
    cursor.setPosition(9, QTextCursor.MoveMode.KeepAnchor)
    view.setTextCursor(cursor)
    view.copy()
    assert QGuiApplication.clipboard().text() == "하나\n둘\n셋"


def test_a_process_ends_well_while_its_copy_is_on_the_clipboard() -> None:
    script = """
import sys
from PySide6.QtWidgets import QApplication
from assistant.host.places import RESOURCES
from assistant.host.texts import load_texts
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.desktop.markdown.page import CODE_EDGE_PX
from assistant.desktop.markdown.view import MarkdownText

application = QApplication([])
view = MarkdownText("answer", load_texts("en"), Icons(RESOURCES / "icons"), Theme(application, "light"))
view.show_text("one **two**")
view.selectAll()
view.copy()
sys.stdout.write(QApplication.clipboard().text())
"""
    ended = subprocess.run([sys.executable, "-c", script], cwd=PROJECT, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, "one two"), ended.stderr


def test_code_that_streamed_in_has_the_colours_of_the_whole(view: MarkdownText, theme: Theme) -> None:
    body = "\n".join(f" * line {number} 'x" for number in range(LINES_READ_AGAIN * 2))
    source = f"```javascript\n/* {body} */\nlet a = `가\n나`;\n```"
    view.show_text(source)
    whole = drawn(view)
    view.show_text("")
    stream(view, source, 30)
    assert drawn(view) == whole
    view.show_text("")
    stream(view, f"{source}\n\n글", 30)
    assert drawn(view)[0] == whole[0]


LONG_LINE = "value = " + " + ".join(f"part_{number}" for number in range(60))


def test_long_lines_of_code_scroll_and_short_ones_do_not(view: MarkdownText) -> None:
    view.show_text(f"```python\n{LONG_LINE}\nshort = 1\n```\n\n```\nshort\n```")
    (area,) = view.areas
    beneath = view.document().begin()
    assert beneath.layout().lineCount() == 2, "no line is broken"
    assert area.toPlainText() == f"{LONG_LINE}\nshort = 1"
    bar = area.horizontalScrollBar()
    bar.setValue(bar.maximum())
    end = QTextCursor(area.document())
    end.setPosition(len(LONG_LINE))
    assert 0 < area.cursorRect(end).right() <= area.viewport().width(), "the end of the line is seen"
    assert view.rect().contains(area.geometry())
    assert area.verticalScrollBar().maximum() == 0
    colors = {each.format.foreground().color().name() for each in beneath.layout().formats()}
    assert colors == {each.format.foreground().color().name() for each in area.document().begin().layout().formats()}


def lines(area: CodeArea) -> list[list[tuple[str, str]]]:
    """The lines of code with their colours."""
    blocks, block = [], area.document().begin()
    while block.isValid():
        layout = block.layout()
        formats = ((each.start, each.length, each.format.foreground().color().name()) for each in layout.formats())
        blocks.append([(block.text()[at : at + length], color) for at, length, color in formats])
        block = block.next()
    return blocks


@pytest.mark.parametrize(
    "source",
    [
        f"```python\n{LONG_LINE}\nshort = 1\n```",
        f"```python\nshort = 1\n{LONG_LINE}\n\nend\n```",
        f"```\n가나다 {LONG_LINE}\n😀 이모지 {LONG_LINE}\n끝\n```",
        f"글\n\n```js\n/* 여러\n줄 {LONG_LINE} */\nlet a = 1;\n```\n\n뒤\n\n```\n{LONG_LINE}\n```\n\n끝",
    ],
)
def test_long_lines_of_code_scroll_while_the_answer_grows(view: MarkdownText, source: str) -> None:
    view.show_text(source)
    whole = [(area.toPlainText(), lines(area), area.geometry()) for area in view.areas]
    view.show_text("")
    places = list[int]()
    for start in range(0, len(source), 7):
        view.grow(source[start : start + 7])
        view._draw_open()
        if view.areas:
            bar = view.areas[0].horizontalScrollBar()
            places.append(bar.value())
            bar.setValue(40)
            assert view.areas[0].verticalScrollBar().maximum() == 0
    assert 40 in places, "a reader stays where the line was scrolled to"
    view.complete()
    assert view.areas[0].horizontalScrollBar().value() == 40
    assert [(area.toPlainText(), lines(area), area.geometry()) for area in view.areas] == whole


def test_code_scrolls_in_a_narrow_view_and_not_in_a_wide_one(view: MarkdownText) -> None:
    view.show_text("```\n" + "word " * 20 + "\n```")
    counts = []
    for width in (300, 1600, 300):
        view.fit(width)
        QTest.qWait(1)
        counts.append(len(view.areas))
    assert counts == [1, 0, 1]


def test_code_with_long_lines_follows_the_theme_and_a_replaced_text(view: MarkdownText, theme: Theme) -> None:
    view.show_text(f"```python\n{LONG_LINE}\n```")
    light = view.areas[0].grab().toImage()
    theme.choose("dark")
    assert view.areas[0].grab().toImage() != light
    view.show_text("no code")
    assert view.areas == ()


@pytest.mark.parametrize(
    ("shift", "dx", "dy", "moved"), [(False, -120, 0, True), (True, 0, -120, True), (False, 0, -120, False)]
)
def test_the_wheel_scrolls_code_sideways_only_when_it_is_turned_sideways(
    view: MarkdownText, shift: bool, dx: int, dy: int, moved: bool
) -> None:
    view.show_text(f"```python\n{LONG_LINE}\n```")
    at = QPointF(60, 10)
    keys = Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier
    event = QWheelEvent(
        at, at, QPoint(), QPoint(dx, dy), Qt.MouseButton.NoButton, keys, Qt.ScrollPhase.NoScrollPhase, False
    )
    view.areas[0].wheelEvent(event)
    assert (view.areas[0].horizontalScrollBar().value() > 0) is moved
    assert event.isAccepted() is moved


@pytest.mark.parametrize(
    "follows",
    [
        "```python\nx = 1\n```\n\nthen ",
        "~~~\nplain\n~~~\n\n- then",
        "    indented\n\nthen ",
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n```\ncode\n```",
        "> quoted\n\n```sh\nls\n```\n\n# then",
        "- item\n\n  ```\n  in it\n  ```\n\nthen",
        "한국어 문단\n\n```\n코드 😀\n```\n\n그리고",
        "---\n\n```\ncode\n```\n\n---\n\n",
        "$$x^2$$\n\n```\ncode\n```\n\nthen",
        "1. one\n2. two\n\n```\ncode\n```\n\n3. three",
    ],
)
def test_what_is_far_above_is_not_laid_out_anew_when_code_begins_or_ends(view: MarkdownText, follows: str) -> None:
    before = "".join(f"Paragraph **{number}** of them.\n\n" for number in range(60))
    view.grow(before)
    settled, changed = view.document().characterCount(), list[int]()
    view.document().contentsChange.connect(lambda at, _removed, _added: changed.append(at))
    for letter in follows:
        view.grow(letter)
        QTest.qWait(0)
    while view.waiting:
        QTest.qWait(5)

    assert changed
    assert min(changed) > settled * 0.9


def test_code_at_the_end_has_room_for_its_card_and_none_is_left_when_text_follows(view: MarkdownText) -> None:
    view.show_text("Text\n\n```\ncode\n```")
    assert view.height() >= view.document().size().height() + CODE_EDGE_PX
    view.show_text("```\ncode\n```\n\nText")
    assert view.height() < view.document().size().height() + 2
