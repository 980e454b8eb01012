"""Text with spans of formats, as Telegram's entities have them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Self

LONGEST = 4096
"""UTF-16 code units of a message's text."""
MOST_SPANS = 100
"""Entities of a message; Telegram drops further ones."""


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a text with a format.

    Attributes:
        start: its first character.
        end: the character behind it.
        kind: the type of the entity: ``bold``, ``italic``, ``strikethrough``, ``code``, ``pre``, ``text_link`` or
            ``blockquote``.
        value: the address of a ``text_link``, or the language of a ``pre``.
    """

    start: int
    end: int
    kind: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class RichText:
    """A text and its spans, by their starts. Positions count characters, not code units."""

    text: str
    spans: tuple[Span, ...] = ()

    def part(self, start: int, end: int) -> Self:
        """A part of the text; spans that reach beyond it are cut."""
        inside = (
            replace(each, start=max(each.start, start) - start, end=min(each.end, end) - start)
            for each in self.spans
            if each.start < end and each.end > start
        )
        return replace(self, text=self.text[start:end], spans=tuple(inside))

    def __add__(self, other: "RichText") -> "RichText":
        return joined((self, other))


def joined(pieces: Iterable[RichText]) -> RichText:
    """The pieces as one text."""
    text, spans, size = [], [], 0
    for piece in pieces:
        text.append(piece.text)
        spans += [replace(each, start=each.start + size, end=each.end + size) for each in piece.spans]
        size += len(piece.text)
    return RichText("".join(text), tuple(spans))


def units(text: str) -> int:
    """Length of a text in UTF-16 code units, which Telegram counts."""
    return len(text) + sum(character > "\uffff" for character in text)
