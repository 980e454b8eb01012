"""Draws units into a text document, and changes only what differs from the drawn units.

A unit is one block of the document. A table is between two invisible blocks, which Qt requires; a continued table
shares one with the table before it. The view paints decoration behind the text (the card of code, the bar of a quote,
the line of a rule) and finds its place here.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import takewhile
from urllib.parse import quote

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QFont,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextImageFormat,
    QTextOption,
    QTextTable,
)

from assistant.core.markdown.highlighting import GrowingInks, Ink
from assistant.core.markdown.reading import LINE_BREAK
from assistant.core.markdown.units import Code, HorizontalRule, MarkdownUnit, Paragraph, Place, Table, TextRun
from assistant.desktop.kit.message_text import LINE_HEIGHT_PERCENT
from assistant.desktop.kit.plain import tip
from assistant.desktop.kit.theme import MONO_FAMILIES, Colors
from assistant.desktop.markdown.formulas import Typeset
from assistant.desktop.markdown.tables import TableDrawing

INDENT_PX = 24
"""Indentation of each list and quote."""
CODE_EDGE_PX = 14
"""Space between the edge of a card and its code."""
CODE_HEAD_PX = 34
"""Height above code, for the language and the copy button."""
_GAP_PX = 9
_LEAST_FORMULA_PX = 120.0
"""A formula in a table with many columns is not made narrower than this, where it could not be read."""
_MARKER_PX = 5
"""Distance of a bullet from its indentation."""
_HEADING_SCALES = (1.0, 1.45, 1.27, 1.12, 1.0, 1.0, 1.0)
LATEX = int(QTextFormat.Property.UserProperty) + 2
"""The property of a format with the source of the formula that it is the format of."""
CITES = "cites:"
"""The anchor of a citation begins with this; the number follows."""
_IMAGE = "\ufffc"
"""The character for an image in the text of a document."""
_INK_COLORS = {
    Ink.KEYWORD: "thinking",
    Ink.TEXT: "accent",
    Ink.NUMBER: "warning",
    Ink.COMMENT: "dim",
    Ink.NAME: "speaking",
}


@dataclass(slots=True, kw_only=True)
class Placed:
    """A unit in the document.

    Attributes:
        start: position of its first character; of a table, of the invisible block before it.
        inks: the colours of code.
        widths_px: the fixed column widths of a table; empty for automatic widths.
    """

    unit: MarkdownUnit
    start: int
    inks: GrowingInks
    widths_px: tuple[float, ...] = ()


class TextPage:
    """The units of one text in one document.

    Args:
        document: an empty document that no other code changes.
        colors: of the theme.
    """

    def __init__(self, document: QTextDocument, colors: Colors) -> None:
        self._document = document
        self._colors = colors
        self._placed: list[Placed] = []
        self._images: dict[str, QTextImageFormat] = {}
        """Formulas of tables, by their LaTeX."""
        self._tables = TableDrawing(document, self._format_in_cell)

    @property
    def placed(self) -> list[Placed]:
        """The drawn units, in order."""
        return self._placed

    def recolor(self, colors: Colors) -> None:
        """Draw everything again in other colours."""
        self._colors = colors
        units = [_untypeset(each.unit) for each in self._placed]
        self.show([])
        self.show(units)

    def show(self, units: list[MarkdownUnit], settled: int = 0) -> None:
        """Show ``units`` without changing units that are drawn already.

        Args:
            units: all of them, in order.
            settled: number of units at the start that are known to be drawn.
        """
        same = settled + sum(
            1
            for _ in takewhile(
                lambda pair: pair[0] == pair[1].unit, zip(units[settled:], self._placed[settled:], strict=False)
            )
        )
        cursor = QTextCursor(self._document)
        cursor.beginEditBlock()
        if same < len(units) and same < len(self._placed) and self._extend(cursor, self._placed[same], units[same]):
            same += 1
        self._cut(cursor, same)
        for unit in units[same:]:
            self._append(cursor, unit)
        self._finish_code(cursor, self._placed[settled:-1])
        self._leave_room_for_card()
        cursor.endEditBlock()

    @property
    def formulas(self) -> list[tuple[str, bool]]:
        """The formulas that are drawn as text, each with whether it has a line of its own."""
        return [
            (run.latex.strip("$"), isinstance(each.unit, Paragraph) and each.unit.centred)
            for each in self._placed
            for run in runs_of(each.unit)
            if _waits(run)
        ]

    def typeset_formulas(self, of: Callable[[str, bool], Typeset | None]) -> None:
        """Draw formulas as images where there is one; the blocks without any are not laid out again.

        Args:
            of: gives the typeset form of a formula, which may stand on a line of its own.
        """
        cursor = QTextCursor(self._document)
        cursor.beginEditBlock()
        shift = 0
        for placed in self._placed:
            placed.start += shift
            if not any(_waits(run) for run in runs_of(placed.unit)):
                continue
            if isinstance(placed.unit, Paragraph):
                shift += self._typeset(cursor, placed, placed.unit, of)
            elif isinstance(placed.unit, Table):
                before = self._document.characterCount()
                self._typeset_table(placed, placed.unit, of)
                shift += self._document.characterCount() - before
        cursor.endEditBlock()

    def _typeset_table(self, placed: Placed, unit: Table, of: Callable[[str, bool], Typeset | None]) -> None:
        """Draw the rows with formulas again. A formula is at most as wide as its share of the text, and readable."""
        room = max(self._document.textWidth() / max(len(unit.alignments), 1), _LEAST_FORMULA_PX)

        def drawn(run: TextRun) -> TextRun:
            formula = of(run.latex.strip("$"), False) if _waits(run) else None
            if formula is None:
                return run
            self._images[run.latex] = self._image(run, formula, room, display=False)
            return replace(run, typeset=True)

        rows = tuple(tuple(tuple(drawn(run) for run in cell) for cell in row) for row in unit.rows)
        placed.unit = replace(unit, rows=rows)
        self._tables.change(placed.start, unit, placed.unit, self._colors)

    def _format_in_cell(self, run: TextRun) -> QTextCharFormat:
        return self._images[run.latex] if run.typeset else self._format(run, 0)

    def _typeset(
        self, cursor: QTextCursor, placed: Placed, unit: Paragraph, of: Callable[[str, bool], Typeset | None]
    ) -> int:
        """Typeset one paragraph; returns by how many characters the text has grown."""
        position = placed.start + (_length(unit.place.marker) + 1 if unit.place.marker else 0)
        runs, grown = list[TextRun](), 0
        for run in unit.runs:
            drawn = of(run.latex.strip("$"), unit.centred) if _waits(run) else None
            if drawn is not None:
                cursor.setPosition(position)
                cursor.setPosition(position + _length(run.text), QTextCursor.MoveMode.KeepAnchor)
                room = max(self._document.textWidth() - 2 * INDENT_PX, 40.0)
                cursor.insertImage(self._image(run, drawn, room, display=unit.centred))
                grown += 1 - _length(run.text)
                run = replace(run, typeset=True)
            runs.append(run)
            position += _drawn_length(run)
        placed.unit = replace(unit, runs=tuple(runs))
        return grown

    def _image(self, run: TextRun, formula: Typeset, room: float, *, display: bool) -> QTextImageFormat:
        """The format of a typeset formula that is at most ``room`` pixels wide."""
        image = formula.drawn(room, display=display)
        name = f"formula:{quote(run.latex)}:{self._colors.text}:{room:.0f}"
        self._document.addResource(QTextDocument.ResourceType.ImageResource, QUrl(name), image)
        look = QTextImageFormat()
        look.setName(name)
        look.setWidth(image.width() / image.devicePixelRatio())
        look.setHeight(image.height() / image.devicePixelRatio())
        if formula.is_deep and not display:
            look.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignMiddle)
        look.setProperty(LATEX, run.latex)
        look.setToolTip(tip(run.latex))
        return look

    def finish(self) -> None:
        """Note that the drawn units will not grow any more."""
        cursor = QTextCursor(self._document)
        cursor.beginEditBlock()
        self._finish_code(cursor, self._placed[-1:])
        cursor.endEditBlock()

    def align_tables(self) -> bool:
        """Give the parts of each long table the columns of its first part; returns whether any has changed."""
        changed = False
        widths: tuple[float, ...] | None = None
        for at, placed in enumerate(self._placed):
            if not self._continues_table(at):
                widths = None
                continue
            if widths is None:
                widths = self._tables.widths_px(self._placed[at - 1].start)
            if placed.widths_px != widths:
                self._tables.fix_widths(placed.start, widths)
                placed.widths_px, changed = widths, True
        return changed

    def _continues_table(self, at: int) -> bool:
        """Whether the unit at this index is a table that continues the one before it."""
        unit = self._placed[at].unit
        return isinstance(unit, Table) and unit.continued and at > 0 and isinstance(self._placed[at - 1].unit, Table)

    def _leave_room_for_card(self) -> None:
        """Leave room for a card at the beginning; Qt ignores the outermost margin of the block there."""
        above = float(CODE_HEAD_PX) if self._placed and isinstance(self._placed[0].unit, Code) else 0.0
        frame = self._document.rootFrame()
        shape = frame.frameFormat()
        if shape.topMargin() != above:
            shape.setTopMargin(above)
            frame.setFrameFormat(shape)

    @property
    def below_px(self) -> int:
        """Room that a card at the end needs. As a margin of the document it would lay out all of it anew."""
        return CODE_EDGE_PX if self._placed and isinstance(self._placed[-1].unit, Code) else 0

    # Growing units

    def _extend(self, cursor: QTextCursor, placed: Placed, unit: MarkdownUnit) -> bool:
        """Change the last unit of the document into ``unit``, if that costs less than drawing it again."""
        if placed is not self._placed[-1]:
            return False
        old = placed.unit
        if isinstance(old, Paragraph) and isinstance(unit, Paragraph) and _alike(old, unit):
            self._rewrite(cursor, placed, old.runs, unit.runs, unit.heading)
        elif isinstance(old, Code) and isinstance(unit, Code) and unit.text.startswith(old.text) and _framed(old, unit):
            cursor.movePosition(QTextCursor.MoveOperation.End)
            cursor.insertText(_lines(unit.text[len(old.text) :]), self._code_format())
            self._ink(cursor, placed, unit, placed.inks.grow(unit.text))
        elif isinstance(old, Table) and isinstance(unit, Table) and _same_columns(old, unit):
            self._tables.change(placed.start, old, unit, self._colors)
        else:
            return False
        placed.unit = unit
        return True

    def _rewrite(
        self, cursor: QTextCursor, placed: Placed, old: tuple[TextRun, ...], new: tuple[TextRun, ...], heading: int
    ) -> None:
        """Keep the characters with the same text and format, and write the others."""
        marker = f"{placed.unit.place.marker}\t" if placed.unit.place.marker else ""
        kept, position = 0, placed.start + len(marker)
        for before, after in zip(old, new, strict=False):
            if before == after:
                position += _drawn_length(before)
                kept += 1
                continue
            if replace(before, text="") == replace(after, text="") and after.text.startswith(before.text):
                position += _length(before.text)
                new = (*new[:kept], replace(after, text=after.text[len(before.text) :]), *new[kept + 1 :])
            break
        cursor.setPosition(position)
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        self._write(cursor, new[kept:], heading)

    def _ink(self, cursor: QTextCursor, placed: Placed, unit: Code, same: int) -> None:
        """Colour code after the first ``same`` inks, which are drawn already."""
        inks = placed.inks.inks
        shift = placed.start
        bounds = _offsets(unit.text)
        first = inks[same - 1].start + inks[same - 1].length if same else 0
        plain = self._code_format()
        _set_format(cursor, shift + bounds(first), shift + bounds(len(unit.text)), plain)
        for start, length, ink in inks[same:]:
            colored = self._code_format()
            colored.setForeground(QColor(getattr(self._colors, _INK_COLORS[ink])))
            _set_format(cursor, shift + bounds(start), shift + bounds(start + length), colored)

    def _finish_code(self, cursor: QTextCursor, codes: list[Placed]) -> None:
        """Colour complete code once as a whole."""
        for placed in codes:
            if isinstance(placed.unit, Code) and placed.inks.pieced:
                self._ink(cursor, placed, placed.unit, placed.inks.finish(placed.unit.text))

    # Adding and removing units

    def _cut(self, cursor: QTextCursor, keep: int) -> None:
        """Remove all units after the first ``keep``."""
        if keep >= len(self._placed):
            return
        shares = self._continues_table(keep)
        cursor.setPosition(self._placed[keep].start)
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        del self._placed[keep:]
        if self._placed and not shares:
            cursor.deletePreviousChar()

    def _append(self, cursor: QTextCursor, unit: MarkdownUnit) -> None:
        cursor.movePosition(QTextCursor.MoveOperation.End)
        before = self._placed[-1].unit if self._placed else None
        language = unit.language if isinstance(unit, Code) else ""
        placed = Placed(unit=unit, start=0, inks=GrowingInks(language))
        self._placed.append(placed)
        layout = self._layout(unit, before)
        if before is None:
            cursor.setBlockFormat(layout)
            cursor.setBlockCharFormat(QTextCharFormat())
        elif not self._continues_table(len(self._placed) - 1):
            cursor.insertBlock(layout, QTextCharFormat())
        placed.start = cursor.position()
        match unit:
            case Paragraph():
                self._mark(cursor, unit.place.marker)
                self._write(cursor, unit.runs, unit.heading)
            case Code():
                cursor.insertText(_lines(unit.text), self._code_format())
                self._ink(cursor, placed, unit, placed.inks.grow(unit.text))
            case Table():
                self._tables.insert(cursor, unit, self._colors, left_px=_left_px(unit.place), gap_px=_GAP_PX)
            case HorizontalRule():
                pass

    def _mark(self, cursor: QTextCursor, marker: str) -> None:
        if marker:
            dim = QTextCharFormat()
            dim.setForeground(QColor(self._colors.dim))
            cursor.insertText(f"{marker}\t", dim)

    def _write(self, cursor: QTextCursor, runs: tuple[TextRun, ...], heading: int) -> None:
        for run in runs:
            cursor.insertText(run.text, self._format(run, heading))

    def width_of(self, placed: Placed) -> float:
        """The width of the longest line of code, in pixels."""
        return self.block_of(placed).layout().maximumWidth()

    def block_of(self, placed: Placed) -> QTextBlock:
        """The block of code."""
        return self._document.findBlock(placed.start)

    def table_after(self, position: int) -> QTextTable | None:
        """The table after the invisible block at ``position``."""
        return self._tables.after(position)

    # Formats

    def _layout(self, unit: MarkdownUnit, before: MarkdownUnit | None) -> QTextBlockFormat:
        layout = QTextBlockFormat()
        place = unit.place
        layout.setLeftMargin(_left_px(place))
        layout.setTopMargin(_gap_px(before, unit))
        layout.setLineHeight(LINE_HEIGHT_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        if place.marker:
            layout.setTextIndent(_MARKER_PX - INDENT_PX)
            layout.setTabPositions([QTextOption.Tab(INDENT_PX - _MARKER_PX, QTextOption.TabType.LeftTab)])
        if isinstance(unit, Code):
            layout.setLeftMargin(_left_px(place) + CODE_EDGE_PX)
            layout.setRightMargin(CODE_EDGE_PX)
            layout.setTopMargin(_gap_px(before, unit) + CODE_HEAD_PX)
            layout.setBottomMargin(CODE_EDGE_PX)
            layout.setTextIndent(0)
            layout.setNonBreakableLines(True)
        elif isinstance(unit, HorizontalRule):
            layout.setBottomMargin(4)
            layout.setLineHeight(1, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        elif isinstance(unit, Paragraph):
            layout.setHeadingLevel(unit.heading)
            if unit.centred:
                layout.setLeftMargin(_left_px(place) + INDENT_PX)
                layout.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        return layout

    def _format(self, run: TextRun, heading: int) -> QTextCharFormat:
        look = QTextCharFormat()
        if heading:
            size = self._document.defaultFont().pointSizeF()
            look.setFontPointSize(size * _HEADING_SCALES[heading])
        if run.bold or heading:
            look.setFontWeight(QFont.Weight.DemiBold)
        if run.italic or run.math:
            look.setFontItalic(True)
        look.setFontStrikeOut(run.struck)
        if run.code:
            look.setFontFamilies(list(MONO_FAMILIES))
            look.setBackground(QColor(self._colors.hover))
        if run.latex:
            look.setProperty(LATEX, run.latex)
        if run.cites:
            look.setAnchor(True)
            look.setAnchorHref(f"{CITES}{run.cites}")
            look.setForeground(QColor(self._colors.accent))
            look.setFontWeight(QFont.Weight.DemiBold)
        if run.link:
            look.setAnchor(True)
            look.setAnchorHref(run.link)
            look.setForeground(QColor(self._colors.accent))
            look.setFontUnderline(True)
        return look

    def _code_format(self) -> QTextCharFormat:
        look = QTextCharFormat()
        look.setFontFamilies(list(MONO_FAMILIES))
        look.setFontFixedPitch(True)
        return look


def _alike(old: Paragraph, new: Paragraph) -> bool:
    return (old.place, old.heading, old.centred) == (new.place, new.heading, new.centred)


def _same_columns(old: Table, new: Table) -> bool:
    return (old.alignments, old.continued) == (new.alignments, new.continued)


def _framed(old: Code, new: Code) -> bool:
    return (old.place, old.language) == (new.place, new.language)


def _lines(text: str) -> str:
    return text.replace("\n", LINE_BREAK)


def _length(text: str) -> int:
    """Length in the units of a document, where a character beyond the basic plane counts twice."""
    return len(text.encode("utf-16-le")) // 2


def _drawn_length(run: TextRun) -> int:
    """Length of a run as it is drawn."""
    return len(_IMAGE) if run.typeset else _length(run.text)


def runs_of(unit: MarkdownUnit) -> tuple[TextRun, ...]:
    """The runs of a unit, in reading order."""
    if isinstance(unit, Paragraph):
        return unit.runs
    return tuple(run for row in unit.rows for cell in row for run in cell) if isinstance(unit, Table) else ()


def _waits(run: TextRun) -> bool:
    """Whether a run is a formula that is drawn as text."""
    return bool(run.latex) and not run.typeset


def _untypeset(unit: MarkdownUnit) -> MarkdownUnit:
    """A unit whose formulas are drawn as text."""
    if isinstance(unit, Paragraph):
        return replace(unit, runs=_as_text(unit.runs))
    if isinstance(unit, Table):
        return replace(unit, rows=tuple(tuple(_as_text(cell) for cell in row) for row in unit.rows))
    return unit


def _as_text(runs: tuple[TextRun, ...]) -> tuple[TextRun, ...]:
    return tuple(replace(run, typeset=False) for run in runs)


def _offsets(text: str) -> Callable[[int], int]:
    """A function from a character's index to its offset in a document."""
    if text.isascii() or max(text, default="") < "\U00010000":
        return lambda at: at
    return lambda at: _length(text[:at])


def _left_px(place: Place) -> float:
    return float(INDENT_PX * (place.indent + place.quote))


def _gap_px(before: MarkdownUnit | None, unit: MarkdownUnit) -> float:
    """Space above a unit: little between items of a list, more above a heading."""
    if before is None:
        return 0.0
    if isinstance(before, Code):  # Of two margins that meet, Qt keeps the larger: the inside of the card.
        return _GAP_PX + CODE_EDGE_PX
    if isinstance(unit, HorizontalRule):
        return _GAP_PX * 1.5
    if isinstance(unit, Paragraph) and unit.heading:
        return _GAP_PX * 1.8
    if isinstance(unit, Paragraph) and unit.place.marker and before.place.indent:
        return _GAP_PX * 0.45
    return _GAP_PX


def _set_format(cursor: QTextCursor, start: int, end: int, look: QTextCharFormat) -> None:
    cursor.setPosition(start)
    cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    cursor.setCharFormat(look)
