"""Which enrolments decide about a name that the recogniser did not write, or wrote for other words (V-06). Pure.

The rules stand in one table. ``docs/decisions/spoken-names.md`` says how they were found.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from assistant.speech.text.korean_sound.hangul import has_syllables
from assistant.speech.text.names.likelihood import POSSIBLE


class Enroller(StrEnum):
    """Who has enrolled a name: the user, or Sori with its own voices."""

    USER = "user"
    SORI = "sori"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRule:
    """What an enrolment needs, so that a name counts as called.

    Attributes:
        least: log probability of the name from which its enrolment decides.
        farthest: greatest distance of the sound from the enrolled words, beside the limit of the enrolment itself.
        nearer: how much nearer the enrolled words of another name may be.
        any_language: whether it also decides about an onset that is read in the other language than the name's.
        doubtful: log probability below which the sound is asked too, although the name was found without it.
        unlike: distance of the sound from which such a name is not called.
    """

    least: float
    farthest: float = math.inf
    nearer: float = math.inf
    any_language: bool = True
    doubtful: float = -math.inf
    unlike: float = math.inf


RULES: Final[Mapping[Enroller, EvidenceRule]] = {
    Enroller.USER: EvidenceRule(least=POSSIBLE),
    # Read in Korean, "Alexa" resembles the "Felix" of Sori's voices.
    Enroller.SORI: EvidenceRule(
        least=POSSIBLE, farthest=0.14, nearer=0.0, any_language=False, doubtful=-6.0, unlike=0.20
    ),
}


def language_of_phrase(phrase: str) -> str:
    """The language of a wake phrase by its script: ``ko`` or ``en``."""
    return "ko" if has_syllables(phrase) else "en"


def applies(enroller: Enroller, phrase: str, read_in: str) -> bool:
    """Whether an enrolment of ``phrase`` counts for an onset that is read in a language."""
    return RULES[enroller].any_language or language_of_phrase(phrase) == read_in


def undecided(enroller: Enroller, fit: float) -> bool:
    """Whether the enrolled words decide about a name that fits so well, and that was not found without them."""
    return fit >= RULES[enroller].least


def near_enough(enroller: Enroller, distance: float, others: float) -> bool:
    """Whether an onset is near enough to the enrolled words of a name.

    Args:
        enroller: who enrolled the name.
        distance: how far the onset is from the name's words.
        others: how far it is from the nearest words of other names.
    """
    rule = RULES[enroller]
    return distance <= min(rule.farthest, others + rule.nearer)


def doubtful(enroller: Enroller, fit: float) -> bool:
    """Whether the enrolled words are asked about a name that was found without them and fits so well."""
    return fit < RULES[enroller].doubtful


def unlike(enroller: Enroller, distance: float) -> bool:
    """Whether an onset is so far from the enrolled words of a doubtful name that the name is not called."""
    return distance > RULES[enroller].unlike
