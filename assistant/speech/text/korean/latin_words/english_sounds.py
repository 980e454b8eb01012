"""Conversion of English phonemes to Hangul by the loanword orthography for English (외래어 표기법).

For a schwa the orthography follows the spelling, so the vowels are aligned with the letters.
"""

import re
from collections.abc import Sequence
from typing import Final

from assistant.speech.text.korean_sound.hangul import Syllable, is_syllable, syllable
from assistant.speech.text.vocabulary import listed

_ONSETS: Final = dict(
    zip(
        listed("P B T D K G F V TH DH S Z SH ZH HH CH JH M N L R"),
        "ㅍㅂㅌㄷㅋㄱㅍㅂㅅㄷㅅㅈㅅㅈㅎㅊㅈㅁㄴㄹㄹ",
        strict=True,
    )
)
_VOWELS: Final = {
    "IY": "ㅣ",
    "IH": "ㅣ",
    "EH": "ㅔ",
    "EY": "ㅔㅣ",
    "AE": "ㅐ",
    "AA": "ㅏ",
    "AO": "ㅗ",
    "OW": "ㅗ",
    "UH": "ㅜ",
    "UW": "ㅜ",
    "AH": "ㅓ",
    "ER": "ㅓ",
    "AY": "ㅏㅣ",
    "AW": "ㅏㅜ",
    "OY": "ㅗㅣ",
}
_SHORT: Final = frozenset({"AE", "AH", "EH", "IH", "UH", "AA"})
_CODAS: Final = {"P": "ㅂ", "T": "ㅅ", "K": "ㄱ"}
_NASALS: Final = {"M": "ㅁ", "N": "ㄴ", "NG": "ㅇ"}
_AFTER_Y: Final = dict(zip("ㅏㅐㅓㅔㅗㅜㅣ", "ㅑㅒㅕㅖㅛㅠㅣ", strict=True))
_AFTER_W: Final = dict(zip("ㅏㅐㅓㅔㅗㅜㅣ", "ㅘㅙㅝㅞㅝㅜㅟ", strict=True))
_ALONE: Final = {
    "SH": ("ㅅ", "ㅣ"),
    "ZH": ("ㅈ", "ㅣ"),
    "CH": ("ㅊ", "ㅣ"),
    "JH": ("ㅈ", "ㅣ"),
    "HH": ("ㅎ", "ㅡ"),
}
_NOT_AFTER_STOP: Final = frozenset({"L", "R", "M", "N"})
_LETTERS: Final = re.compile(r"(?:[aeio]|(?<!q)u|(?<!^)y)+")
_SILENT_E: Final = re.compile(r"(?<=[^aeiou])e(?=s?$)")
_LE: Final = re.compile(r"[^aeiou]le[sd]?$")
_LIQUID: Final = "L"
_AFFRICATES: Final = {("T", "S"): "츠", ("D", "Z"): "즈"}


def hangul_of(phonemes: Sequence[str], spelling: str) -> str:
    """A word in Hangul.

    Args:
        phonemes: ARPABET phonemes; vowels end in a stress digit.
        spelling: the word in lower case.
    """
    return _Writer(_sounds(phonemes, spelling)).written()


def _sounds(phonemes: Sequence[str], spelling: str) -> list[tuple[str, str]]:
    """Phonemes, each with the jamo of its vowel; consonants have an empty string."""
    letters = _LETTERS.findall(_SILENT_E.sub("", spelling))
    vowels = [sound for sound in phonemes if sound[-1].isdigit()]
    aligned = letters if len(letters) == len(vowels) else [""] * len(vowels)
    sounds: list[tuple[str, str]] = []
    count = 0
    for index, sound in enumerate(phonemes):
        if not sound[-1].isdigit():
            sounds.append((sound, ""))
            continue
        name = sound[:-1]
        is_final = index == len(phonemes) - 1
        rest = tuple(phonemes[index + 1 :])
        written = _vowel(name, sound[-1], aligned[count], is_first=index == 0, is_final=is_final, rest=rest)
        sounds.append((name, _before_le(written, sound, rest, spelling, index)))
        count += 1
    return sounds


def _before_le(written: str, sound: str, rest: tuple[str, ...], spelling: str, index: int) -> str:
    """Write final ``-le`` and its plural as 을 after its consonant: 애플."""
    is_last = rest in {("L",), ("L", "Z"), ("L", "D")}
    return "ㅡ" if index and sound == "AH0" and is_last and _LE.search(spelling) else written


def _vowel(name: str, stress: str, letters: str, *, is_first: bool, is_final: bool, rest: tuple[str, ...]) -> str:
    if name == "AA" and letters[:1] == "o":
        return "ㅗ"
    if name == "AH" and stress == "0":
        return _schwa(letters, is_first=is_first, is_final=is_final, rest=rest)
    return _VOWELS[name]


def _schwa(letters: str, *, is_first: bool, is_final: bool, rest: tuple[str, ...]) -> str:
    if letters in {"a", "ia"} and is_final:
        return "ㅏ"
    if letters in {"i", "y"}:
        return "ㅣ"
    if letters == "e" and rest[:1] in {("M",), ("L",)}:
        return "ㅔ"
    if letters == "o" and not is_first and rest[:1] not in {("N",), ("M",), ("R",)}:
        return "ㅗ"
    return "ㅓ"


