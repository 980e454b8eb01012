"""English reading: converts a text to Latin words and sentence punctuation.

The order of the rules matters: a composite of digits and signs is converted before its parts.
"""

import re
from typing import Final

from assistant.speech.text.english.abbreviations import (
    with_abbreviations_in_words,
    with_acronyms_spelled,
    with_roman_numerals_in_figures,
)
from assistant.speech.text.english.addresses import read_addresses, read_paths
from assistant.speech.text.english.amounts import with_amounts_in_words
from assistant.speech.text.english.dates import with_dates_in_words
from assistant.speech.text.english.romanisation import with_hangul_romanised
from assistant.speech.text.english.signs import with_names_in_words, with_operators_in_words, with_signs_in_words
from assistant.speech.text.english.units import with_units_in_words
from assistant.speech.text.punctuation import tidied

_QUOTES: Final = re.compile(r"[\"`]+|(?<![A-Za-z])'+|'+(?![A-Za-z])")
_PLURAL_QUOTE: Final = re.compile(r"(?<=s)'(?=\s[a-z])")
_PAUSES: Final = re.compile(r"[()\[\]{}:;|·]|\s[-–]{1,3}(?=\s)|–|(?<=\S)-{2,3}(?=\S)")
_LETTER_BEFORE_FIGURE: Final = re.compile(r"(?<=[A-Za-z])-(?=\d)")
_LOOSE_HYPHEN: Final = re.compile(r"(?<![A-Za-z])-+|-+(?![A-Za-z])")
_UNSPEAKABLE: Final = re.compile(r"[^A-Za-z' .,?!…-]+")
_PASSES: Final = 5
"""Maximum number of passes. A pass may separate text that the next one can read (0Dr. is zero Dr.). Most texts need one
pass and a second that confirms it."""
_SIGNIFICANT: Final = re.compile("[A-Za-z]")


def read_english(text: str) -> str:
    """Latin words for a text without markup; empty when nothing is speakable."""
    for _ in range(_PASSES):
        before, text = text, _read(text)
        if text == before:
            break
    return text


def _read(text: str) -> str:
    text = read_addresses(with_names_in_words(read_paths(text)))
    text = with_roman_numerals_in_figures(with_abbreviations_in_words(text))
    text = with_operators_in_words(with_units_in_words(with_dates_in_words(text)))
    text = with_amounts_in_words(_LETTER_BEFORE_FIGURE.sub(" ", text))
    text = with_hangul_romanised(with_signs_in_words(with_acronyms_spelled(text)))
    return _finished(text)


def _finished(text: str) -> str:
    text = _QUOTES.sub(" ", _PLURAL_QUOTE.sub("", text))
    text = _UNSPEAKABLE.sub(" ", _PAUSES.sub(", ", text))
    text = _LOOSE_HYPHEN.sub(" ", _QUOTES.sub(" ", text))
    return tidied(text) if _SIGNIFICANT.search(text) else ""
