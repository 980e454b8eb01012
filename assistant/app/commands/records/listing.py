"""The number by which the user names a row of a list of records."""

_DIGITS = 18
"""Maximum digits of a number of a row; SQLite holds no longer ones."""


def row_number(text: str) -> int | None:
    """The number by which the user names a row; ``None`` if it cannot be one."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _DIGITS else None
