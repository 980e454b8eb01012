"""Finds words in texts while they are typed: by letters, in Korean also by initial consonants and unfinished syllables.

"ㅁㅅㄹ" and "목솔" find 목소리: the one is its initial consonants, the other is how an input method shows it while its
third syllable is being typed.
"""

import re
import unicodedata
from functools import cache

from assistant.core.hangul import FINALS, FIRST, LAST

_INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_FINALS = " ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"
"""Final consonants in Unicode's order; the first syllable of each row has none."""
_PER_INITIAL = (LAST - FIRST + 1) // len(_INITIALS)


def is_found(query: str, text: str) -> bool:
    """Whether each word of ``query`` occurs in ``text``, wherever spaces stand in it. An empty query is in any text."""
    return is_in_plain(query, plain_text(text))


def is_in_plain(query: str, plain: str) -> bool:
    """As ``is_found``, in a text of the form that is compared, for those who search the same texts many times."""
    return all(each.search(plain) for each in _patterns(query))


def plain_text(text: str) -> str:
    """A text in the form that is compared: composed, in lower case, without spaces."""
    return re.sub(r"[\s_]+", "", unicodedata.normalize("NFC", text).casefold())


@cache
def _patterns(query: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(_pattern(plain_text(word))) for word in query.split())


def _pattern(word: str) -> str:
    return "".join(map(_letter, word[:-1])) + _last(word[-1:])


def _letter(letter: str) -> str:
    """The letter itself; for a consonant, also each syllable that begins with it."""
    return _beginning_with(letter) if letter in _INITIALS else re.escape(letter)


def _last(letter: str) -> str:
    """The last letter, whose syllable may be unfinished, or have a consonant of the next one."""
    if letter and FIRST <= ord(letter) <= LAST:
        final = (ord(letter) - FIRST) % FINALS
        opened = chr(ord(letter) - final)
        if not final:
            return f"[{letter}-{chr(ord(letter) + FINALS - 1)}]"
        if _FINALS[final] in _INITIALS:
            return f"(?:{letter}|{opened}{_beginning_with(_FINALS[final])})"
    return _letter(letter) if letter else ""


def _beginning_with(consonant: str) -> str:
    first = FIRST + _INITIALS.index(consonant) * _PER_INITIAL
    return f"[{consonant}{chr(first)}-{chr(first + _PER_INITIAL - 1)}]"
