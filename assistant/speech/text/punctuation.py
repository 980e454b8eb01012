"""The punctuation of what is spoken: one sign at a time, a space after it, none before."""

import re
from typing import Final

_RUN: Final = re.compile(r"\s*[.,?!…][\s.,?!…]*")
_STRENGTHS: Final = "?!…."
"""Of several signs together the first of these is kept, else a comma."""


def tidied(text: str) -> str:
    """``text`` with single spaces and single signs, beginning with a word, without a comma at its end."""
    plain = _RUN.sub(_one, " ".join(text.split()))
    return plain.lstrip(" .,?!…").rstrip(" ,")


def _one(found: re.Match[str]) -> str:
    run = found.group()
    if ".." in run:
        return "… "
    return next((sign for sign in _STRENGTHS if sign in run), ",") + " "
