"""The first words of a sentence, for voices that need long to synthesise a whole one (V-13)."""

import re
from typing import Final

from assistant.speech.text.phrases import ENGLISH_BEGIN, KOREAN_END, is_within_verb
from assistant.speech.text.sentences import weight_of

LEAST_WEIGHT: Final = 15
"""About 0.8 s of speech, in the weight of ``sentences``. Its playback leaves enough time to synthesise the next
piece."""
MOST_WEIGHT: Final = 45
"""About 2.5 s of speech. A shorter sentence is not cut."""
_BREAKS: Final = (re.compile(r"[,;:、，] "), KOREAN_END, ENGLISH_BEGIN, re.compile(r" "))
"""Positions where a sentence may be cut, best first."""


def growing_parts(sentence: str) -> list[str]:
    """Cut a sentence at pauses into parts that grow, so that each is synthesised while the one before it plays.

    A short sentence stays whole. Each part may be twice as long as the one before it.
    """
    parts: list[str] = []
    least, most, rest = LEAST_WEIGHT, MOST_WEIGHT, sentence
    while rest:
        part, rest = _cut(rest, least, most)
        parts.append(part)
        least, most = 2 * least, 2 * most
    return parts


def _cut(text: str, least: int, most: int) -> tuple[str, str]:
    """Cut a text in two at an early pause. A text of at most the weight ``most`` stays whole."""
    if weight_of(text) <= most:
        return text, ""
    for place in _BREAKS:
        for found in place.finditer(text):
            weight = weight_of(text[: found.start()])
            if weight > most:
                break
            if weight >= least and not is_within_verb(text, found.start(), final=True):
                return text[: found.end()].strip(), text[found.end() :].strip()
    return text, ""
