"""The names of signs and of what else can be spoken instead of being written, in Korean and English."""

from dataclasses import dataclass
from enum import Enum, auto
from typing import Final


class MarkKind(Enum):
    """What may stand before a sign, and what follows it."""

    INNER = auto()
    """Stands within a sentence: a comma."""
    END = auto()
    """Ends a sentence: a question mark."""
    BREAK = auto()
    """Begins a line."""
    OPEN = auto()
    """Stands before a word without a space."""
    CLOSE = auto()
    """Stands after a word without a space, and may follow another sign."""


@dataclass(frozen=True, slots=True)
class SpokenMark:
    """A sign that can be spoken.

    Attributes:
        sign: what is written.
        kind: where it may stand.
        common: whether its name is also a word of its own: "period".
    """

    sign: str
    kind: MarkKind
    common: bool = False


_COMMA, _PERIOD = SpokenMark(",", MarkKind.INNER), SpokenMark(".", MarkKind.END)
_ASKS, _EXCLAIMS = SpokenMark("?", MarkKind.END), SpokenMark("!", MarkKind.END)
_COLON, _SEMICOLON = SpokenMark(":", MarkKind.INNER), SpokenMark(";", MarkKind.INNER)
_DOTS, _LINE, _PARAGRAPH = (
    SpokenMark("…", MarkKind.END),
    SpokenMark("\n", MarkKind.BREAK),
    SpokenMark("\n\n", MarkKind.BREAK),
)
_OPEN, _CLOSE = SpokenMark('"', MarkKind.OPEN), SpokenMark('"', MarkKind.CLOSE)
_BRACKET, _END_BRACKET = SpokenMark("(", MarkKind.OPEN), SpokenMark(")", MarkKind.CLOSE)


def _common(mark: SpokenMark) -> SpokenMark:
    return SpokenMark(mark.sign, mark.kind, common=True)


KOREAN: Final = {
    "쉼표": _COMMA,
    "콤마": _COMMA,
    "마침표": _PERIOD,
    "온점": _PERIOD,
    "물음표": _ASKS,
    "느낌표": _EXCLAIMS,
    "쌍점": _COLON,
    "콜론": _COLON,
    "쌍반점": _SEMICOLON,
    "세미콜론": _SEMICOLON,
    "말줄임표": _DOTS,
    "새줄": _LINE,
    "줄바꿈": _LINE,
    "줄바꿔": _common(_LINE),
    "다음줄": _common(_LINE),
    "새문단": _PARAGRAPH,
    "새단락": _PARAGRAPH,
    "문단바꿈": _PARAGRAPH,
    "따옴표열고": _OPEN,
    "따옴표닫고": _CLOSE,
    "괄호열고": _BRACKET,
    "괄호닫고": _END_BRACKET,
}
"""By the name without spaces, because recognisers write them in both ways."""

ENGLISH: Final = {
    "comma": _COMMA,
    "period": _common(_PERIOD),
    "fullstop": _common(_PERIOD),
    "questionmark": _ASKS,
    "exclamationmark": _EXCLAIMS,
    "exclamationpoint": _EXCLAIMS,
    "colon": _common(_COLON),
    "semicolon": _SEMICOLON,
    "ellipsis": _DOTS,
    "dotdotdot": _DOTS,
    "newline": _LINE,
    "newparagraph": _PARAGRAPH,
    "openquote": _OPEN,
    "closequote": _CLOSE,
    "openparenthesis": _BRACKET,
    "closeparenthesis": _END_BRACKET,
    "openbracket": _BRACKET,
    "closebracket": _END_BRACKET,
}

LONGEST: Final = 3
"""WrittenWords of the longest name."""

TAKES_BACK: Final = frozenset(
    {
        *("지워", "지워줘", "지워요", "지워주세요", "방금거지워", "방금거지워줘", "방금말지워줘", "방금거취소"),
        *("scratchthat", "strikethat", "deletethat", "erasethat", "undothat"),
    }
)
"""Takes the last phrase back, as a sentence of its own. By the words without spaces."""

INTERRUPTS: Final = frozenset({"scratchthat", "strikethat"})
"""Takes back also between commas: nothing else is meant by these words there."""
