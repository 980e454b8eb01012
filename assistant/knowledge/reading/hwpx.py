"""Reads HWPX, the open form of Hangul documents (OWPML, KS X 6101), as Markdown.

The library that reads other documents leaves out tables in tables, headers, footers, notes, and what follows a mark in
a line (xberg 1.3.9). Public forms consist of such tables.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from lxml import etree

from assistant.knowledge.reading import archives
from assistant.knowledge.reading.reader import UnreadableFileError

_SECTION: Final = re.compile(r"Contents/section(\d+)\.xml")
_HEADER: Final = "Contents/header.xml"
_PACKAGE: Final = "Contents/content.hpf"
_LETTERS: Final[Mapping[str, str]] = {"tab": "\t", "lineBreak": "\n", "nbSpace": " ", "fwSpace": " ", "hyphen": "-"}
_TEXTS: Final = frozenset({"script", "mainText", "subText"})
"""Parts that hold their text themselves: a formula, and words with small words above them."""
_UNSEEN: Final = frozenset({"hiddenComment", "secPr", "linesegarray", "parameters"})
"""What a reader of the document does not see."""
_BARS: Final = re.compile(r"(?:\|(?: --- \|)*|\s)+")
"""What divides the cells and rows of a table, and spaces."""
_MOST_COLUMNS: Final = 500
_MOST_LEVEL: Final = 6


def hwpx_text(content: bytes) -> tuple[str, str, tuple[str, ...]]:
    """The text as Markdown, the title, and notes on what a broken part leaves out.

    Raises:
        UnreadableFileError: the archive, or all of the text, is broken.
    """
    parts = {name: part for _, name, part in archives.members(content, 0) if name.endswith((".xml", ".hpf"))}
    sections = sorted((int(found[1]), name) for name in parts if (found := _SECTION.fullmatch(name)))
    lost = list[str]()

    def parsed(name: str, note: str) -> etree._Element | None:
        part, broken = _parsed(parts[name]) if name in parts else (None, False)
        if broken:
            lost.append(note)
        return part

    header, package = parsed(_HEADER, "headings_lost"), parsed(_PACKAGE, "title_lost")
    reader = _Reader({} if header is None else _levels(header))
    bodies = [parsed(name, "text_lost") for _, name in sections]
    blocks = [block for body in bodies if body is not None for block in reader.blocks(body)]
    if not blocks and "text_lost" in lost:
        raise UnreadableFileError("broken")
    title = None if package is None else package.findtext(".//{*}title")
    return "\n\n".join(blocks), title or "", tuple(dict.fromkeys(lost))


def _parsed(part: bytes | UnreadableFileError) -> tuple[etree._Element | None, bool]:
    """What can be read of a part, and whether it is broken."""
    if isinstance(part, UnreadableFileError):
        return None, True
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True, recover=True
    )
    try:
        root = etree.fromstring(part, parser)
    except etree.XMLSyntaxError:
        return None, True
    return root, bool(parser.error_log)


def _levels(header: etree._Element) -> Mapping[str, int]:
    """The level of the headings, from 1, by the id of the form of their paragraphs."""
    forms = ((form.get("id", ""), form.find("{*}heading")) for form in header.iter() if _name(form) == "paraPr")
    return {
        identity: int(level) + 1
        for identity, heading in forms
        if heading is not None and heading.get("type") == "OUTLINE" and (level := heading.get("level", "0")).isdecimal()
    }


def _name(element: etree._Element) -> str:
    return str(element.tag).rpartition("}")[2]


@dataclass(slots=True)
class _Reader:
    levels: Mapping[str, int]
    _deleted: bool = field(default=False, init=False)
    """Whether what is read was deleted by a change that is kept in the document."""

    def blocks(self, parent: etree._Element) -> Iterator[str]:
        """The paragraphs and tables of a part, in their order."""
        for each in parent:
            if _name(each) == "p":
                yield from self._paragraph(each)

    def _paragraph(self, paragraph: etree._Element) -> Iterator[str]:
        words, beside = "", list[str]()
        for part in (part for run in paragraph if _name(run) == "run" for part in run):
            if _name(part) == "t":
                words += self._letters(part)
            else:
                beside += self._within(part)
        words = words.strip()
        level = self.levels.get(paragraph.get("paraPrIDRef", ""), 0)
        if words:
            yield f"{'#' * min(level, _MOST_LEVEL)} {words}" if level and "\n" not in words else words
        yield from beside

    def _letters(self, text: etree._Element) -> str:
        letters = self._kept(text.text)
        for mark in text:
            name = _name(mark)
            if name in ("deleteBegin", "deleteEnd"):
                self._deleted = name == "deleteBegin"
            letters += self._kept(_LETTERS.get(name, "")) + self._kept(mark.tail)
        return letters

    def _kept(self, letters: str | None) -> str:
        return "" if self._deleted else letters or ""

    def _within(self, element: etree._Element) -> Iterator[str]:
        """The blocks inside of a table, a drawing, a header, a footer or a note."""
        name = _name(element)
        if name in _UNSEEN:
            return
        if name == "tbl":
            yield from self._table(element)
        elif name == "subList":
            yield from self.blocks(element)
        elif name in _TEXTS:
            yield from filter(None, [self._kept(element.text).strip()])
        else:
            # A switch holds the same part several times, for newer and older programs.
            for each in element[:1] if name == "switch" else element:
                yield from self._within(each)

    def _table(self, table: etree._Element) -> Iterator[str]:
        """A table; its cells as paragraphs if it has one column, as a frame has."""
        rows = [[each for each in row if _name(each) == "tc"] for row in table if _name(row) == "tr"]
        for part in table:
            if _name(part) != "tr":
                yield from self._within(part)  # its caption
        if all(len(row) < 2 for row in rows):
            for cell in (cell for row in rows for cell in row):
                yield from self._in_cell(cell)
            return
        width = max(_column(cell, number) for row in rows for number, cell in enumerate(row)) + 1
        lines = [_line({_column(cell, at): self._in_cell(cell) for at, cell in enumerate(row)}, width) for row in rows]
        yield "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])

    def _in_cell(self, cell: etree._Element) -> Iterator[str]:
        for part in cell:
            yield from self._within(part)


def _column(cell: etree._Element, number: int) -> int:
    """The column of a cell; ``number`` cells stand before it in its row. Joined cells leave columns out."""
    address = cell.find("{*}cellAddr")
    told = "" if address is None else address.get("colAddr", "")
    return min(int(told) if told.isdecimal() else number, _MOST_COLUMNS)


def _line(cells: Mapping[int, Iterator[str]], width: int) -> str:
    """A row of a Markdown table. A table inside of a cell becomes words."""
    words = {at: _BARS.sub(" ", " ".join(blocks)).strip() for at, blocks in cells.items()}
    return "| " + " | ".join(words.get(at, "") for at in range(width)) + " |"
