"""Syllables of Hangul taken apart and put together."""

from dataclasses import dataclass
from typing import Final

ONSETS: Final = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
VOWELS: Final = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
CODAS: Final = ("", *"ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ")
_FIRST: Final = ord("가")


@dataclass(slots=True)
class Syllable:
    """One syllable as letters; ``onset`` is ㅇ where no consonant sounds, ``coda`` is empty where there is none."""

    onset: str
    vowel: str
    coda: str = ""

    def __str__(self) -> str:
        """The syllable as one character."""
        index = (ONSETS.index(self.onset) * len(VOWELS) + VOWELS.index(self.vowel)) * len(CODAS)
        return chr(_FIRST + index + CODAS.index(self.coda))


def is_syllable(letter: str) -> bool:
    """Whether a character is a whole syllable of Hangul."""
    return "가" <= letter <= "힣"


def syllable(letter: str) -> Syllable:
    """The letters of one syllable.

    Args:
        letter: a character for which ``is_syllable`` holds.
    """
    rest, coda = divmod(ord(letter) - _FIRST, len(CODAS))
    onset, vowel = divmod(rest, len(VOWELS))
    return Syllable(ONSETS[onset], VOWELS[vowel], CODAS[coda])
