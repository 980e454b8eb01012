"""Markdown as HTML, made of the same units that the window draws.

No HTML of the text survives: every character of it is escaped, links lead to ``http`` and ``https`` only, and no image
is fetched. Levels of quotes and lists are attributes, because the page allows no styles inside its elements.
"""

from collections.abc import Iterable, Iterator
from html import escape
from typing import assert_never

from assistant.core.markdown.highlighting import GrowingInks
from assistant.core.markdown.reading import LINE_BREAK
from assistant.core.markdown.units import Code, HorizontalRule, MarkdownUnit, Paragraph, Place, Table, TextRun

_HEADINGS = ("p", "h3", "h4", "h5", "h6", "h6", "h6")
"""The page has the headings above these."""
_DEEPEST = 6
"""Deepest level of quotes and of lists that is drawn apart."""


def html_of(unit: MarkdownUnit) -> str:
    """One unit as one HTML element."""
    match unit:
        case Paragraph(runs=runs, heading=heading, centred=centred):
            kind = ' class="formula"' if centred else ""
            marker = unit.place.marker
            bullet = f'<span class="marker">{escape(marker)}</span>' if marker else ""
            tag = _HEADINGS[heading]
            return f"<{tag}{kind}{_levels(unit.place)}>{bullet}{_inline(runs)}</{tag}>"
        case Code():
            return _code(unit)
        case Table():
            return _table(unit)
        case HorizontalRule():
            return f"<hr{_levels(unit.place)}>"
        case _:
            assert_never(unit)


def _levels(place: Place) -> str:
    quote, indent = min(place.quote, _DEEPEST), min(place.indent, _DEEPEST)
    return (f' data-quote="{quote}"' if quote else "") + (f' data-indent="{indent}"' if indent else "")


def _inline(runs: Iterable[TextRun]) -> str:
    return "".join(map(_run, runs))


def _run(run: TextRun) -> str:
    text = escape(run.text).replace(LINE_BREAK, "<br>")
    marks = (
        (run.code, "code"),
        (run.math, 'span class="math"'),
        (run.struck, "s"),
        (run.italic, "em"),
        (run.bold, "strong"),
    )
    for wanted, tag in marks:
        if wanted:
            text = f"<{tag}>{text}</{tag.partition(' ')[0]}>"
    if run.cites:
        text = f'<button type="button" class="cite" data-cites="{run.cites}">{text}</button>'
    if run.link:
        text = f'<a href="{escape(run.link)}" rel="noopener noreferrer" target="_blank">{text}</a>'
    return text


def _code(unit: Code) -> str:
    language = f"<figcaption>{escape(unit.language)}</figcaption>" if unit.language else ""
    body = "".join(_coloured(unit))
    return f'<figure class="code"{_levels(unit.place)}>{language}<pre tabindex="0"><code>{body}</code></pre></figure>'


def _coloured(unit: Code) -> Iterator[str]:
    inks, at = GrowingInks(unit.language), 0
    inks.grow(unit.text)
    for ink in inks.inks:
        yield escape(unit.text[at : ink.start])
        at = ink.start + ink.length
        yield f'<span class="ink-{ink.ink.name.lower()}">{escape(unit.text[ink.start : at])}</span>'
    yield escape(unit.text[at:])


def _table(unit: Table) -> str:
    rows = list(unit.rows)
    head = "" if unit.continued else f"<thead>{_row(rows.pop(0), unit.alignments, 'th')}</thead>"
    body = "".join(_row(row, unit.alignments, "td") for row in rows)
    return f'<div class="table"{_levels(unit.place)}><table>{head}<tbody>{body}</tbody></table></div>'


def _row(cells: tuple[tuple[TextRun, ...], ...], alignments: tuple[str, ...], tag: str) -> str:
    drawn = (
        f'<{tag} class="{escape(side)}">{_inline(cell)}</{tag}>' for cell, side in zip(cells, alignments, strict=False)
    )
    return f"<tr>{''.join(drawn)}</tr>"
