"""What the lists of records share: the number of a row, its time, and shortened texts."""

_DIGITS = 18
"""Maximum digits of a number of a row; SQLite holds no longer ones."""


def row_number(text: str) -> int | None:
    """The number by which the user names a row; ``None`` if it cannot be one."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _DIGITS else None


def time_of(at: str) -> str:
    """Date and time to the second of an ISO 8601 time."""
    return at[:19].replace("T", " ")


def shortened(text: str, letters: int) -> str:
    """The text, cut to at most ``letters`` characters."""
    return text if len(text) <= letters else f"{text[: letters - 1]}…"
