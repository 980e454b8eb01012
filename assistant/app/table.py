"""Tables on a terminal."""

import unicodedata
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


def cells(text: str) -> int:
    """How many cells of a terminal a text takes."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)
