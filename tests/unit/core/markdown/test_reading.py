"""What Markdown is read as."""

import pytest

from assistant.core.markdown.reading import LINE_BREAK, TABLE_ROWS, Resume, read
from assistant.core.markdown.units import Code, HorizontalRule, MarkdownUnit, Paragraph, Place, Table, TextRun


def units(source: str) -> list[MarkdownUnit]:
    return list(read(source).units)


def only(source: str) -> Paragraph:
    (unit,) = units(source)
    assert isinstance(unit, Paragraph)
    return unit


def words(source: str) -> str:
    return "".join(run.text for run in only(source).runs)


def test_headings_have_their_level() -> None:
    assert [(u.heading, u.runs) for u in units("# 하나\n### 셋") if isinstance(u, Paragraph)] == [
        (1, (TextRun(text="하나"),)),
        (3, (TextRun(text="셋"),)),
    ]


def test_emphasis_is_read() -> None:
    assert only("**굵게** *기울여* ~~지워~~ `코드`").runs == (
        TextRun(text="굵게", bold=True),
        TextRun(text=" "),
        TextRun(text="기울여", italic=True),
        TextRun(text=" "),
        TextRun(text="지워", struck=True),
        TextRun(text=" "),
        TextRun(text="코드", code=True),
    )


@pytest.mark.parametrize(
    "source", ['**"소리"**는 좋다', "**중요(重要)**합니다", "**`코드`**를", "이것은**(굵게)**이다"]
)
def test_emphasis_ends_before_a_particle(source: str) -> None:
    assert "*" not in words(source)
    assert any(run.bold for run in only(source).runs)


@pytest.mark.parametrize("source", ["2 * 3 * 4", "snake_case_name", "a*b", "**", "* "])
def test_what_is_no_emphasis_stays_as_it_is(source: str) -> None:
    text = "".join(run.text for unit in units(source) if isinstance(unit, Paragraph) for run in unit.runs)
    assert text == source or not text
    assert not any(run.bold or run.italic for unit in units(source) if isinstance(unit, Paragraph) for run in unit.runs)


def test_lists_nest_and_count() -> None:
    places = [unit.place for unit in units("3. 셋\n4. 넷\n   - 안\n     - 더 안\n5. 다섯")]
    assert places == [
        Place(indent=1, marker="3."),
        Place(indent=1, marker="4."),
        Place(indent=2, marker="•"),
        Place(indent=3, marker="◦"),
        Place(indent=1, marker="5."),
    ]


def test_boxes_are_ticked_or_not() -> None:
    assert [
        (u.place.marker, u.runs[0].text) for u in units("- [x] 한 일\n- [ ] 할 일") if isinstance(u, Paragraph)
    ] == [
        ("☑", "한 일"),
        ("☐", "할 일"),
    ]


def test_code_in_an_item_is_code_of_its_own() -> None:
    item, code, after = units("1. 설치\n   ```bash\n   pip install x\n   ```\n2. 실행")
    assert code == Code(language="bash", text="pip install x", place=Place(indent=1))
    assert (item.place.marker, after.place.marker) == ("1.", "2.")


def test_an_item_that_begins_with_code_keeps_its_number() -> None:
    item, code = units("1. ```\n   x\n   ```")
    assert item == Paragraph(runs=(), place=Place(indent=1, marker="1."))
    assert isinstance(code, Code)


def test_code_keeps_its_lines_and_spaces() -> None:
    assert units("```python\nif x:\n    y = 1\n\nz\n```") == [Code(language="python", text="if x:\n    y = 1\n\nz")]


def test_code_without_an_end_goes_to_the_end() -> None:
    assert units("```\n가\n나") == [Code(language="", text="가\n나")]


def test_a_table_has_a_heading_and_alignments() -> None:
    (table,) = units("| 이름 | 값 | 가운데 |\n|:--|--:|:-:|\n| **하나** | 1 |\n| 둘 | 2 | 3 | 4 |")
    assert table == Table(
        rows=(
            ((TextRun(text="이름"),), (TextRun(text="값"),), (TextRun(text="가운데"),)),
            ((TextRun(text="하나", bold=True),), (TextRun(text="1"),), ()),
            ((TextRun(text="둘"),), (TextRun(text="2"),), (TextRun(text="3"),)),
        ),
        alignments=("left", "right", "center"),
    )


def test_quotes_hold_what_is_inside_of_them() -> None:
    assert [unit.place for unit in units("> 말\n> - 항목\n>\n> > 더 안")] == [
        Place(quote=1),
        Place(quote=1, indent=1, marker="•"),
        Place(quote=2),
    ]


