"""Draws tables into a text document.

Qt lays out a whole table whenever one of its cells changes. So a long table is drawn as several tables of a few rows
with equal column widths and no gap between them. It looks like one table, and only its end is laid out again.
"""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextImageFormat,
    QTextLength,
    QTextTable,
    QTextTableFormat,
)

from assistant.core.markdown.units import Table, TextRun
from assistant.desktop.kit.theme import Colors

_PADDING_PX = 6
_BORDER_PX = 1
_ON_THE_EDGE_PX = -4.0
"""Top margin of a continued table: it moves the table over the invisible line, onto the border of the rows before."""
_INVISIBLE = int(QTextFormat.Property.UserProperty) + 1
_ALIGNMENTS = {"center": Qt.AlignmentFlag.AlignHCenter, "right": Qt.AlignmentFlag.AlignRight}


class TableDrawing:
    """Draws the tables of one document.

    Args:
        document: the document of the tables.
        look: returns the format of a run in a cell.
    """

    def __init__(self, document: QTextDocument, look: Callable[[TextRun], QTextCharFormat]) -> None:
        self._document = document
        self._look = look

    def insert(self, cursor: QTextCursor, unit: Table, colors: Colors, *, left_px: float, gap_px: float) -> None:
        """Insert a table at the empty block of ``cursor``. That block and the one after the table become invisible."""
        hide_line(cursor)
        shape = QTextTableFormat()
        shape.setBorder(_BORDER_PX)
        shape.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        shape.setBorderBrush(QColor(colors.border))
        shape.setBorderCollapse(True)
        shape.setCellPadding(_PADDING_PX)
        shape.setCellSpacing(0)
        shape.setHeaderRowCount(0 if unit.continued else 1)
        shape.setLeftMargin(left_px)
        shape.setTopMargin(_ON_THE_EDGE_PX if unit.continued else gap_px)
        shape.setColumnWidthConstraints([QTextLength()] * len(unit.alignments))
        table = cursor.insertTable(len(unit.rows), len(unit.alignments), shape)
        for row in range(len(unit.rows)):
            self._fill(table, row, unit, colors)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        hide_line(cursor)

    def change(self, start: int, old: Table, new: Table, colors: Colors) -> None:
        """Change the table after the invisible block at ``start`` from ``old`` to ``new``, row by row."""
        table = self.after(start)
        if table is None:
            return
        if len(new.rows) > len(old.rows):
            table.appendRows(len(new.rows) - len(old.rows))
        elif len(new.rows) < len(old.rows):
            table.removeRows(len(new.rows), len(old.rows) - len(new.rows))
        for row, cells in enumerate(new.rows):
            if row >= len(old.rows) or old.rows[row] != cells:
                self._fill(table, row, new, colors)

    def after(self, start: int) -> QTextTable | None:
        """The table after the invisible block at ``start``."""
        cursor = QTextCursor(self._document)
        cursor.setPosition(start)
        cursor.movePosition(QTextCursor.MoveOperation.NextBlock)
        return cursor.currentTable()

    def widths_px(self, start: int) -> tuple[float, ...]:
        """The column widths of the table after ``start``."""
        table = self.after(start)
        if table is None:
            return ()
        layout = self._document.documentLayout()
        first = (table.cellAt(0, column).firstCursorPosition().block() for column in range(table.columns()))
        around = 2 * _PADDING_PX + _BORDER_PX
        return tuple(layout.blockBoundingRect(block).width() + around for block in first)

    def fix_widths(self, start: int, widths_px: Sequence[float]) -> None:
        """Set the column widths of the table after ``start``."""
        table = self.after(start)
        if table is None:
            return
        shape = table.format()
        shape.setColumnWidthConstraints([QTextLength(QTextLength.Type.FixedLength, each) for each in widths_px])
        table.setFormat(shape)

    def _fill(self, table: QTextTable, row: int, unit: Table, colors: Colors) -> None:
        heads = row == 0 and not unit.continued
        for column, runs in enumerate(unit.rows[row]):
            cell = table.cellAt(row, column)
            inside = cell.firstCursorPosition()
            inside.setPosition(cell.lastPosition(), QTextCursor.MoveMode.KeepAnchor)
            inside.removeSelectedText()
            layout = QTextBlockFormat()
            layout.setAlignment(_ALIGNMENTS.get(unit.alignments[column], Qt.AlignmentFlag.AlignLeft))
            inside.setBlockFormat(layout)
            ground = cell.format()
            ground.setBackground(QColor(colors.hover if heads else colors.surface))
            cell.setFormat(ground)
            for run in runs:
                look = self._look(run)
                if heads:
                    look.setFontWeight(QFont.Weight.DemiBold)
                if isinstance(look, QTextImageFormat):
                    inside.insertImage(look)
                else:
                    inside.insertText(run.text, look)


def hide_line(cursor: QTextCursor) -> None:
    """Make the empty block of ``cursor`` nearly invisible."""
    layout = QTextBlockFormat()
    layout.setLineHeight(1, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
    layout.setProperty(_INVISIBLE, True)
    cursor.setBlockFormat(layout)
    tiny = QTextCharFormat()
    tiny.setFontPointSize(1)
    cursor.setBlockCharFormat(tiny)


def is_hidden(layout: QTextBlockFormat) -> bool:
    """Whether ``hide_line`` has hidden a block."""
    return layout.hasProperty(_INVISIBLE)
