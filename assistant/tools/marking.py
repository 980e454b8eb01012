"""Marks content from outside in what a model is sent, so that the model can tell it from instructions (X-08)."""

import re

from assistant.core.texts import Texts

_MARK = re.compile(r"<(?=\s*/?\s*outside\b)", re.IGNORECASE)


def marked(text: str, texts: Texts) -> str:
    """The text between marks, after one line that calls it data. Marks in the text itself lose their effect."""
    return texts("tools.outside", content=_MARK.sub("‹", text))
