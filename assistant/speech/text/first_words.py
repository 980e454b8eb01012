"""The first words of a sentence, for voices that need long to synthesise a whole one (V-13)."""

import re
from typing import Final

from assistant.speech.text.language import is_hangul
from assistant.speech.text.sentences import HANGUL_WEIGHT

LEAST_WEIGHT: Final = 15
"""About 0.8 s of speech, in the weight of ``sentences``. Its playback leaves enough time to synthesise the next
piece."""
MOST_WEIGHT: Final = 45
"""About 2.5 s of speech. A shorter sentence is not cut."""
_BREAKS: Final = (
    re.compile(r"[,;:、，] "),
    # Korean phrase boundaries: after a topic, a place, a time or a connective.
    re.compile(r"(?<=[은는서면고데만엔지터에로]) "),
    re.compile(r" (?=(?:and|but|because|so|which|while|that|with|for|in|on|at|to|from|is|are|will)\b)"),
    re.compile(r" "),
)
"""Positions where a sentence may be cut, best first."""


def first_words(sentence: str) -> tuple[str, str]:
    """Cut a sentence at an early pause into two parts. A short sentence stays whole; its second part is empty."""
    if _weight(sentence) <= MOST_WEIGHT:
        return sentence, ""
    for place in _BREAKS:
        for found in place.finditer(sentence):
            weight = _weight(sentence[: found.start()])
            if weight > MOST_WEIGHT:
                break
            if weight >= LEAST_WEIGHT:
                return sentence[: found.end()].strip(), sentence[found.end() :].strip()
    return sentence, ""


def _weight(text: str) -> int:
    return sum(HANGUL_WEIGHT if is_hangul(letter) else 1 for letter in text if letter.isalnum())
