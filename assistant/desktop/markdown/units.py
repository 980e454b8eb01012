"""What a Markdown text is made of, without Qt: paragraphs, code, tables and rules, in reading order."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRun:
    """Text of one look.

    Attributes:
        text: what is shown; U+2028 is a line break.
        link: an ``http`` or ``https`` address that a click opens; empty for none.
    """

    text: str
    bold: bool = False
    italic: bool = False
    struck: bool = False
    code: bool = False
    math: bool = False
    link: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a unit stands.

    Attributes:
        quote: how many quotes it is inside of.
        indent: how many lists it is inside of.
        marker: what stands before the first unit of a list's item: a bullet, a number, a box; else empty.
    """

    quote: int = 0
    indent: int = 0
    marker: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """Running text.

    Attributes:
        heading: 1 to 6 for a heading, 0 for other text.
        centred: a formula of its own.
    """

    runs: tuple[TextRun, ...]
    place: Place = Place()
    heading: int = 0
    centred: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """Lines of a program.

    Attributes:
        language: as the writer named it, empty where nothing was named.
        text: without a line break at the end.
    """

    language: str
    text: str
    place: Place = Place()


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of cells, the first row being the heading; of a long table only some of its rows.

    Attributes:
        rows: each as long as the first.
        alignments: ``left``, ``center`` or ``right`` for each column.
        continued: whether the rows go on from the table before; then there is no heading.
    """

    rows: tuple[tuple[tuple[TextRun, ...], ...], ...]
    alignments: tuple[str, ...]
    place: Place = Place()
    continued: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HorizontalRule:
    """A line across the page."""

    place: Place = Place()


Unit = Paragraph | Code | Table | HorizontalRule
