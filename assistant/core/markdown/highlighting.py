"""Colours code by its language, with Pygments."""

import contextlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from enum import Enum, auto
from functools import cache
from itertools import takewhile
from typing import NamedTuple

from pygments.lexer import ExtendedRegexLexer, Lexer, LexerContext, RegexLexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Literal, Name, Operator, String, Token
from pygments.util import ClassNotFound

LONGEST_CODE = 40_000
"""Most characters of coloured code. Longer code stays uncoloured, so that it never blocks the window."""

AHEAD = 2000
"""Characters of code in which a lexer looks for the end of an expression. Some look again from each sign that may begin
one, and would read code of many such signs as often."""

LINES_READ_AGAIN = 24
"""Lines at the end of growing code that are read again: more than most comments have, which some lexers recognise only
at their end."""


class Ink(Enum):
    """Kinds of code with a colour of their own."""

    KEYWORD = auto()
    TEXT = auto()
    NUMBER = auto()
    COMMENT = auto()
    NAME = auto()


class Stretch(NamedTuple):
    """Characters of one colour.

    Attributes:
        start: first character, counted from 0.
        length: number of characters.
    """

    start: int
    length: int
    ink: Ink


_INKS = (
    (Comment, Ink.COMMENT),
    (Keyword, Ink.KEYWORD),
    (Operator.Word, Ink.KEYWORD),
    (Name.Tag, Ink.KEYWORD),
    (String, Ink.TEXT),
    (Literal.Number, Ink.NUMBER),
    (Name.Function, Ink.NAME),
    (Name.Class, Ink.NAME),
    (Name.Decorator, Ink.NAME),
    (Name.Builtin, Ink.NAME),
    (Name.Attribute, Ink.NAME),
)


class GrowingInks:
    """The colours of code that grows at its end.

    Reading resumes at the start of a line ``LINES_READ_AGAIN`` before the end, with the lexer's state there. So an open
    construct, such as a string over many lines, stays open. If one expression of a lexer spans more lines, as comments
    do in some languages, a colour is wrong until ``finish``. With a lexer that cannot resume, the whole code is read
    each time.

    Args:
        language: the language as named in the Markdown text.
    """

    def __init__(self, language: str) -> None:
        self._lexer = _lexer(language.casefold()) if language else None
        self._resumable = None if self._lexer is None else _resumable(language.casefold())
        self._inks: list[Stretch] = []
        self._marks = [_START]
        self._pieced = False
        self.read_from = 0
        """Index of the character at which the last reading began."""

    @property
    def inks(self) -> list[Stretch]:
        """The coloured parts, in order; empty for an unknown language."""
        return self._inks

    @property
    def pieced(self) -> bool:
        """Whether the code was read in parts, so that ``finish`` may change colours."""
        return self._pieced

    def grow(self, code: str) -> int:
        """Colour ``code``, an extension of the former code; returns the number of unchanged ``inks`` at the start."""
        if self._lexer is None or len(code) > LONGEST_CODE:
            return self._take(0, [])
        at, inks = self._read(self._lexer, code)
        self._pieced = at > 0
        return self._take(at, inks)

    def finish(self, code: str) -> int:
        """Colour the whole code at once; returns the number of unchanged ``inks`` at the start."""
        self._marks = [_START]
        return self.grow(code)

    def _take(self, at: int, inks: list[Stretch]) -> int:
        """Keep the colours before ``at`` and replace the rest by ``inks``."""
        self.read_from = at
        kept = bisect_left(self._inks, at, key=lambda ink: ink.start)
        before = self._inks[kept:]
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, inks, strict=False)))
        self._inks[kept:] = inks
        return kept + same

    def _mark_before(self, code: str) -> "_Mark":
        """The newest mark that is far enough from the end; later marks are dropped."""
        limit = len(code)
        for _ in range(LINES_READ_AGAIN):
            limit = max(code.rfind("\n", 0, limit), 0)
        while len(self._marks) > 1 and self._marks[-1].at > limit:
            self._marks.pop()
        return self._marks[-1]

    def _read(self, lexer: Lexer, code: str) -> tuple[int, list[Stretch]]:
        """The index at which reading began, and the colours from there."""
        if self._resumable is not None:
            mark = self._mark_before(code)
            context = LexerContext(code, mark.at, stack=[*mark.stack])
            with contextlib.suppress(TypeError):  # raised by an action that takes no context
                return mark.at, list(_coloured(self._marking(self._resumable, context)))
            self._marks = [_START]
        return 0, list(_coloured(lexer.get_tokens_unprocessed(code)))

    def _marking(self, lexer: Lexer, context: LexerContext) -> Iterator[tuple[int, "Token", str]]:
        """The tokens. Adds a mark at each start of a line that is also the start of a lexer's expression."""
        code = context.text
        while context.pos < len(code):
            context.end = _end_of_part(code, context.pos)
            for start, kind, text in lexer.get_tokens_unprocessed(context=context):
                if start == context.pos and code[start - 1 : start] == "\n" and start > self._marks[-1].at:
                    self._marks.append(_Mark(start, tuple(context.stack)))
                yield start, kind, text


def _end_of_part(code: str, at: int) -> int:
    """Where the part of the code ends that a lexer may look at from the character ``at``.

    It depends on the place alone, not on where the reading began, so code has the same colours however it has grown.
    """
    end = (at // AHEAD + 1) * AHEAD
    line = code.find("\n", end - 1, end + AHEAD) + 1
    return line or (end if len(code) > end + AHEAD else len(code))


class _Mark(NamedTuple):
    """A position at which a lexer can resume.

    Attributes:
        at: index of the character.
        stack: the lexer's states there.
    """

    at: int
    stack: tuple[str, ...]


_START = _Mark(0, ("root",))


def _coloured(tokens: Iterable[tuple[int, "Token", str]]) -> Iterator[Stretch]:
    for start, kind, text in tokens:
        ink = _ink(kind)
        if ink is not None and text:
            yield Stretch(start, len(text), ink)


@cache
def _ink(kind: "Token") -> Ink | None:
    return next((ink for family, ink in _INKS if kind in family), None)


@cache
def _lexer(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


@cache
def _resumable(language: str) -> Lexer | None:
    """A lexer of this language that can resume in the middle; ``None`` if its class reads tokens in its own way."""
    kind = type(_lexer(language))
    if getattr(kind, "get_tokens_unprocessed", None) is not RegexLexer.get_tokens_unprocessed:
        return None
    return type(kind.__name__, (ExtendedRegexLexer, kind), {})(stripnl=False, ensurenl=False)
