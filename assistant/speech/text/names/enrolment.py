"""What a user's own way of saying a name adds to it: the spellings in which the recogniser hears it. Pure functions.

A recogniser that does not know a name writes it as other words, and often as the same ones for the same speaker. Such a
spelling becomes one more name of the agent, with the thresholds of its own length. Spellings that are found anyway add
nothing, and a spelling that is a common word would wake the agent by mistake.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from assistant.speech.text.names.calls import alike, called
from assistant.speech.text.names.common import confusable
from assistant.speech.text.names.sounds import distance, sounds, units

TAKES: Final = 3
"""How often the name is said."""
MOST_APART: Final = 0.6
"""Share of the sounds that may differ between a name and how it was heard. Unrelated words differ in more."""
_MORE_SYLLABLES: Final = 2
_LEAST_SYLLABLES: Final = 2
"""A spelling with fewer syllables is too short to be told from other words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrolled:
    """The result of an enrolment.

    Attributes:
        spellings: further spellings of the name.
        left_out: spellings that are common words or sound like another name.
    """

    spellings: tuple[str, ...]
    left_out: tuple[str, ...]


def resembles(phrase: str, text: str) -> bool:
    """Whether a transcript may be a recogniser's spelling of a wake phrase, and not other words."""
    said, heard = _said(phrase), _said(text)
    if not heard or len(heard) > len(said) + _MORE_SYLLABLES:
        return False
    return min(_apart(heard, each) for each in (said, said + "야", said + "아")) <= MOST_APART


def enrolled(phrase: str, heard: Iterable[str], others: Iterable[str] = ()) -> Enrolled:
    """The spellings that a name gains.

    Args:
        phrase: the wake phrase.
        heard: the transcripts of the name; each of them ``resembles`` it.
        others: the wake phrases of other agents.
    """
    taken = tuple(others)
    kept: list[str] = []
    left_out: list[str] = []
    for text in heard:
        spelling = " ".join("".join(letter if letter.isalnum() else " " for letter in text).split())
        if any(called(spelling, each) is not None for each in (phrase, *kept)) or spelling in left_out:
            continue
        short = len(_said(spelling)) < _LEAST_SYLLABLES
        mistaken = short or confusable(spelling) or any(alike(spelling, each) for each in taken)
        (left_out if mistaken else kept).append(spelling)
    return Enrolled(spellings=tuple(kept), left_out=tuple(left_out))


def _said(text: str) -> str:
    return "".join(each.said for each in units(text))


def _apart(one: str, other: str) -> float:
    first, second = sounds(one), sounds(other)
    return distance(first, second) / max(1, len(first), len(second))
