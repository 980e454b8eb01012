"""The choice between the languages that a Whisper model can detect. Pure functions."""

from collections.abc import Mapping
from typing import Final

from assistant.core.audio import to_samples

LANGUAGES: Final = ("ko", "en")
"""Candidates for language detection when no language is given."""
LIKELY_ODDS: Final = 8.0
"""Odds of the likely language before the sound is heard.

Whisper base often takes single Korean words for English. ``benchmarks/voice/spoken_language.py`` measures the errors in
a conversation in one language, and after a change of the language.
"""
TELLING_S: Final = 3.0
"""Sound of at least this length shows its language without the odds: none of 76 pieces of 3.2 s was misjudged."""


def most_probable(probabilities: Mapping[str, float], likely: str | None) -> str:
    """The most probable language, given the odds of the likely one.

    Args:
        probabilities: the model's probability of each language.
        likely: the language that the user probably speaks; ``None`` if nothing is known.
    """
    return max(probabilities, key=lambda each: probabilities[each] * (LIKELY_ODDS if each == likely else 1.0))


def doubtful(samples: int, likely: str | None) -> str | None:
    """The likely language, if this number of samples at 16 kHz is too short to show its language."""
    return likely if samples < to_samples(TELLING_S) else None
