"""Formulas as the window draws them."""

import pytest
from PySide6.QtGui import QTextCursor
from pytestqt.qtbot import QtBot

from assistant.core.texts import Texts
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.desktop.markdown.formulas import LONGEST, may_be_typeset, typeset
from assistant.desktop.markdown.view import MarkdownText

IMAGE = "\ufffc"
COLOR = "#112233"

TYPESET = [
    "E=mc^2",
    r"x = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}",
    r"\int_0^\infty e^{-x^2}\,dx = \frac{\sqrt{\pi}}{2}",
    r"\sum_{i=1}^{n} i^2",
    r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}",
    r"\begin{cases} x & x > 0 \\ -x & x \le 0 \end{cases}",
    r"\begin{aligned} a &= b + c \\ &= d \end{aligned}",
    r"\lim_{x \to 0} \frac{\sin x}{x} = 1",
    r"\hat{y} \in \mathbb{R}^n, \vec{v} \ne 0",
    r"\binom{n}{k}",
    r"\left( \frac{a}{b} \right)",
    r"\text{speed} = \frac{\text{distance}}{\text{time}}",
    "α + β ≤ γ",
]
LEFT_AS_TEXT = [
    "",
    "   ",
    "{{{",
    "}{",
    r"\frac{1}",
    r"\def\a{\a\a}\a",
    r"\newcommand{\b}{\b\b}\b",
    r"\gdef\x{\x\x}\x",
    r"\let\a=\b",
    r"\input{/etc/passwd}",
    r"\include{secret}",
    r"\includegraphics{http://example.com/a.png}",
    r"\href{http://example.com}{x}",
    r"\url{http://example.com}",
    r"\require{mhchem}",
    r"\text{속도} = \frac{\text{거리}}{\text{시간}}",
    "x \u202e y",
    "\u2066a\u2069",
    "😀 + 1",
    "{" * 3000,
    r"\frac{1}{" * 200 + "x" + "}" * 200,
    r"\sqrt" * 500 + "x",
    "x^" * 400 + "x",
    "a & b \\\\ " * 100,
    "x" * (LONGEST + 1),
    r"\begin{matrix}" + "&" * 900 + r"\end{matrix}",
]


@pytest.mark.parametrize("latex", TYPESET)
@pytest.mark.parametrize("display", [False, True])
def test_usual_formulas_are_typeset(qapp: object, latex: str, display: bool) -> None:
    drawn = typeset(latex, 18.0, COLOR, 1.0, display=display)
    assert drawn is not None
    assert drawn.image.width() > 8
    assert drawn.ascent > 0
    inked = {
        drawn.image.pixelColor(x, y).name() for x in range(drawn.image.width()) for y in range(drawn.image.height())
    }
    assert COLOR in inked


@pytest.mark.parametrize("latex", LEFT_AS_TEXT)
def test_what_is_wrong_or_could_do_harm_stays_text(qapp: object, latex: str) -> None:
    assert typeset(latex, 18.0, COLOR, 1.0, display=True) is None


@pytest.mark.parametrize("latex", TYPESET)
def test_a_formula_is_made_smaller_for_a_narrow_text(qapp: object, latex: str) -> None:
    drawn = typeset(latex, 18.0, COLOR, 2.0, display=False)
    assert drawn is not None
    assert drawn.drawn(30.0, display=False).width() <= 60


def test_a_formula_that_defines_nothing_may_use_words_that_begin_alike() -> None:
    assert may_be_typeset(r"\left\langle x \right\rangle \deg \letterlike")


@pytest.fixture
def view(qtbot: QtBot, texts: Texts, icons: Icons, theme: Theme) -> MarkdownText:
    view = MarkdownText("answer", texts, icons, theme)
    qtbot.addWidget(view)
    view.fit(480)
    view.show()
    return view


def images(view: MarkdownText) -> int:
    return view.toPlainText().count(IMAGE)


def wait_for(view: MarkdownText, qtbot: QtBot, count: int) -> None:
    typeset("x", 18.0, COLOR, 1.0, display=False)  # Imported here, the library is not awaited with a busy loop.
    qtbot.waitUntil(lambda: images(view) == count)


def copied(view: MarkdownText) -> tuple[str, str]:
    view.selectAll()
    mime = view.createMimeDataFromSelection()
    return mime.text(), mime.html()


