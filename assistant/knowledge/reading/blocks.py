"""Finds the blocks of a text: headings, paragraphs, lists, tables and code (K-03)."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

from markdown_it import MarkdownIt

from assistant.core.knowledge.texts import Block, BlockKind

_KINDS = {
    "heading_open": BlockKind.HEADING,
    "table_open": BlockKind.TABLE,
    "fence": BlockKind.CODE,
    "code_block": BlockKind.CODE,
    "bullet_list_open": BlockKind.LIST,
    "ordered_list_open": BlockKind.LIST,
}
_NEW_PART = re.compile(r"\n(?:[ \t]*\n)+(?=\S)")
"""Blank lines before a line that is not indented: where a part of a program begins, or the next paragraph."""


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"maxNesting": 20}).enable("table")


def markdown_blocks(text: str, pages: Sequence[int] = ()) -> tuple[Block, ...]:
    """The blocks of a text in Markdown.

    Args:
        text: the text, lines ended by a newline.
        pages: the offset where each page begins, in order; empty for a text without pages.
    """
    starts = [0, *(each.end() for each in re.finditer("\n", text))]
    blocks: list[Block] = []
    above: list[tuple[int, str]] = []
    for token in _parser().parse(text):
        if token.level or token.map is None or token.nesting < 0:
            continue
        kind = _KINDS.get(token.type, BlockKind.TEXT)
        start, end = starts[token.map[0]], starts[min(token.map[1], len(starts) - 1)]
        if token.map[1] >= len(starts):
            end = len(text)
        if kind is BlockKind.HEADING:
            level = int(token.tag[1:])
            above = [each for each in above if each[0] < level]
        headings = tuple(title for _, title in above)
        blocks.extend(_whole(text, kind, start, end, headings, pages))
        if kind is BlockKind.HEADING:
            above.append((level, text[start:end].strip().lstrip("#").strip()))
    return tuple(_without_gaps(text, blocks))


def plain_blocks(text: str, kind: BlockKind = BlockKind.TEXT, pages: Sequence[int] = ()) -> tuple[Block, ...]:
    """The paragraphs of a text without markup, or the parts of a program."""
    cuts = sorted({0, *pages, *(each.end() for each in _NEW_PART.finditer(text)), len(text)})
    return tuple(block for start, end in pairwise(cuts) for block in _whole(text, kind, start, end, (), pages))


def _whole(
    text: str, kind: BlockKind, start: int, end: int, headings: tuple[str, ...], pages: Sequence[int]
) -> Iterator[Block]:
    """A block without the white space around it; nothing for a block of white space."""
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip("\n"))
    piece = piece.strip("\n").rstrip()
    if piece.strip():
        page = sum(1 for each in pages if each <= start)
        yield Block(kind=kind, start=start, end=start + len(piece), page=page, headings=headings)


def _without_gaps(text: str, blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks, and text blocks for what the parser gave no token for, such as definitions of links."""
    end = 0
    headings: tuple[str, ...] = ()
    for block in blocks:
        yield from _whole(text, BlockKind.TEXT, end, block.start, headings, ())
        yield block
        end, headings = block.end, block.headings
    yield from _whole(text, BlockKind.TEXT, end, len(text), headings, ())
