"""Markdown as text with entities, made of the units that the window draws.

Entities need no escaping: what looks like markup of Telegram (``<kim@example.com>``, ``*``, ``_``) is plain text.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from wcwidth import wcswidth

from assistant.core.markdown.reading import LINE_BREAK, read
from assistant.core.markdown.units import Code, HorizontalRule, MarkdownUnit, Paragraph, Place, Table, TextRun
from assistant.remote.telegram.form.rich_text import RichText, Span, joined

_WIDEST_TABLE: Final = 38
"""Cells of a table in columns; a line of a phone has about forty."""
Row = tuple[tuple[TextRun, ...], ...]

_RULE: Final = "———"
_QUOTE: Final = "blockquote"
_MARKS: Final = (("bold", "bold"), ("italic", "italic"), ("struck", "strikethrough"))


def rich(source: str) -> RichText:
    """The text and entities of Markdown, without spaces around it."""
    pieces: list[RichText] = []
    former, head = None, Row()
    for unit in read(source).units:
        if isinstance(unit, Table) and not unit.continued:
            head = unit.rows[0]
        drawn = _drawn(unit, head)
        if drawn.text:
            pieces += [drawn] if former is None else [RichText(_between(former, unit)), drawn]
            former = unit
    whole = joined(pieces)
    start = len(whole.text) - len(whole.text.lstrip())
    return _joined_quotes(whole.part(start, len(whole.text.rstrip())))


def _between(former: MarkdownUnit, unit: MarkdownUnit) -> str:
    """What stands between two units: items of a list and lines of a quote follow one another closely."""
    first, second = former.place, unit.place
    close = (second.indent and first.indent) or (second.quote and first.quote)
    if isinstance(former, Table) and isinstance(unit, Table) and unit.continued:
        close = True
    return "\n" if close else "\n\n"


def _drawn(unit: MarkdownUnit, head: Row) -> RichText:
    """A unit; ``head`` has the names of the columns of a table, also of one that is continued."""
    match unit:
        case Paragraph(runs=runs, heading=heading):
            text = _runs(replace(run, bold=bool(run.text.strip())) for run in runs) if heading else _runs(runs)
        case Code(text=code, language=language):
            text = RichText(code, (Span(0, len(code), "pre", language),) if code.strip() else ())
        case Table():
            text = _table(unit, head)
        case HorizontalRule():
            text = RichText(_RULE)
    return _placed(text, unit.place)


def _placed(text: RichText, place: Place) -> RichText:
    """A unit with the bullet before it, inside the quote around it."""
    if not text.text and not place.marker:
        return text
    indent = "    " * max(place.indent - 1, 0)
    whole = RichText(f"{indent}{place.marker} " if place.marker else indent) + text
    if place.quote and not any(each.kind == "pre" for each in whole.spans):
        whole = replace(whole, spans=(Span(0, len(whole.text), _QUOTE), *whole.spans))
    return whole


def _runs(runs: Iterable[TextRun]) -> RichText:
    texts = ((run, run.text.replace(LINE_BREAK, "\n")) for run in runs)
    return joined(RichText(text, tuple(_spans(run, len(text))) if text.strip() else ()) for run, text in texts)


def _spans(run: TextRun, length: int) -> Iterator[Span]:
    """Code has no other entity with it; the address of a link counts more than its being code."""
    if run.code and not run.link:
        yield Span(0, length, "code")
        return
    if run.link:
        yield Span(0, length, "text_link", run.link)
    for attribute, kind in _MARKS:
        if getattr(run, attribute):
            yield Span(0, length, kind)


def _joined_quotes(text: RichText) -> RichText:
    """One quote in place of quotes that follow one another."""
    spans: list[Span] = []
    last = -1  # Where the newest quote is.
    for each in text.spans:
        if each.kind != _QUOTE:
            spans.append(each)
        elif last >= 0 and text.text[spans[last].end : each.start] == "\n":
            spans[last] = replace(spans[last], end=each.end)
        else:
            last = len(spans)
            spans.append(each)
    return replace(text, spans=tuple(spans))


def _table(table: Table, head: Row) -> RichText:
    """A narrow table in columns; of a wide one each row with the names of its columns."""
    cells = [["".join(run.text for run in cell).replace(LINE_BREAK, " ") for cell in row] for row in table.rows]
    widths = [max(_width(row[column]) for row in cells) for column in range(len(table.alignments))]
    if sum(widths) + 3 * (len(widths) - 1) <= _WIDEST_TABLE:
        lines = [
            " │ ".join(_padded(*each) for each in zip(row, widths, table.alignments, strict=True)) for row in cells
        ]
        if not table.continued:
            lines.insert(1, "─┼─".join("─" * width for width in widths))
        text = "\n".join(line.rstrip() for line in lines)
        return RichText(text, (Span(0, len(text), "pre"),))
    return _rows(table, head)


def _rows(table: Table, head: Row) -> RichText:
    """Each row as a list of its cells, with the names of the columns before them."""
    rows = table.rows if table.continued else table.rows[1:]
    if rows:
        names = [_runs(cell) for cell in head]
        blocks = [_list(zip(names, row, strict=True)) for row in rows]
    else:
        blocks = [_list((RichText(""), cell) for cell in head)]
    whole = blocks[0]
    for block in blocks[1:]:
        whole = whole + RichText("\n\n") + block
    return whole


def _list(cells: Iterable[tuple[RichText, tuple[TextRun, ...]]]) -> RichText:
    whole = RichText("")
    for name, cell in cells:
        start = RichText("\n• " if whole.text else "• ")
        whole = whole + start + (name + RichText(": ") if name.text else name) + _runs(cell)
    return whole


def _padded(text: str, width: int, side: str) -> str:
    room = " " * (width - _width(text))
    return room + text if side == "right" else text + room


def _width(text: str) -> int:
    return max(wcswidth(text), 0)