def test_a_rule_is_a_rule_and_no_heading() -> None:
    assert units("글\n\n---\n\n글")[1] == HorizontalRule()
    assert units("글\n---") == [Paragraph(runs=(TextRun(text="글"),)), HorizontalRule()]


def test_a_line_break_is_a_line_break() -> None:
    assert words("한 줄\n두 줄") == f"한 줄{LINE_BREAK}두 줄"


def test_html_is_text() -> None:
    source = '<script>alert(1)</script> <img src="http://x.y/z.png"> <b>굵게</b>'
    assert words(source) == source


@pytest.mark.parametrize(
    ("source", "link"),
    [
        ("[문서](https://docs.python.org)", "https://docs.python.org"),
        ("[문서](http://a.b/c?d=1#e)", "http://a.b/c?d=1#e"),
        ("https://example.com/a.", "https://example.com/a"),
        ("www.example.com", "http://www.example.com"),
        ("<https://example.com>", "https://example.com"),
        ("![그림](https://example.com/a.png)", "https://example.com/a.png"),
    ],
)
def test_a_page_can_be_opened(source: str, link: str) -> None:
    assert [run.link for run in only(source).runs if run.link] == [link]


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "ftp://a.b", "vbscript:x", "https:", "/etc", "x"],
)
def test_nothing_but_a_page_can_be_opened(address: str) -> None:
    for source in (f"[글]({address})", f"![글]({address})", f"<{address}>"):
        assert not [run for unit in units(source) if isinstance(unit, Paragraph) for run in unit.runs if run.link]


@pytest.mark.parametrize("source", ["$x^2$", r"\(x^2\)"])
def test_a_formula_in_a_line_is_readable(source: str) -> None:
    assert only(f"넓이는 {source} 입니다").runs[1] == TextRun(text="x²", math=True, latex="$x^2$")


@pytest.mark.parametrize("source", ["$$\nx^2\n$$", "\\[\nx^2\n\\]", "\\begin{equation}\nx^2\n\\end{equation}"])
def test_a_formula_of_its_own_is_set_apart(source: str) -> None:
    latex = source if "equation" in source else "$$x^2$$"
    assert units(source) == [Paragraph(runs=(TextRun(text="x²", math=True, latex=latex),), centred=True)]


def test_money_is_no_formula() -> None:
    assert words("$5에서 $10까지") == "$5에서 $10까지"


_LONG_TABLE = "| 가 | 나 |\n|---|--:|\n" + "".join(f"| {row} | x |\n" for row in range(3 * TABLE_ROWS + 5))


@pytest.mark.long
@pytest.mark.parametrize(
    "source",
    [
        "# 제목\n\n1. 하나\n1. 둘\n   - 안\n1. 셋\n\n> 인용\n\n```py\nx\n```\n\n- 가\n- 나\n\n끝 **굵게**",
        f"글\n\n{_LONG_TABLE}\n끝",
        f"{_LONG_TABLE}- 가\n\n{_LONG_TABLE}\n\n끝",
    ],
)
def test_what_is_read_in_parts_is_what_is_read_at_once(source: str) -> None:
    whole = read(source)
    lines = source.split("\n")
    settled: list[MarkdownUnit] = []
    line, resume = 0, Resume()
    for end in range(1, len(lines) + 1):
        reading = read(resume.head + "\n".join(lines[line:end]), resume)
        assert [*settled, *reading.units] == list(read("\n".join(lines[:end])).units)
        settled += reading.units[: reading.open_from]
        line, resume = line + reading.open_line, reading.resume
    assert line > 0
    assert settled == list(whole.units[: whole.open_from])


def test_of_a_long_table_only_the_last_rows_are_read_again() -> None:
    lines = _LONG_TABLE.splitlines()
    line, resume = 0, Resume()
    for end in range(1, len(lines) + 1):
        assert end - line <= TABLE_ROWS + 3
        reading = read(resume.head + "\n".join(lines[line:end]), resume)
        line, resume = line + reading.open_line, reading.resume


def test_a_long_table_is_read_as_parts_of_which_only_the_first_has_the_heading() -> None:
    units = read(_LONG_TABLE).units
    tables = [unit for unit in units if isinstance(unit, Table)]
    assert len(tables) == len(units) == 4
    assert [len(each.rows) for each in tables] == [TABLE_ROWS + 1, TABLE_ROWS, TABLE_ROWS, 5]
    assert [each.continued for each in tables] == [False, True, True, True]
    assert tables[1].rows[0][0] == (TextRun(text=str(TABLE_ROWS)),)
