"""Texts as sequences of sounds, and the distance between two of them. Pure functions.

Sounds are jamo of the standard pronunciation. Latin words have the sounds of their Korean reading, so 자비스 and
"Jarvis" have the same sounds. A recogniser often writes a name in the other script.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Final

from assistant.speech.text.korean.latin_words.loanwords import hangul_word
from assistant.speech.text.korean_sound.hangul import is_syllable, syllable
from assistant.speech.text.korean_sound.pronunciation import pronounced

_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")
_PART: Final = re.compile(r"[가-힣]|[A-Za-z'’]+|\d")
_DIGITS: Final = "영일이삼사오육칠팔구"
_LONGEST_INITIALS: Final = 3
_SILENT: Final = "ㅇ"
_SAME: Final = {"ㅐ": "ㅔ", "ㅒ": "ㅖ", "ㅙ": "ㅞ", "ㅚ": "ㅞ"}
"""Vowels that most speakers do not distinguish."""
_ALIKE: Final = frozenset(
    frozenset(pair)
    for pair in chain(
        ("ㄱㄲ", "ㄱㅋ", "ㄲㅋ", "ㄷㄸ", "ㄷㅌ", "ㄸㅌ", "ㅂㅃ", "ㅂㅍ", "ㅃㅍ", "ㅈㅉ", "ㅈㅊ", "ㅉㅊ", "ㅅㅆ"),
        ("ㅓㅗ", "ㅡㅜ", "ㅡㅓ", "ㅔㅖ", "ㅏㅑ", "ㅓㅕ", "ㅗㅛ", "ㅜㅠ", "ㄴㅇ", "ㄴㅁ", "ㅁㅇ"),
    )
)
"""Pairs that a recogniser confuses in a name that it does not know. They count half."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A Hangul syllable, a Latin word or a digit of a text.

    Attributes:
        said: how it is read, in Hangul.
        start: its first character in the text.
        end: the character after its last one.
        starts_word: whether it is at the start of a word.
        word_end: where its word ends in the text.
    """

    said: str
    start: int
    end: int
    starts_word: bool
    word_end: int


def units(text: str) -> tuple[Unit, ...]:
    """The readable parts of a text, in order; signs and other scripts are left out."""
    return tuple(_units(text))


def _units(text: str) -> Iterator[Unit]:
    for word in _WORD.finditer(text):
        for part in _PART.finditer(text, word.start(), word.end()):
            if said := _said(part.group()):
                yield Unit(said, part.start(), part.end(), part.start() == word.start(), word.end())


def _said(part: str) -> str:
    if is_syllable(part):
        return part
    return _DIGITS[int(part)] if part.isdigit() else _latin(part.replace("'", "").replace("’", ""))


@lru_cache(maxsize=512)
def _latin(word: str) -> str:
    if not word:
        return ""
    # Longer capitals are a word that the recogniser does not know; they are not spelled.
    read = hangul_word(word.lower() if len(word) > _LONGEST_INITIALS else word)
    return "".join(filter(is_syllable, read))


@lru_cache(maxsize=4096)
def sounds(said: str) -> tuple[str, ...]:
    """The sounds of a text in Hangul, as it is pronounced without a pause. Silent onsets are left out."""
    found: list[str] = []
    for letter in filter(is_syllable, pronounced(said)):
        each = syllable(letter)
        found += [] if each.onset == _SILENT else [each.onset]
        found.append(_SAME.get(each.vowel, each.vowel))
        found += [each.coda] if each.coda else []
    return tuple(found)


def sounds_of(text: str) -> tuple[str, ...]:
    """The sounds of a text in either script, so that 민지 and Minji are alike."""
    return sounds("".join(unit.said for unit in units(text)))


def distance(one: Sequence[str], other: Sequence[str]) -> float:
    """The number of edits (Levenshtein) from one sequence of sounds to the other; similar sounds count half an edit."""
    row = [float(count) for count in range(len(other) + 1)]
    for index, sound in enumerate(one, start=1):
        before, row[0] = row[0], float(index)
        for column, wanted in enumerate(other, start=1):
            changed = before + _cost(sound, wanted)
            before, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, changed)
    return row[-1]


def distance_within(part: Sequence[str], whole: Sequence[str]) -> float:
    """The number of edits from ``part`` to the stretch of ``whole`` that resembles it most; counted as ``distance``."""
    row = [float(count) for count in range(len(part) + 1)]
    nearest = row[-1]
    for sound in whole:
        before = row[0]
        for column, wanted in enumerate(part, start=1):
            changed = before + _cost(sound, wanted)
            before, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, changed)
        nearest = min(nearest, row[-1])
    return nearest


def _cost(one: str, other: str) -> float:
    if one == other:
        return 0.0
    return 0.5 if frozenset((one, other)) in _ALIKE else 1.0
