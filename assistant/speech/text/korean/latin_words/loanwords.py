"""The Korean pronunciation of one Latin word or abbreviation.

The sources are tried in this order: the word list (``resources/pronunciation/ko_words.tsv``), letter names for an
abbreviation, the phonemes of the English dictionary, and a guess by the spelling.
"""

import functools
import re
from pathlib import Path
from typing import Final

from assistant.speech.text.korean.latin_words.english_sounds import hangul_of
from assistant.speech.text.korean.latin_words.romanised import from_romanised
from assistant.speech.text.korean.latin_words.spelling_sounds import guessed_phonemes
from assistant.speech.text.pronunciations import phonemes_of
from assistant.speech.text.vocabulary import listed

PRONUNCIATION: Final = Path(__file__).parents[4] / "resources" / "pronunciation"
"""Directory of the word lists."""
_LETTERS: Final = dict(
    zip(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        listed(
            "에이 비 씨 디 이 에프 지 에이치 아이 제이 케이 엘 엠 엔 오 피 큐 알 에스 티 유 브이 더블유 엑스 와이 제트"
        ),
        strict=True,
    )
)
"""Letter names as people say them. The orthography has 시 for C and 아르 for R."""
_LONGEST_ABBREVIATION: Final = 5
_SHORTEST_WORD: Final = 4
"""From this length, capitals that the dictionary knows are a word: HELLO, but not API."""
_CAMEL: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
_VOWEL: Final = re.compile("[aeiouy]")
_LONGEST: Final = 30
"""Most letters of one word; a longer one is read in parts."""


def table_of(name: str) -> dict[str, str]:
    """A list in ``resources/pronunciation``: spoken form by spelling."""
    lines = (PRONUNCIATION / name).read_text(encoding="utf-8").splitlines()
    entries = (line.partition("\t") for line in lines if line and not line.startswith("#"))
    return {written: spoken for written, _, spoken in entries}


@functools.cache
def _words() -> dict[str, str]:
    return table_of("ko_words.tsv")


def letters(text: str) -> str:
    """Latin letters by their names: 에이피아이."""
    return "".join(_LETTERS[letter] for letter in text.upper() if letter in _LETTERS)


@functools.lru_cache(maxsize=4096)
def hangul_word(word: str) -> str:
    """A Latin word in Hangul; ``word`` is not empty and consists of Latin letters only."""
    if len(word) > _LONGEST:
        return "".join(hangul_word(word[at : at + _LONGEST]) for at in range(0, len(word), _LONGEST))
    found = _words().get(word) or (_words().get(word.lower()) if _is_plain(word) else None)
    if found:
        return found
    if len(word) == 1:
        return letters(word)
    if word.isupper():
        return _capitals(word)
    parts = _CAMEL.findall(word)
    if len(parts) > 1:
        return _camel(word, parts)
    return _sounded(word.lower())


def _is_plain(word: str) -> bool:
    """Whether a word may match the list in any case. Short capitals are abbreviations, not words."""
    lower = _words().get(word.lower(), "")
    return not word.isupper() or len(word) >= _SHORTEST_WORD or lower == letters(word)


def _capitals(word: str) -> str:
    is_word = len(word) >= _SHORTEST_WORD and (phonemes_of(word) or len(word) > _LONGEST_ABBREVIATION)
    return _sounded(word.lower()) if is_word and _VOWEL.search(word.lower()) else letters(word)


def _camel(word: str, parts: list[str]) -> str:
    if word[:-1].isupper() and word[-1] == "s":
        return letters(word[:-1]) + "스"
    if phonemes_of(word) and not any(part.isupper() and len(part) > 1 for part in parts):
        return _sounded(word.lower())
    return "".join(hangul_word(part) for part in parts)


def _sounded(word: str) -> str:
    known = _words().get(word)
    if known:
        return known
    for ending, spoken in (("s", "스"), ("ing", "잉")):
        stem = _words().get(word.removesuffix(ending)) if word.endswith(ending) else None
        if stem and ending == "s":
            return stem + spoken
    sounds = phonemes_of(word)
    if not sounds and not _VOWEL.search(word):
        return letters(word)
    if not sounds and (korean := from_romanised(word)):
        return korean
    return hangul_of(sounds or guessed_phonemes(word), word) or letters(word)
