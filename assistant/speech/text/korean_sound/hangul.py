"""Decomposition and composition of Hangul syllables."""

from dataclasses import dataclass
from typing import Final

ONSETS: Final = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
VOWELS: Final = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
CODAS: Final = ("", *"ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ")
_FIRST: Final = ord("가")


@dataclass(slots=True)
class Syllable:
    """One syllable as jamo. ``onset`` is ㅇ when no consonant sounds; ``coda`` is empty when there is none."""

    onset: str
    vowel: str
    coda: str = ""

    def __str__(self) -> str:
        """The syllable as one character."""
        index = (ONSETS.index(self.onset) * len(VOWELS) + VOWELS.index(self.vowel)) * len(CODAS)
        return chr(_FIRST + index + CODAS.index(self.coda))


def is_syllable(letter: str) -> bool:
    """Whether a character is a complete Hangul syllable."""
    return "가" <= letter <= "힣"


def has_syllables(text: str) -> bool:
    """Whether a text has a Korean syllable."""
    return any(map(is_syllable, text))


def syllable(letter: str) -> Syllable:
    """Decompose one syllable into its jamo.

    Args:
        letter: a character for which ``is_syllable`` is true.
    """
    rest, coda = divmod(ord(letter) - _FIRST, len(CODAS))
    onset, vowel = divmod(rest, len(VOWELS))
    return Syllable(ONSETS[onset], VOWELS[vowel], CODAS[coda])
