"""Token counts as servers tell them. What cannot be one is not known: a wrong count must not cost a whole answer."""

from collections.abc import Mapping
from typing import Any


def counts_in(told: object) -> Mapping[str, Any]:
    """What a server tells of an answer's tokens, by name; nothing where that has another shape."""
    return told if isinstance(told, Mapping) else {}


def count_of(told: object) -> int | None:
    """A number of tokens; ``None`` for what is none.

    Args:
        told: a whole number of 0 or more, or a text that is one, as some servers between Sori and a model send.
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
