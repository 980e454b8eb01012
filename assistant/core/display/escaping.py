"""Text in which every character can be seen. Pure."""

import json
import unicodedata
from collections.abc import Mapping
from typing import Any

_WIDEST = 60
"""Characters up to which arguments stand on one line."""


def visible(text: str) -> str:
    """The text with every character that is not printable as a JSON escape; line breaks stay."""
    return "".join(each if each.isprintable() or each == "\n" else json.dumps(each)[1:-1] for each in text)


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
