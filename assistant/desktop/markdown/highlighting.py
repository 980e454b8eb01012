"""Colours code by its language, read by Pygments."""

from collections.abc import Iterator
from enum import Enum, auto
from functools import cache
from typing import NamedTuple

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Literal, Name, Operator, String, Token
from pygments.util import ClassNotFound

LONGEST_CODE = 40_000
"""Characters; longer code stays uncoloured, so that it never holds the window up."""


class Ink(Enum):
    """What a stretch of code is, as far as it has a colour of its own."""

    KEYWORD = auto()
    TEXT = auto()
    NUMBER = auto()
    COMMENT = auto()
    NAME = auto()


class Stretch(NamedTuple):
    """Characters of one colour.

    Attributes:
        start: first character, counted from 0.
        length: how many.
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


def stretches(code: str, language: str) -> list[Stretch]:
    """The coloured parts of ``code``, in order; none for a language that nobody knows."""
    lexer = _lexer(language.casefold()) if language and len(code) <= LONGEST_CODE else None
    return [] if lexer is None else list(_coloured(lexer, code))


def _coloured(lexer: Lexer, code: str) -> Iterator[Stretch]:
    for start, kind, text in lexer.get_tokens_unprocessed(code):
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
