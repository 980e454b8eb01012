"""Conversion of romanised Korean (Gyeongbokgung, Haneul) back to Hangul."""

import re
from typing import Final

from assistant.speech.text.korean_sound.hangul import Syllable
from assistant.speech.text.vocabulary import listed

_ONSETS: Final = dict(
    zip(
        listed("kk tt pp ss jj ch g n d r l m b s j k t p h"),
        "ㄲㄸㅃㅆㅉㅊㄱㄴㄷㄹㄹㅁㅂㅅㅈㅋㅌㅍㅎ",
        strict=True,
    )
)
_VOWELS: Final = dict(
    zip(
        listed("yeo yae wae eo eu ae ya ye yo yu wa wo we wi ui oe a o u i e"),
        "ㅕㅒㅙㅓㅡㅐㅑㅖㅛㅠㅘㅝㅞㅟㅢㅚㅏㅗㅜㅣㅔ",
        strict=True,
    )
)
_CODAS: Final = dict(zip(["ng", "k", "n", "t", "l", "m", "p"], "ㅇㄱㄴㅅㄹㅁㅂ", strict=True))
_SYLLABLE: Final = re.compile(rf"({'|'.join(_ONSETS)})?({'|'.join(_VOWELS)})((?:{'|'.join(_CODAS)})(?![aeiouwy]))?")
_TELLS: Final = re.compile("eo|eu|yae|wae")
"""Vowel spellings that rarely occur in other languages."""


def from_romanised(word: str) -> str:
    """Hangul of a lower-case word in the Revised Romanization; empty when the word does not look romanised."""
    if not _TELLS.search(word):
        return ""
    text, at = "", 0
    while at < len(word):
        found = _SYLLABLE.match(word, at)
        if found is None:
            return ""
        onset, vowel, coda = found.groups()
        text += str(Syllable(_ONSETS.get(onset, "ㅇ"), _VOWELS[vowel], _CODAS.get(coda, "")))
        at = found.end()
    return text