ANSWER = "For $E=mc^2$ and **bold**:\n\n$$\\frac{a}{b}$$\n\n- so $x$\n- and $\\def\\a{\\a\\a}\\a$ stays\n\nend"


def test_formulas_are_read_as_text_until_the_answer_is_complete(view: MarkdownText, qtbot: QtBot) -> None:
    view.grow(ANSWER)
    growing = images(view)
    view.complete()
    wait_for(view, qtbot, 3)
    assert growing == 0
    assert "and \\def\\a{\\a\\a}\\a stays" in view.toPlainText()
    assert "bold" in view.toPlainText()


def test_formulas_are_copied_as_latex_typeset_or_not(view: MarkdownText, qtbot: QtBot) -> None:
    view.show_text(ANSWER)
    before = copied(view)[0]
    wait_for(view, qtbot, 3)
    text, html = copied(view)
    wanted = "For $E=mc^2$ and bold:\n$$\\frac{a}{b}$$\n•\tso $x$\n•\tand $\\def\\a{\\a\\a}\\a$ stays\nend"
    assert (before, text) == (wanted, wanted)
    assert "$$\\frac{a}{b}$$" in html
    assert "<img" not in html


def test_a_part_of_a_text_is_copied_with_its_formulas_only(view: MarkdownText, qtbot: QtBot) -> None:
    view.show_text("one $a$ two $b$ three")
    wait_for(view, qtbot, 2)
    cursor = view.textCursor()
    cursor.setPosition(0)
    cursor.setPosition(5, QTextCursor.MoveMode.KeepAnchor)
    view.setTextCursor(cursor)
    assert view.createMimeDataFromSelection().text() == "one $a$"


def test_formulas_follow_the_theme(view: MarkdownText, theme: Theme, qtbot: QtBot) -> None:
    view.show_text(ANSWER)
    wait_for(view, qtbot, 3)
    light = view.grab().toImage()
    theme.choose("dark")
    as_text = images(view)
    wait_for(view, qtbot, 3)
    assert as_text == 0
    assert view.grab().toImage() != light


def test_a_text_with_formulas_can_be_replaced_and_grow_again(view: MarkdownText, qtbot: QtBot) -> None:
    view.show_text(ANSWER)
    wait_for(view, qtbot, 3)
    view.show_text("Only $y$ now")
    wait_for(view, qtbot, 1)
    assert copied(view)[0] == "Only $y$ now"


def test_every_formula_can_be_copied_from_the_menu_once(view: MarkdownText) -> None:
    view.show_text("$a$ and $a$, | \n\n| h |\n|---|\n| $b$ |\n\n$$c$$")
    assert view.formulas == ("$a$", "$b$", "$$c$$")


@pytest.mark.parametrize(
    ("table", "count"),
    [
        ("| h | i |\n|---|---|\n| $b$ | 나 |", 1),
        ("| $a^2$ | $b$ |\n|:-:|--:|\n| 값 | $\\frac{a}{b}$ |", 3),
        ("| 이름 | 식 |\n|---|---|\n| 속도 | $v = \\frac{\\text{거리}}{t}$ |\n| 힘 | $F = ma$ |", 1),
        ("| h |\n|---|\n| $x$ 와 $x$ |", 2),
        ("| h |\n|---|\n" + "\n".join(f"| $x_{{{number}}}$ |" for number in range(60)), 60),
        ("| h |\n|---|\n| `$b$` 와 5$ |", 0),
    ],
)
@pytest.mark.parametrize("width", [320, 900])
def test_formulas_of_tables_are_typeset_and_copied(
    view: MarkdownText, qtbot: QtBot, theme: Theme, table: str, count: int, width: int
) -> None:
    view.fit(width)
    view.show_text(f"{table}\n\nThen $e$\n\n```\n{'x' * 200}\n```\n\nend")
    before, source = copied(view)[0], view.source
    wait_for(view, qtbot, count + 1)
    assert copied(view)[0] == before
    assert view.areas[0].toPlainText() == "x" * 200, "what stands below has moved with the table"
    theme.choose("dark")
    wait_for(view, qtbot, count + 1)
    assert (copied(view)[0], view.source) == (before, source)
