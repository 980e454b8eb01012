"""Reads token counts of servers. A malformed count becomes unknown, so that it does not cost the whole answer."""

from collections.abc import Mapping
from typing import Any


def counts_in(told: object) -> Mapping[str, Any]:
    """The server's token counts by name, or an empty mapping if they have another shape."""
    return told if isinstance(told, Mapping) else {}


def count_of(told: object) -> int | None:
    """A number of tokens, or ``None`` if the value is not one.

    Args:
        told: a whole number of 0 or more, or its decimal text, as some proxies send it.
    """
    match told:
        case bool():
            return None
        case int() if told >= 0:
            return told
        case float() if told >= 0 and told.is_integer():
            return int(told)
        case str() if told.isascii() and told.isdigit():
            return int(told)
        case _:
            return None
