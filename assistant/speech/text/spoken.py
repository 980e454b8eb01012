"""From written text to text that can be spoken (V-14).

A sentence, as ``sentences`` cuts it, loses its markup, and what is left is read as a person reads it in the language
of the sentence. A Korean voice is given Hangul alone, an English voice Latin words alone, each with the punctuation of
sentences; no voice meets a figure, a sign or a letter that it would have to guess at.
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
    """What a person reading ``text`` aloud would say; empty when there is nothing to say.

    Code blocks are left out, inline code is read as words, a link is read as its text and a bare address as its host,
    citation numbers are left out, rows of a table are read cell by cell.

    Args:
        text: Markdown, of any length.
        language: ``ko`` or ``en``; any other is read as English.

    Returns:
        For ``ko`` syllables of Hangul, otherwise Latin letters with hyphens and apostrophes in words; besides them
        spaces and ``. , ? ! …``. Speaking the result again changes nothing.
    """
    read = read_korean if language == "ko" else read_english
    plain = plain_text(without_latex(plain_characters(text)))
    return tidied(" ".join(read(piece) for piece in pieces(plain)))


def spoken_language(text: str, default: str) -> str:
    """The language that ``text`` is to be spoken in, by its words and not by its markup; see ``language_of``."""
    return language_of(plain_text(plain_characters(text)), default)


def has_words(text: str) -> bool:
    """Whether anything in ``text`` is worth giving to a voice: a letter or a figure outside of markup and code."""
    return any(letter.isalnum() for letter in plain_text(plain_characters(text)))


def written_up_to(text: str, language: str, fraction: float) -> str:
    """The beginning of ``text`` that was heard when ``fraction`` of its spoken form was, in whole words.

    Time is taken to be even over the letters of the spoken form, which is right to about a word.
    """
    if fraction >= 1:
        return text
    ends = [space.start() for space in re.finditer(r"(?<=\S)\s", text)]
    reached = fraction * len(spoken_text(text, language))
    count = bisect_right(ends, reached, key=lambda end: len(spoken_text(text[:end], language)))
    return text[: ends[count - 1]] if count else ""