class _Writer:
    """Writes phonemes as Hangul syllables in sequence."""

    def __init__(self, sounds: list[tuple[str, str]]) -> None:
        self._sounds = sounds
        self._text = ""
        self._onset: list[str] = []
        """Consonants without a vowel so far."""
        self._long = False
        """Whether the last vowel was 아우."""
        self._short = False
        """Whether the last syllable has a short vowel, after which a stop becomes its coda."""

    def written(self) -> str:
        """Write all phonemes and return the word."""
        for index, (sound, vowel) in enumerate(self._sounds):
            if vowel:
                self._put_vowel(sound, vowel, self._next(index))
            else:
                self._put_consonant(sound, index)
        return self._text

    def _next(self, index: int) -> str:
        return self._sounds[index + 1][0] if index + 1 < len(self._sounds) else ""

    def _vowel_follows(self, index: int) -> bool:
        return index + 1 < len(self._sounds) and bool(self._sounds[index + 1][1])

    def _put_vowel(self, name: str, letters: str, following: str) -> None:
        if name == "ER" and self._text[-1:] == "우" and not self._onset and self._long:
            self._text = self._text[:-1] + "워"  # flower is 플라워
            return
        self._long = name == "AW"
        self._write_vowel(name, letters, following)

    def _write_vowel(self, name: str, letters: str, following: str) -> None:
        glide = self._onset.pop() if self._onset and self._onset[-1] in {"Y", "W"} else ""
        consonant = self._onset.pop() if self._onset else ""
        onset = _ONSETS.get(consonant, "ㅇ")
        first = letters[0]
        if glide == "Y" and consonant in {"L", "N"} and first == "ㅓ":
            self._text += _written(onset, "ㅣ")  # million is 밀리언
            onset = "ㅇ"
        elif glide == "Y" or consonant == "SH":
            first = _AFTER_Y.get(first, first)
        elif glide == "W":
            first = _AFTER_W.get(first, first)
        self._text += _written(onset, first)
        if len(letters) > 1:
            self._text += _written("ㅇ", letters[1])
        self._short = name in _SHORT and following != "R"

    def _put_consonant(self, sound: str, index: int) -> None:
        following = self._next(index)
        if (sound, following) in _AFFRICATES and not self._vowel_follows(index + 1):
            return  # the following sibilant writes both
        if self._is_affricate(sound, index):
            self._text += _AFFRICATES[self._sounds[index - 1][0], sound]
            self._short = False
        elif sound in {"Y", "W"}:
            self._put_glide(sound, index)
        elif sound in _NASALS:
            self._put_nasal(sound, index)
        elif sound == _LIQUID:
            self._put_l(index)
        elif sound == "R":
            self._put_r(index)
        elif self._vowel_follows(index) or (following == "Y") or (following == "W" and sound in {"K", "G", "HH"}):
            self._onset.append(sound)
        else:
            self._close(sound, following)

    def _is_affricate(self, sound: str, index: int) -> bool:
        before = self._sounds[index - 1][0] if index else ""
        return (before, sound) in _AFFRICATES and not self._vowel_follows(index)

    def _put_glide(self, sound: str, index: int) -> None:
        if self._vowel_follows(index):
            self._onset.append(sound)

    def _put_nasal(self, sound: str, index: int) -> None:
        if self._vowel_follows(index) and sound != "NG":
            self._onset.append(sound)
        elif self._text and _is_open(self._text[-1]):
            self._text = self._text[:-1] + _closed(self._text[-1], _NASALS[sound])
        else:
            self._text += _written("ㅇ" if sound == "NG" else _ONSETS[sound], "ㅡ")
        if sound == "NG" and self._vowel_follows(index):
            self._short = False

    def _put_l(self, index: int) -> None:
        """Write l: doubled between vowels, a coda before a consonant and at the end."""
        if self._text and _is_open(self._text[-1]):
            self._text = self._text[:-1] + _closed(self._text[-1], "ㄹ")
        elif self._text and not self._vowel_follows(index):
            self._text += _written("ㄹ", "ㅡ")
        if self._vowel_follows(index) or self._next(index) == "Y":
            self._onset.append("L")

    def _put_r(self, index: int) -> None:
        """Write r: ㄹ before a vowel, 어 at a word's end after ㅗ, ㅔ, ㅣ and ㅜ, silent elsewhere."""
        if self._vowel_follows(index):
            self._onset.append("R")
        elif index and index == len(self._sounds) - 1 and self._sounds[index - 1][0] in {"AO", "EH", "IH", "UH", "OW"}:
            self._text += "어"

    def _close(self, sound: str, following: str) -> None:
        """Write a consonant without a following vowel."""
        open_ = bool(self._text) and _is_open(self._text[-1])
        if sound in _CODAS and self._short and open_ and following not in _NOT_AFTER_STOP and following != "W":
            self._text = self._text[:-1] + _closed(self._text[-1], _CODAS[sound])
        elif sound == "SH" and following:
            self._text += "슈"
        elif sound in _ALONE:
            self._text += _written(*_ALONE[sound])
        else:
            self._text += _written(_ONSETS[sound], "ㅡ")
        self._short = False


def _written(onset: str, vowel: str) -> str:
    return str(Syllable(onset, vowel))


def _is_open(last: str) -> bool:
    return is_syllable(last) and not syllable(last).coda


def _closed(last: str, coda: str) -> str:
    letters = syllable(last)
    return str(Syllable(letters.onset, letters.vowel, coda))
