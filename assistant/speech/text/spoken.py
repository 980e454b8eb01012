"""Conversion of written text to spoken text (V-14).

Each sentence from ``sentences`` loses its markup. The rest is written as a person reads it in the sentence's language.
A Korean voice gets only Hangul and an English voice only Latin words, each with sentence punctuation. No digit, sign or
letter is left for a voice to guess.
"""

import re
from bisect import bisect_right

from assistant.speech.text.characters import plain_characters
from assistant.speech.text.english.reading import read_english
from assistant.speech.text.korean.reading import read_korean
from assistant.speech.text.language import language_of
from assistant.speech.text.latex import without_latex
from assistant.speech.text.markup import plain_text
from assistant.speech.text.pieces import pieces
from assistant.speech.text.punctuation import tidied


def spoken_text(text: str, language: str) -> str:
    """Return what a person says when reading ``text`` aloud; empty when nothing is speakable.

    Code blocks and citation numbers are dropped, inline code is read as words, a link as its text, a bare address as
    its host, and a table row by row, cell by cell.

    Args:
        text: Markdown of any length.
        language: ``ko`` or ``en``; any other value is read as English.

    Returns:
        Hangul syllables for ``ko``, otherwise Latin letters with hyphens and apostrophes within words; in both cases
        also spaces and ``. , ? ! …``. The conversion is idempotent.
    """
    read = read_korean if language == "ko" else read_english
    plain = plain_text(without_latex(plain_characters(text)))
    return tidied(" ".join(read(piece) for piece in pieces(plain)))


def spoken_language(text: str, default: str) -> str:
    """The language in which ``text`` is spoken, judged without its markup; see ``language_of``."""
    return language_of(plain_text(plain_characters(text)), default)


def has_words(text: str) -> bool:
    """Whether ``text`` contains speakable content: a letter or a digit outside of markup and code."""
    return any(letter.isalnum() for letter in plain_text(plain_characters(text)))


def written_up_to(text: str, language: str, fraction: float) -> str:
    """The beginning of ``text``, in whole words, that was heard when ``fraction`` of its spoken form was played.

    Playing time is assumed to be proportional to the letters of the spoken form, which is accurate to about a word.
    """
    if fraction >= 1:
        return text
    ends = [space.start() for space in re.finditer(r"(?<=\S)\s", text)]
    reached = fraction * len(spoken_text(text, language))
    count = bisect_right(ends, reached, key=lambda end: len(spoken_text(text[:end], language)))
    return text[: ends[count - 1]] if count else ""
