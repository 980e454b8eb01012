"""Cuts the text of a file into passages.

Where a text may be cut is known from its blocks, and inside a large block from its lines, sentences and words. A
heading is a better place for a cut than the end of a paragraph. A place is cut if none within reach is better. So it
depends only on what stands within reach, and a change of the text changes the passages around it and no others. A
checksum of what follows decides between places that are equally good, as in content-defined chunking.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from assistant.core.knowledge.passages import Passage
from assistant.core.knowledge.texts import ExtractedText
from assistant.knowledge.chunks.places import CutPlace, CutStrength, places_of
from assistant.knowledge.chunks.widths import Widths

LARGEST = 1000
"""Columns of the largest passage: 500 Korean or 1000 English letters (docs/decisions/passage-index.md)."""
_REACHES = (400, 200, 100)
"""Columns within which a place must be the best one, and which a passage has at least. The smaller ones are for
stretches that are still too large."""
_BLANK_LINES = re.compile(r"(?:[^\S\n]*\n)*")


def chunks_of(text: ExtractedText) -> Sequence[Passage]:
    """The passages of a text, in order, without overlaps. Together they hold every letter of it but white space.

    The same text always has the same passages. A block is cut only if it is larger than a passage may be.
    """
    widths = Widths(text.text)
    ends = (
        CutPlace(0, 0, CutStrength.SLIDE, 0),
        CutPlace(len(text.text), widths.before(len(text.text)), CutStrength.SLIDE, 0),
    )
    places = [ends[0], *places_of(text, widths, LARGEST), ends[1]]
    always = [at for at, place in enumerate(places) if place.strength == CutStrength.SLIDE]
    starts = [block.start for block in text.blocks]
    passages: list[Passage] = []
    for first, last in pairwise(always):
        for start, end in _stretches(places, first, last, _REACHES):
            begin, stop = _without_blanks(text.text, places[start].at, places[end].at)
            if begin < stop:
                passages.append(_passage(text, starts, len(passages) + 1, begin, stop))
    return passages


def _passage(text: ExtractedText, starts: Sequence[int], number: int, begin: int, end: int) -> Passage:
    at = max(bisect_right(starts, begin) - 1, 0)
    page, headings = (text.blocks[at].page, text.blocks[at].headings) if text.blocks else (0, ())
    return Passage(number=number, start=begin, end=end, text=text.text[begin:end], page=page, headings=headings)


def _without_blanks(text: str, start: int, end: int) -> tuple[int, int]:
    """The stretch without blank lines before it and white space behind it. The first line keeps its indentation."""
    if blanks := _BLANK_LINES.match(text, start, end):
        start = blanks.end()
    return start, start + len(text[start:end].rstrip())


def _stretches(places: Sequence[CutPlace], first: int, last: int, reaches: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Cut what lies between two places until nothing is too large; pairs of indices of places."""
    if places[last].column - places[first].column <= LARGEST or last - first == 1:
        yield first, last
        return
    cuts = _best_within(places, first, last, reaches[0]) if reaches else [_best(places, first, last)]
    for before, after in pairwise([first, *cuts, last]):
        yield from _stretches(places, before, after, reaches[1:])


def _best_within(places: Sequence[CutPlace], first: int, last: int, reach: int) -> list[int]:
    """The places that are the best of all within reach of them, and as far from both ends."""
    low, high = places[first].column + reach, places[last].column - reach
    return [
        at
        for at in range(first + 1, last)
        if low <= places[at].column <= high and _is_best(places, at, reach, first, last)
    ]


def _is_best(places: Sequence[CutPlace], at: int, reach: int, first: int, last: int) -> bool:
    here = places[at]
    for way, end in ((-1, first), (1, last)):
        other = at + way
        while other != end and abs(places[other].column - here.column) < reach:
            if places[other].beats(here):
                return False
            other += way
    return True


def _best(places: Sequence[CutPlace], first: int, last: int) -> int:
    """The best place that leaves no more on its left than a passage holds."""
    fitting = [at for at in range(first + 1, last) if places[at].column - places[first].column <= LARGEST]
    return max(fitting or [first + 1], key=lambda at: (places[at].strength, places[at].column))
