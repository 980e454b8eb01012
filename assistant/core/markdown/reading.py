r"""Parses Markdown into units.

CommonMark with tables and strikethrough, as common chat programs write it, parsed by markdown-it. HTML is text. A line
break is a line break. Images become links, so nothing is fetched. Formulas are parsed between ``$``, ``$$``, ``\(`` and
``\[``. Underlined headings are not supported: while an answer streams, the first dash of a list would turn the line
above it into one.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import islice
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.amsmath import amsmath_plugin
from mdit_py_plugins.texmath import texmath_plugin

from assistant.core.markdown.bounds import LONGEST, MOST_LINES, use_bounds
from assistant.core.markdown.dialect import use_dialect
from assistant.core.markdown.formula import formula_text
from assistant.core.markdown.letters import shown, shown_code
from assistant.core.markdown.units import Code, HorizontalRule, MarkdownUnit, Paragraph, Place, Table, TextRun

LINE_BREAK = "\u2028"
"""A line break inside a paragraph."""

TABLE_ROWS = 30
"""Rows of one ``Table`` besides the heading. The rest of a long table becomes further tables."""
_HEAD_LINES = 2
_BULLETS = ("•", "◦", "▪")
_BOXES = {"[ ] ": "☐", "[x] ": "☑", "[X] ": "☑"}
_LISTS = frozenset({"bullet_list_open", "ordered_list_open"})
_FORMULA_BLOCKS = frozenset({"math_block", "math_block_eqno", "math_block_label", "amsmath"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Resume:
    """The state for continuing to parse a text from the middle.

    Attributes:
        number: number of the list item that the text continues; ``None`` for none.
        head: heading of the table that the text continues, two lines that precede the text.
    """

    number: int | None = None
    head: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedMarkdown:
    """The result of parsing.

    Attributes:
        units: in reading order.
        open_from: number of units at the start that further text cannot change.
        open_line: number of the line where the changeable part begins, heads not counted.
        resume: the state for parsing from there.
    """

    units: tuple[MarkdownUnit, ...]
    open_from: int
    open_line: int
    resume: Resume


def read(source: str, resume: Resume | None = None) -> ParsedMarkdown:
    """Parse a Markdown text.

    Args:
        source: a whole text; or the ``head`` of ``resume``, and the part of a text that begins with the line
            ``open_line`` of an earlier result.
        resume: from that earlier result.
    """
    resume = resume or Resume()
    source, rest = _cut(source)
    units: list[MarkdownUnit] = []
    open_from = open_line = 0
    then = Resume()
    next_number: int | None = None
    for index, block in enumerate(_blocks(_parser().parse(source))):
        open_from, open_line, then = len(units), block.line, Resume()
        if block.is_table:
            goes_on = index == 0 and bool(resume.head)
            tables = _tables(block.tokens, Place(), goes_on=goes_on)
            units += tables
            if goes_on:
                open_line, then = _HEAD_LINES, resume
            if len(tables) > 1:
                # Only the last rows of a long table can change.
                open_from, open_line = len(units) - 1, _row_lines(block.tokens)[-len(tables[-1].rows)]
                heading = source.split("\n")[block.line : block.line + _HEAD_LINES]
                then = Resume(head="".join(f"{line}\n" for line in heading))
            continue
        flow = _Flow(next_number if block.continues else None if units else resume.number)
        units += flow.read(block.tokens)
        then, next_number = Resume(number=flow.first_number), flow.next_number
    if resume.head:
        open_line = max(open_line - _HEAD_LINES, 0)
    if rest:
        units.append(Paragraph(runs=(TextRun(text=LINE_BREAK.join(map(shown, rest.split("\n")))),), place=Place()))
    return ParsedMarkdown(units=tuple(units), open_from=open_from, open_line=open_line, resume=then)


def _cut(source: str) -> tuple[str, str]:
    """The text that is parsed, and what follows it."""
    end = len(source)
    if end > LONGEST:
        end = source.rfind("\n", 0, LONGEST) + 1 or LONGEST
    if source.count("\n", 0, end) > MOST_LINES:
        end = next(islice(re.finditer("\n", source), MOST_LINES, None)).start()
    return source[:end], source[end:]


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": True, "breaks": True})
    parser.enable(["table", "strikethrough", "linkify"])
    parser.disable(["lheading", "code", "html_block", "html_inline"])
    use_dialect(parser)
    parser.use(texmath_plugin, delimiters="brackets")
    parser.use(amsmath_plugin)
    use_bounds(parser)
    return parser


@dataclass(slots=True, kw_only=True)
class _Block:
    """The tokens of one top-level block, or of one item of a list.

    Attributes:
        line: its first line.
        continues: whether it is a further item of the list in the previous block.
    """

    tokens: list[Token] = field(default_factory=list)
    line: int
    continues: bool = False

    @property
    def is_table(self) -> bool:
        """Whether it is one table."""
        return self.tokens[0].type == "table_open"


def _blocks(tokens: list[Token]) -> Iterator[_Block]:
    block: _Block | None = None
    end = 0
    opening: list[Token] = []
    for token in tokens:
        if block is None:
            block = _Block(line=token.map[0] if token.map else end)
        if token.type == "list_item_open" and token.level == 1 and len(block.tokens) > 1:
            # Only the last item of a long list grows, so the other items need not be parsed again.
            yield block
            block = _Block(tokens=[*opening], line=token.map[0] if token.map else end, continues=True)
        if token.level == 0 and token.type in _LISTS:
            opening = [token]
        block.tokens.append(token)
        if token.map is not None:
            end = max(end, token.map[1])
        if token.level == 0 and token.nesting <= 0:
            yield block
            block = None


class _Flow:
    """Converts the tokens of one block into units.

    Args:
        number: of the list item that the block begins with; ``None`` to use the list's own.

    Attributes:
        first_number: number of the block's first list item, ``None`` without one.
        next_number: number for a further item.
    """

    def __init__(self, number: int | None) -> None:
        self.first_number = number
        self.next_number: int | None = None
        self._units: list[MarkdownUnit] = []
        self._quote = 0
        self._numbers: list[int | None] = []
        self._marker = ""
        self._heading = 0

    def read(self, tokens: list[Token]) -> list[MarkdownUnit]:
        """All units of a block."""
        at = 0
        while at < len(tokens):
            if tokens[at].type == "table_open":
                end = next(i for i in range(at, len(tokens)) if tokens[i].type == "table_close")
                self._flush_marker()
                self._units += _tables(tokens[at : end + 1], self._place())
                at = end
            else:
                self._take(tokens[at])
            at += 1
        return self._units

    def _take(self, token: Token) -> None:
        match token.type:
            case "heading_open":
                self._heading = int(token.tag[1])
            case "heading_close":
                self._heading = 0
            case "blockquote_open" | "blockquote_close":
                self._quote += token.nesting
            case "bullet_list_open":
                self._numbers.append(None)
            case "ordered_list_open":
                self._begin_numbers(token)
            case "bullet_list_close" | "ordered_list_close":
                self._numbers.pop()
            case "list_item_open":
                self._begin_item(token)
            case "list_item_close":
                self._end_item()
            case _:
                self._take_content(token)

    def _take_content(self, token: Token) -> None:
        match token.type:
            case "inline":
                self._paragraph(_runs(token.children or []))
            case "fence" | "code_block":
                self._flush_marker()
                language = token.info.split()[0] if token.info.split() else ""
                self._units.append(
                    Code(language=shown(language), text=shown_code(token.content.rstrip("\n")), place=self._place())
                )
            case "hr":
                self._flush_marker()
                self._units.append(HorizontalRule(place=self._place()))
            case kind if kind in _FORMULA_BLOCKS:
                mark = "" if token.type == "amsmath" else "$$"  # An environment stands without dollars.
                run = TextRun(text=_formula_lines(token.content), math=True, latex=_source(token.content, mark))
                self._units.append(Paragraph(runs=(run,), place=self._place(), centred=True))
            case _:
                pass

    def _begin_numbers(self, token: Token) -> None:
        start = int(token.attrGet("start") or 1) if token.attrGet("start") != 0 else 0
        if token.level == 0:
            start = start if self.first_number is None else self.first_number
            self.first_number = start
        self._numbers.append(start)

    def _begin_item(self, token: Token) -> None:
        number = self._numbers[-1]
        if number is None:
            self._marker = _BULLETS[min(self._numbers.count(None), len(_BULLETS)) - 1]
        else:
            self._marker = f"{number}{token.markup or '.'}"
            self._numbers[-1] = number + 1
            if len(self._numbers) == 1 and not self._quote:
                self.next_number = number + 1

    def _end_item(self) -> None:
        self._flush_marker()

    def _flush_marker(self) -> None:
        """Give the bullet of an item that begins without text a line of its own."""
        if self._marker:
            self._paragraph(())

    def _paragraph(self, runs: tuple[TextRun, ...]) -> None:
        box = _BOXES.get(runs[0].text[:4]) if runs and self._marker else None
        if box is not None:
            self._marker = box
            runs = (replace(runs[0], text=runs[0].text[4:]), *runs[1:])
        self._units.append(Paragraph(runs=runs, place=self._place(), heading=self._heading))

    def _place(self) -> Place:
        marker, self._marker = self._marker, ""
        return Place(quote=self._quote, indent=len(self._numbers), marker=marker)


def _tables(tokens: list[Token], place: Place, *, goes_on: bool = False) -> list[Table]:
    """The parts of a table, each of a few rows.

    Args:
        tokens: of the table.
        place: its place.
        goes_on: whether its heading was parsed earlier, with other rows.
    """
    rows: list[list[tuple[TextRun, ...]]] = []
    alignments: list[str] = []
    for token in tokens:
        match token.type:
            case "tr_open":
                rows.append([])
            case "th_open":
                alignments.append(str(token.attrGet("style") or "text-align:left").partition(":")[2])
            case "inline":
                rows[-1].append(_runs(token.children or []))
            case _:
                pass
    width = len(alignments)
    whole = tuple(tuple(row[:width]) + ((),) * (width - len(row)) for row in rows)
    parts = [whole[at : at + TABLE_ROWS] for at in range(1, len(whole), TABLE_ROWS)]
    if not goes_on:
        parts[:1] = [whole[:1] + (parts[0] if parts else ())]
    after = replace(place, marker="")
    return [
        Table(
            rows=part,
            alignments=tuple(alignments),
            place=after if goes_on or index else place,
            continued=goes_on or index > 0,
        )
        for index, part in enumerate(parts)
    ]


def _row_lines(tokens: list[Token]) -> list[int]:
    """The line of each row of a table."""
    return [token.map[0] for token in tokens if token.type == "tr_open" and token.map is not None]


def _runs(tokens: list[Token]) -> tuple[TextRun, ...]:
    """The runs of a paragraph. Neighbours of the same format are merged."""
    runs: list[TextRun] = []
    look = TextRun(text="")
    for token in tokens:
        look = _look(look, token)
        if (run := _run(look, token)) is None or not run.text:
            continue
        if runs and not run.latex and replace(runs[-1], text="") == replace(run, text=""):
            runs[-1] = replace(run, text=runs[-1].text + run.text)
        else:
            runs.append(run)
    return tuple(runs)


def _look(look: TextRun, token: Token) -> TextRun:
    """The format of text after an opening or closing token."""
    begins = token.nesting > 0
    match token.type:
        case "strong_open" | "strong_close":
            return replace(look, bold=begins)
        case "em_open" | "em_close":
            return replace(look, italic=begins)
        case "s_open" | "s_close":
            return replace(look, struck=begins)
        case "link_open":
            return replace(look, link=_safe(str(token.attrGet("href") or "")))
        case "link_close":
            return replace(look, link="")
        case _:
            return look


def _run(look: TextRun, token: Token) -> TextRun | None:
    match token.type:
        case "text" | "text_special":
            return replace(look, text=shown(token.content))
        case "softbreak" | "hardbreak":
            return replace(look, text=LINE_BREAK)
        case "code_inline":
            return replace(look, text=shown(shown_code(token.content)), code=True)
        case "image":
            address = str(token.attrGet("src") or "")
            return replace(look, text=shown(token.content or address), link=look.link or _safe(address))
        case "math_inline" | "math_inline_double" | "math_single":
            mark = "$$" if token.type == "math_inline_double" else "$"
            return replace(look, text=shown(formula_text(token.content)), math=True, latex=_source(token.content, mark))
        case _:
            return None


def _source(formula: str, mark: str) -> str:
    """A formula as it is written, between its dollars."""
    return f"{mark}{formula.strip()}{mark}"


def _formula_lines(latex: str) -> str:
    return LINE_BREAK.join(map(shown, formula_text(latex).replace(LINE_BREAK, "\n").split("\n")))


def _safe(address: str) -> str:
    """The address if it is safe to open by a click (a web page), else an empty string."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    return address if parts.scheme.casefold() in {"http", "https"} and parts.netloc else ""
