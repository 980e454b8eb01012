"""Marks that rules leave behind what they have read, until the particles after it are made to agree.

A rule hands on Hangul with a mark at its end. ``josa.agreeing`` looks at what follows the mark: a particle takes the
form that fits the word as it is spoken, anything else is set off from a number and joined to a word. Marks are
private characters, which ``characters`` keeps out of the text.
"""

from typing import Final

AFTER_NUMBER: Final = "\ue000"
AFTER_WORD: Final = "\ue001"
TOPIC: Final = "\ue002"
"""Stands for 은 or 는 where an equals sign is read."""


def number(reading: str) -> str:
    """A number that was read; what comes before it is set off."""
    return f" {reading}{AFTER_NUMBER}"


def word(reading: str) -> str:
    """A word that was read."""
    return f"{reading}{AFTER_WORD}"
