"""Tables on a terminal."""

import shutil
import sys
from collections.abc import Collection, Sequence

from assistant.core.display.escaping import printable


def aligned(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    """Format rows as lines with aligned columns; a Korean letter takes two terminal cells.

    Args:
        rows: texts of the cells, the same number in each row.
        right: indices of the right-aligned columns.
    """
    rows = [[printable(cell, one_line=True, styled=True) for cell in row] for row in rows]
    widths = [max(cells(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        spaces = [" " * (width - cells(cell)) for cell, width in zip(row, widths, strict=True)]
        padded = [
            space + cell if number in right else cell + space
            for number, (cell, space) in enumerate(zip(row, spaces, strict=True))
        ]
        lines.append("  ".join(padded).rstrip())
    return lines


def fitting(rows: Sequence[Sequence[str]], right: Collection[int] = (), width: int | None = None) -> list[str]:
    """Format a table with headings in its first row. A table wider than the screen becomes a block of lines per row.

    Args:
        rows: texts of the cells, the same number in each row.
        right: indices of the right-aligned columns.
        width: terminal cells of a line; by default the terminal's width, and unlimited if the output is no terminal.
    """
    lines = aligned(rows, right)
    if width is None and sys.stdout is not None and sys.stdout.isatty():
        width = shutil.get_terminal_size().columns
    if width is None or max(map(cells, lines)) <= width:
        return lines
    heads, *body = rows
    blocks = [aligned([pair for pair in zip(heads, row, strict=True) if pair[1]]) for row in body]
    return [line for block in blocks for line in (*block, "")][:-1]


def cells(text: str) -> int:
    """Terminal cells of a text: two for a Korean letter or an emoji, none for a combining mark."""
    if all(" " <= letter <= "~" or "가" <= letter <= "힣" for letter in text):
        # This covers nearly all texts, so help and short tables need no import.
        return len(text) + sum(letter >= "가" for letter in text)
    import wcwidth

    return wcwidth.width(text)
