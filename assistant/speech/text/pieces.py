"""Cuts a long text into pieces of a bounded length, so that rules never meet more than they can read quickly.

A rule that looks for the end of a quote or a link may look through all the text that follows. On pieces of bounded
length the work is proportional to the number of pieces, whatever the text is.
"""

from collections.abc import Iterator
from typing import Final

PIECE_CHARACTERS: Final = 400
"""Longer than a sentence that a person can say in one breath, short enough for rules that look ahead."""


def pieces(text: str, limit: int = PIECE_CHARACTERS) -> Iterator[str]:
    """Parts of ``text`` of at most ``limit`` characters, cut at a space where there is one; none is empty."""
    start = 0
    while start < len(text):
        end = start + limit
        if end < len(text):
            space = text.rfind(" ", start + limit // 2, end)
            end = space + 1 if space > 0 else end
        yield text[start:end]
        start = end
