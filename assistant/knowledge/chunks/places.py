"""The places where a text may be cut, and how good each is."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise
from zlib import crc32

from assistant.core.knowledge.texts import Block, BlockKind, ExtractedText
from assistant.knowledge.chunks.widths import Widths

_FOLLOWING = 32
"""Letters behind a place that its checksum is made of."""
_SENTENCE = re.compile(r"(?<=[.!?。!?…])[\"'”’」』)\]]*\s+|\n")
_LINE = re.compile(r"\n")
_WORD = re.compile(r"\s+")
_LETTER = re.compile(r"(?<=.)(?=.)", re.DOTALL)
_DEEPEST = 6
"""The deepest level of headings that is told from the next one."""


class CutStrength(IntEnum):
    """How good a place is for a cut. Headings are ``HEADING`` and more: the higher the heading, the more."""

    LETTER = 0
    WORD = 1
    SENTENCE = 2
    PARAGRAPH = 3
    BLOCK = 4
    PAGE = 5
    HEADING = 6
    SLIDE = 20
    """It is always cut."""


@dataclass(frozen=True, slots=True)
class CutPlace:
    """A place where a text may be cut.

    Attributes:
        at: offset in the text; the cut is before that letter.
        column: columns before it.
        mark: checksum of what follows; it orders places of the same strength.
    """

    at: int
    column: int
    strength: int
    mark: int

    def beats(self, other: "CutPlace") -> bool:
        """Whether this is the better place; of two equal ones, the first."""
        return (self.strength, self.mark, -self.at) > (other.strength, other.mark, -other.at)


def places_of(text: ExtractedText, widths: Widths, largest: int) -> list[CutPlace]:
    """All places, in order. A block has places inside only if it is wider than ``largest``, in columns."""
    blocks = text.blocks or (Block(kind=BlockKind.TEXT, start=0, end=len(text.text)),)
    found: list[CutPlace] = []
    for before, block in pairwise([blocks[0], *blocks]):
        if block is not before and (strength := _between(before, block)) is not None:
            found.append(_place(text.text, widths, block.start, strength))
        if widths.between(block.start, block.end) > largest:
            found.extend(
                _place(text.text, widths, at, strength) for at, strength in _inside(text.text, block, widths, largest)
            )
    return found


def _place(text: str, widths: Widths, at: int, strength: int) -> CutPlace:
    mark = crc32(text[at : at + _FOLLOWING].encode("utf-8", "surrogatepass"))
    return CutPlace(at, widths.before(at), strength, mark)


def _between(before: Block, block: Block) -> int | None:
    """The strength of the place between two blocks. A heading is never cut from what follows it on its page."""
    if BlockKind.SLIDE in (before.kind, block.kind) and before.page != block.page:
        return CutStrength.SLIDE
    if before.kind is BlockKind.HEADING and before.page == block.page:
        return None
    if block.kind is BlockKind.HEADING:
        return CutStrength.HEADING + max(_DEEPEST - len(block.headings), 0)
    return CutStrength.PAGE if before.page != block.page else CutStrength.BLOCK


def _inside(text: str, block: Block, widths: Widths, largest: int) -> Iterator[tuple[int, int]]:
    """Ends of sentences, or of lines; where these are too far apart, of words; where these are, every letter."""
    whole = (BlockKind.TABLE, BlockKind.CODE, BlockKind.LIST)
    ends = _LINE if block.kind in whole else _SENTENCE
    for start, end in _pieces(text, block.start, block.end, ends):
        if start > block.start:
            blank = text[max(start - 2, 0) : start] == "\n\n"
            yield start, CutStrength.PARAGRAPH if blank else CutStrength.SENTENCE
        yield from _finer(text, start, end, widths, largest)


def _finer(text: str, start: int, end: int, widths: Widths, largest: int) -> Iterator[tuple[int, int]]:
    if widths.between(start, end) <= largest:
        return
    for word, word_end in _pieces(text, start, end, _WORD):
        if word > start:
            yield word, CutStrength.WORD
        if widths.between(word, word_end) > largest:
            for letter, _ in _pieces(text, word, word_end, _LETTER):
                if letter > word:
                    yield letter, CutStrength.LETTER


def _pieces(text: str, start: int, end: int, ends: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """The text between the ends; an end belongs to what stands before it."""
    begin = start
    for match in ends.finditer(text, start, end):
        if begin < match.end() < end:
            yield begin, match.end()
            begin = match.end()
    yield begin, end
