"""The language in which a text is spoken."""

from typing import Final

KOREAN_SHARE: Final = 0.2
"""Share of Hangul among the letters from which a text counts as Korean.

A Korean sentence about *list comprehension* has more Latin letters than Hangul, because a syllable of Hangul
corresponds to two or three letters. An English sentence that quotes a Korean word stays far below this share.
"""


def language_of(text: str, default: str) -> str:
    """``ko`` or ``en`` by the share of Hangul; ``default`` for a text with neither Hangul nor Latin letters."""
    hangul = sum(1 for letter in text if is_hangul(letter))
    latin = sum(1 for letter in text if letter.isascii() and letter.isalpha())
    if not hangul and not latin:
        return default
    return "ko" if hangul >= KOREAN_SHARE * (hangul + latin) else "en"


def is_hangul(letter: str) -> bool:
    """Whether a character is a Hangul syllable or jamo."""
    return "가" <= letter <= "힣" or "ㄱ" <= letter <= "ㆎ" or "ᄀ" <= letter <= "ᇿ"
