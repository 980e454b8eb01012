"""Tables on a terminal."""

import shutil
import sys
from collections.abc import Collection, Sequence


def aligned(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    """Rows as lines whose columns stand below each other; Korean letters take two cells each.

    Args:
        rows: cells, as many in each row.
        right: numbers of the columns whose cells end below each other.
    """
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
    """A table whose first row are headings; where it is wider than the screen, a block of lines for each row instead.

    Args:
        rows: cells, as many in each row.
        right: numbers of the columns whose cells end below each other.
        width: cells of a line; by default the terminal's, and without end where the output is none.
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
    """How many cells of a terminal a text takes: two for a Korean letter or an emoji, none for a combining mark."""
    if all(" " <= letter <= "~" or "가" <= letter <= "힣" for letter in text):
        # Nearly all texts; help and short tables do not wait for the import.
        return len(text) + sum(letter >= "가" for letter in text)
    import wcwidth

    return wcwidth.width(text)
