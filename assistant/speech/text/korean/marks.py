"""Marks that the reading rules leave after converted text until the josa after it agree.

A rule returns Hangul with a mark at its end. ``josa.agreeing`` inspects the text after the mark. A josa takes the form
that fits the spoken word. Other text is separated from a number and joined to a word. Marks are private characters,
which ``characters`` removes from the input.
"""

from typing import Final

AFTER_NUMBER: Final = "\ue000"
AFTER_WORD: Final = "\ue001"
TOPIC: Final = "\ue002"
"""Stands for 은 or 는 where an equals sign is read."""


def number(reading: str) -> str:
    """A number in words, with a space before it and a mark after it."""
    return f" {reading}{AFTER_NUMBER}"


def word(reading: str) -> str:
    """A word that a rule has read, with a mark after it."""
    return f"{reading}{AFTER_WORD}"
