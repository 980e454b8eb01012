"""What was read of a file: its text and the blocks that the text consists of. Pure."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class BlockKind(StrEnum):
    """The kind of a block, which decides whether it may be cut in two."""

    HEADING = "heading"
    TEXT = "text"
    LIST = "list"
    TABLE = "table"
    CODE = "code"
    SLIDE = "slide"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A stretch of a text.

    Attributes:
        start: its first character's offset in the text.
        end: the offset behind its last character.
        page: the page or slide that it begins on, from 1; 0 in files without pages.
        headings: the headings that it stands under, the outermost first. A heading names those above it.
    """

    kind: BlockKind
    start: int
    end: int
    page: int = 0
    headings: tuple[str, ...] = ()


SCANNED_PAGES: Final = "scanned_pages"
"""The note on pages and pictures whose letters, if they have any, are missing."""
RECOGNISED: Final = "recognised"
"""The note on letters that were recognised in a picture, where some may be wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedText:
    """The text of a file.

    Attributes:
        text: all of it, as Unicode in the composed form (NFC), lines ended by a newline.
        blocks: its blocks, in order, without overlaps. Together they hold every letter of the text.
        title: its title as the file itself tells it; empty if it does not.
        pages: number of pages or slides; 0 in files without pages.
        notes: keys of ``[file_note]`` for what a reader should know, such as pages that are pictures.
    """

    text: str
    blocks: tuple[Block, ...]
    title: str = ""
    pages: int = 0
    notes: tuple[str, ...] = ()
