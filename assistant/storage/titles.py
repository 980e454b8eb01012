"""Titles of conversations that are made from their messages."""

TITLE_LENGTH = 60
"""Longest title made from a message, in characters."""


def title_of(text: str) -> str:
    """The first line of a message as a title, without leading Markdown marks, cut at ``TITLE_LENGTH``."""
    lines = (" ".join(line.split()).lstrip("#>*- ") for line in text.splitlines())
    first = next((line for line in lines if line), "")
    return first if len(first) <= TITLE_LENGTH else f"{first[: TITLE_LENGTH - 1].rstrip()}…"
