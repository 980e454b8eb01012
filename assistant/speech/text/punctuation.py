"""Punctuation of spoken text: one sign at a time, with a space after it and none before it."""

import re
from typing import Final

_RUN: Final = re.compile(r"\s*[.,?!…][\s.,?!…]*")
_STRENGTHS: Final = "?!…."
"""Of several adjacent signs the first in this order is kept; otherwise a comma."""


def tidied(text: str) -> str:
    """``text`` with single spaces and single signs. It begins with a word and does not end with a comma."""
    plain = _RUN.sub(_one, " ".join(text.split()))
    return plain.lstrip(" .,?!…").rstrip(" ,")


def _one(found: re.Match[str]) -> str:
    run = found.group()
    if ".." in run:
        return "… "
    return next((sign for sign in _STRENGTHS if sign in run), ",") + " "
