"""Text in which every character can be seen. Pure."""

import json
import unicodedata
from collections.abc import Mapping
from typing import Any

_WIDEST = 60
"""Characters up to which arguments stand on one line."""


_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U0001d159")
"""Invisible characters that Unicode counts as letters, marks or symbols."""
_VARIATION_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))


def visible(text: str, *, one_line: bool = False) -> str:
    """The text with JSON escapes instead of characters that cannot be seen or that change the direction of others.

    Letters of every script stay readable, also of those that are written from right to left.

    Args:
        text: the text.
        one_line: whether line breaks are escaped too.
    """
    kept = "" if one_line else "\n"
    return "".join(each if is_visible(each) or each in kept else json.dumps(each)[1:-1] for each in text)


def is_visible(letter: str) -> bool:
    """Whether a character can be seen, and changes nothing but its own place."""
    if not letter.isprintable() or letter in _INVISIBLE:
        return False
    return not any(ord(letter) in each for each in _VARIATION_SELECTORS)


def harmless(text: str) -> str:
    """The text without control characters, with which it could control a terminal; line breaks and tabs stay."""
    return "".join(each for each in text if each in "\n\t" or unicodedata.category(each) != "Cc")


def visible_arguments(arguments: Mapping[str, Any], *, one_line: bool = False) -> str:
    """The exact arguments of a call as JSON, without characters that cannot be seen or that change the order of others.

    Args:
        arguments: the arguments.
        one_line: whether short arguments stand on one line.
    """
    short = visible(json.dumps(arguments, ensure_ascii=False))
    if one_line and len(short) <= _WIDEST:
        return short
    return visible(json.dumps(arguments, ensure_ascii=False, indent=2))
