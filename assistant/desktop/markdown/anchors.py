"""What can be opened in a text: links and the numbers of citations, in reading order."""

from typing import NamedTuple

from PySide6.QtGui import QTextCursor, QTextDocument


class Anchor(NamedTuple):
    """What can be opened.

    Attributes:
        start: where its text begins, in the units of a document.
        end: where its text ends.
        address: what it opens.
    """

    start: int
    end: int
    address: str


def anchors_in(document: QTextDocument) -> list[Anchor]:
    """All anchors of a document. Pieces of one that have other looks are one anchor."""
    found = list[Anchor]()
    block = document.begin()
    while block.isValid():
        pieces = block.begin()
        while not pieces.atEnd():
            piece = pieces.fragment()
            start, end = piece.position(), piece.position() + piece.length()
            if address := piece.charFormat().anchorHref():
                if found and found[-1].end == start and found[-1].address == address:
                    start = found.pop().start
                found.append(Anchor(start, end, address))
            pieces += 1
        block = block.next()
    return found


def anchor_after(anchors: list[Anchor], chosen: Anchor | None, *, forwards: bool) -> Anchor | None:
    """The anchor beside the chosen one, or the first one in that direction; ``None`` at the end."""
    order = anchors if forwards else anchors[::-1]
    at = order.index(chosen) + 1 if chosen in order else 0
    return order[at] if at < len(order) else None


def chosen_anchor(anchors: list[Anchor], cursor: QTextCursor) -> Anchor | None:
    """The anchor that is selected as a whole."""
    place = cursor.selectionStart(), cursor.selectionEnd()
    return next((each for each in anchors if (each.start, each.end) == place), None)
