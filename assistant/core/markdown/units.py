"""The units of a Markdown text, without Qt: paragraphs, code, tables and rules, in reading order."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRun:
    """Text of one format.

    Attributes:
        text: the shown text; U+2028 is a line break.
        latex: the source of a formula, with its dollars; empty for other text.
        typeset: whether the formula is drawn as one image instead of its text.
        cites: the number of the document that it cites; 0 for other text.
        link: an ``http`` or ``https`` address that a click opens; empty for none.
    """

    text: str
    bold: bool = False
    italic: bool = False
    struck: bool = False
    code: bool = False
    math: bool = False
    cites: int = 0
    link: str = ""
    latex: str = ""
    typeset: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The position of a unit in lists and quotes.

    Attributes:
        quote: number of quotes around it.
        indent: number of lists around it.
        marker: the bullet, number or box before the first unit of a list item; else empty.
    """

    quote: int = 0
    indent: int = 0
    marker: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """Running text.

    Attributes:
        heading: 1 to 6 for a heading, 0 for other text.
        centred: whether it is a separate formula.
    """

    runs: tuple[TextRun, ...]
    place: Place = Place()
    heading: int = 0
    centred: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """Lines of a program.

    Attributes:
        language: the language as named in the text; empty if it is not named.
        text: without a line break at the end.
    """

    language: str
    text: str
    place: Place = Place()


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of cells, with the heading as the first row. A long table is several units.

    Attributes:
        rows: rows of the same length.
        alignments: ``left``, ``center`` or ``right`` for each column.
        continued: whether the rows continue the previous table; then there is no heading.
    """

    rows: tuple[tuple[tuple[TextRun, ...], ...], ...]
    alignments: tuple[str, ...]
    place: Place = Place()
    continued: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HorizontalRule:
    """A line across the page."""

    place: Place = Place()


MarkdownUnit = Paragraph | Code | Table | HorizontalRule
