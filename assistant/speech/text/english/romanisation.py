"""Hangul in Latin letters for an English voice: the Revised Romanization with the common sound changes."""

import re
from typing import Final

from assistant.speech.text.vocabulary import listed

_ONSETS: Final = [sound.strip("0") for sound in listed("g kk n d tt r m b pp s ss 0 j jj ch k t p h")]
_VOWELS: Final = listed("a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i")
_CODAS: Final = [sound.strip("0") for sound in listed("0 k k k n n n t l k m l l l p l m p p t t ng t t k t p t")]
_CARRIED: Final = [
    sound.strip("0") for sound in listed("0 g kk ks n nj n d r lg lm lb ls lt lp r m b ps s ss ng j ch k t p 0")
]
"""Romanised codas that move to a following syllable without an onset."""
_NASAL: Final = {"k": "ng", "t": "n", "p": "m"}
"""Nasalised stops, before n or m."""
_VOWEL_COUNT: Final = 21
_CODA_COUNT: Final = 28
_FIRST: Final = ord("가")
_SILENT: Final = 11
_NASAL_ONSETS: Final = frozenset({2, 6})
_RIEUL_ONSET: Final = 5
_RING: Final = 21
_HANGUL: Final = re.compile("[가-힣]+")
_LETTERS: Final = re.compile("[ㄱ-ㆎ]+")


def with_hangul_romanised(text: str) -> str:
    """``text`` with Hangul syllables romanised; single jamo are dropped."""
    return _HANGUL.sub(lambda found: f" {romanised(found.group())} ", _LETTERS.sub(" ", text))


def romanised(hangul: str) -> str:
    """Romanise Hangul syllables: 한국어 is hangugeo."""
    text = ""
    before = 0
    syllables = [_parts(letter) for letter in hangul]
    for (onset, vowel, coda), (following, _, _) in zip(syllables, [*syllables[1:], (-1, 0, 0)], strict=True):
        is_carried = onset == _SILENT and before not in {0, _RING} and text != ""
        start = "l" if onset == _RIEUL_ONSET and text.endswith("l") else _ONSETS[onset]
        text += ("" if is_carried else start) + _VOWELS[vowel] + _coda(coda, following)
        before = coda
    return text


def _parts(letter: str) -> tuple[int, int, int]:
    rest, coda = divmod(ord(letter) - _FIRST, _CODA_COUNT)
    onset, vowel = divmod(rest, _VOWEL_COUNT)
    return onset, vowel, coda


def _coda(coda: int, following: int) -> str:
    if following == _SILENT and coda != _RING:
        return _CARRIED[coda]
    plain = _CODAS[coda]
    return _NASAL.get(plain, plain) if following in _NASAL_ONSETS else plain
