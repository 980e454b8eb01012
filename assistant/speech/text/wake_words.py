"""Detection of a wake word at the beginning of a transcript in its Korean and English spellings. Pure functions.

Spellings are compared by approximate sound: Hangul is romanised, and doubled letters and silent vowels are dropped.
알렉사, 엘렉사 and "Alexa" then nearly coincide.
"""

import re
import unicodedata
from typing import Final

from assistant.speech.text.names.calls import past_marks

ALIKE: Final = 0.34
"""Maximum edit distance, per letter of the wake word. 렉사 and 탈렉스 are within it for Alexa, 알겠어 is not."""
_WORD: Final = re.compile(r"\S+\s*")
_MOST_WORDS: Final = 4
_INITIALS: Final = ("k", "k", "n", "t", "t", "l", "m", "p", "p", "s", "s", "", "j", "j", "j", "k", "t", "p", "h")
_VOWELS: Final = (
    "a", "e", "ia", "ie", "o", "e", "io", "ie", "o", "oa", "oe", "oe", "io", "u", "uo", "ue", "ui", "iu", "", "i", "i",
)  # fmt: skip
_FINALS: Final = (
    "", "k", "k", "ks", "n", "n", "n", "t", "l", "lk", "lm", "l", "l", "l", "l", "l", "m", "p", "p", "s", "s", "ng",
    "t", "t", "k", "t", "p", "t",
)  # fmt: skip
_SPELLINGS: Final = (("ph", "p"), ("x", "ks"), ("c", "k"), ("q", "k"), ("g", "k"), ("d", "t"), ("b", "p"), ("v", "p"),
                     ("f", "p"), ("r", "l"), ("y", "i"), ("z", "j"), ("w", "u"))  # fmt: skip


def without_wake_word(text: str, word: str) -> str | None:
    """The text after the wake word at the beginning of a transcript.

    Args:
        text: a transcript.
        word: name of the wake word, such as ``hey_jarvis``.

    Returns:
        The rest, possibly empty, or ``None`` when the text does not begin with the wake word.
    """
    wanted = _sound(word)
    words = _WORD.findall(text)
    beginnings = range(1, min(_MOST_WORDS, len(words)) + 1)
    candidates = ((_edits(_sound("".join(words[:count])), wanted), count) for count in beginnings)
    edits, count = min(candidates, default=(len(wanted), 0))
    rest = "".join(words[count:])
    return rest[past_marks(rest, 0) :].strip() if edits <= ALIKE * len(wanted) else None


def holds_wake_word(text: str, word: str) -> bool:
    """Whether a transcript holds the wake word anywhere.

    Args:
        text: a transcript.
        word: name of the wake word, such as ``hey_jarvis``.
    """
    words = _WORD.findall(text)
    return any(without_wake_word("".join(words[first:]), word) is not None for first in range(len(words)))


def _sound(text: str) -> str:
    letters = unicodedata.normalize("NFC", text).lower()
    plain = "".join(_latin(letter) for letter in letters)
    for spelling, sound in _SPELLINGS:
        plain = plain.replace(spelling, sound)
    return re.sub(r"(.)\1+", r"\1", plain)


def _latin(letter: str) -> str:
    if "가" <= letter <= "힣":
        index = ord(letter) - ord("가")
        return _INITIALS[index // 588] + _VOWELS[index // 28 % 21] + _FINALS[index % 28]
    return letter if letter.isascii() and letter.isalpha() else ""


def _edits(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for index, letter in enumerate(one, start=1):
        before, row[0] = row[0], index
        for column, wanted in enumerate(other, start=1):
            before, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, before + (letter != wanted))
    return row[-1]
