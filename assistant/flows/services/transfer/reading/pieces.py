"""The pieces of a message: spans whose meaning is known, each replaced by one sign. Pure."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

_FIRST_SIGN = 0xE000
"""The signs are of Unicode's private use area, so no reader of words or numbers takes them for either."""
SIGN = "[\ue000-\uf8ff]"
"""A pattern for the sign of any piece."""


class PieceKind(StrEnum):
    """What a piece says."""

    RECIPIENT = "recipient"
    AMOUNT = "amount"
    MEMO = "memo"
    ORDINAL = "ordinal"
    COUNT = "count"


@dataclass(slots=True)
class SlotPiece:
    """One piece.

    Attributes:
        kind: what it says.
        value: its value.
        each: of an amount, whether it is for each; of a recipient, whether it is one more (아빠한테도).
        negated: whether it is what the user does not want: 엄마 말고.
        bare: of a recipient, whether no particle follows; of an amount, whether no 로 does (4만으로).
    """

    kind: PieceKind
    value: Any
    each: bool = False
    negated: bool = False
    bare: bool = False


@dataclass(slots=True)
class MarkedText:
    """A message in which the pieces that were found are signs.

    Attributes:
        text: the message.
        pieces: the pieces by the number of their sign.
    """

    text: str
    pieces: list[SlotPiece] = field(default_factory=list)

    def mark(self, start: int, end: int, piece: SlotPiece) -> None:
        """Replace a span by the sign of its piece."""
        self.text = f"{self.text[:start]} {self._new_sign(piece)} {self.text[end:]}"

    def mark_all(self, spans: Iterable[tuple[int, int, SlotPiece]]) -> None:
        """Replace spans that do not overlap; the signs are in the order of the spans."""
        shift = 0
        for start, end, piece in sorted(spans, key=lambda each: each[0]):
            before = len(self.text)
            self.mark(start + shift, end + shift, piece)
            shift += len(self.text) - before

    def sub(self, pattern: re.Pattern[str], read: Callable[[re.Match[str]], SlotPiece | None]) -> None:
        """Replace what a pattern finds, where ``read`` makes a piece of it."""

        def replaced(match: re.Match[str]) -> str:
            piece = read(match)
            return match.group() if piece is None else f" {self._new_sign(piece)} "

        self.text = pattern.sub(replaced, self.text)

    def segments(self) -> list[tuple[int, str]]:
        """The stretches between the signs, each with its start."""
        return [(match.start(), match.group()) for match in re.finditer("[^\ue000-\uf8ff]+", self.text)]

    def at(self, sign: str) -> SlotPiece:
        """The piece of a sign."""
        return self.pieces[ord(sign) - _FIRST_SIGN]

    def in_order(self) -> list[SlotPiece]:
        """The pieces as they stand in the text."""
        return [self.at(sign) for sign in re.findall(SIGN, self.text)]

    def _new_sign(self, piece: SlotPiece) -> str:
        self.pieces.append(piece)
        return chr(_FIRST_SIGN + len(self.pieces) - 1)
