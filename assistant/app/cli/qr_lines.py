"""A QR code in a terminal, to scan with a camera."""

from itertools import zip_longest
from typing import Final

import segno

_QUIET: Final = 2
"""Empty modules around the code. A terminal's own ground is often the rest of the four that ISO/IEC 18004 asks for."""
_BLACK_ON_WHITE, _PLAIN = "\x1b[30;107m", "\x1b[0m"
_BLOCKS: Final = {(0, 0): " ", (1, 0): "▀", (0, 1): "▄", (1, 1): "█"}


def qr_lines(text: str) -> list[str]:
    """A text as lines of half blocks, two modules high each: black on white whatever the terminal's colours are.

    Args:
        text: what the camera reads, not empty.

    Raises:
        ValueError: it is longer than a QR code can be, 2331 bytes.
    """
    rows = [[int(dark) for dark in row] for row in segno.make(text, error="m", micro=False).matrix_iter(border=_QUIET)]
    empty = [0] * len(rows[0])
    pairs = zip_longest(rows[::2], rows[1::2], fillvalue=empty)
    return [
        _BLACK_ON_WHITE + "".join(_BLOCKS[pair] for pair in zip(upper, lower, strict=True)) + _PLAIN
        for upper, lower in pairs
    ]
