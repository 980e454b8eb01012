"""Splitting of a long text into pieces of bounded length, which bounds the work of the reading rules.

A rule that looks for the end of a quote or a link may scan all the text that follows. With bounded pieces the total
work is proportional to the number of pieces.
"""

from collections.abc import Iterator
from typing import Final

PIECE_CHARACTERS: Final = 400
"""Longer than a sentence that a person can say in one breath, and short enough for rules that look ahead."""


def pieces(text: str, limit: int = PIECE_CHARACTERS) -> Iterator[str]:
    """Non-empty parts of ``text`` of at most ``limit`` characters, cut at a space where possible."""
    start = 0
    while start < len(text):
        end = start + limit
        if end < len(text):
            space = text.rfind(" ", start + limit // 2, end)
            end = space + 1 if space > 0 else end
        yield text[start:end]
        start = end
