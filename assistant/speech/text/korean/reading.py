"""Korean reading: converts a text to Hangul, spaces and sentence punctuation.

The order of the rules matters. A composite of digits and signs is converted before its parts: addresses, dates, units,
ranges, then numbers with their counters, then Latin words. The josa come last, when the word before each is known.
"""

import re
from typing import Final

from assistant.speech.text.korean.addresses import read_addresses
from assistant.speech.text.korean.amounts import with_amounts_in_words
from assistant.speech.text.korean.dates import with_dates_in_words
from assistant.speech.text.korean.digit_strings import read_digit_strings
from assistant.speech.text.korean.josa import agreeing, with_choices_made
from assistant.speech.text.korean.latin_words.latin import with_terms_read, with_words_read
from assistant.speech.text.korean.marks import AFTER_NUMBER, AFTER_WORD, TOPIC
from assistant.speech.text.korean.ranges import with_ranges_in_words
from assistant.speech.text.korean.signs import with_bounds_in_words, with_operators_in_words, with_signs_in_words
from assistant.speech.text.korean.units import with_units_in_words
from assistant.speech.text.punctuation import tidied

_MARKS: Final = AFTER_NUMBER + AFTER_WORD + TOPIC
_QUOTED_STOP: Final = re.compile(r"[.!?,]{1,3}[\"']{1,2}(?=[가-힣])")
"""The final stop of a quotation within a sentence."""
_QUOTES: Final = re.compile(r"[\"'`]+")
_SAME_IN_BRACKETS: Final = re.compile(rf"([가-힣]{{1,20}})[{_MARKS}]?\s?[(\[]\s?\1[{_MARKS}]?\s?[)\]]")
_EMPTY_BRACKETS: Final = re.compile(r"\s?[(\[{][^가-힣()\[\]{}]{0,40}[)\]}]")
_CLOSED_WORD: Final = re.compile(rf"(?<=[가-힣])[{_MARKS}]?[)\]}}]+(?=[가-힣])")
_BRACKETS: Final = re.compile(r"[()\[\]{}]")
_PAUSES: Final = re.compile(r"[:;·|/]|\s[-–]{1,3}(?=\s)|–|(?<=\S)-{2,3}(?=\S)")
_UNSPEAKABLE: Final = re.compile(rf"[^가-힣 .,?!…{_MARKS}]+")
_SIGNIFICANT: Final = re.compile("[가-힣]")


def read_korean(text: str) -> str:
    """Hangul for a text without markup; empty when nothing is speakable."""
    if not any("!" <= letter <= "~" or letter > "\x7f" for letter in text):
        return ""
    text = read_addresses(with_terms_read(with_bounds_in_words(text)))
    text = with_units_in_words(read_digit_strings(with_dates_in_words(text)))
    text = with_operators_in_words(with_ranges_in_words(text))
    text = with_signs_in_words(with_words_read(with_amounts_in_words(text)))
    return _finished(text)


def _finished(text: str) -> str:
    text = with_choices_made(_QUOTES.sub("", _QUOTED_STOP.sub("", text)))
    text = _SAME_IN_BRACKETS.sub(r"\1", text)
    text = _EMPTY_BRACKETS.sub("", text)
    text = _CLOSED_WORD.sub(AFTER_WORD, text)
    text = _PAUSES.sub(", ", _BRACKETS.sub(", ", text))
    text = agreeing(_UNSPEAKABLE.sub(" ", text))
    return tidied(_UNSPEAKABLE.sub(" ", text)) if _SIGNIFICANT.search(text) else ""
