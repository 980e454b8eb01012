"""Where marks of emphasis may open and close, with Korean particles.

In CommonMark a mark cannot end emphasis between a punctuation mark and a letter, and ``_`` not before any letter.
English has a space there, but Korean has a particle: ``**"소리"**는`` would show its asterisks. So a letter of a script
that joins particles to words counts like a space (proposal "CommonMark CJK-friendly amendments", tats-u, 2024).
``_`` closes before Hangul only if that is a particle, and nowhere in the name of a program (``__init__은``).
"""

import re
import unicodedata

from assistant.core.markup.particles import particles_at

_JOINING_RANGES = (
    (0x1100, 0x11FF),  # Hangul Jamo
    (0x2E80, 0x2FDF),  # radicals of Chinese characters
    (0x3000, 0x303F),  # punctuation of Chinese and Japanese
    (0x3040, 0x318F),  # kana, Hangul compatibility Jamo
    (0x31C0, 0x9FFF),  # Chinese characters
    (0xA960, 0xA97F),  # Hangul Jamo Extended-A
    (0xAC00, 0xD7FF),  # Hangul syllables, Jamo Extended-B
    (0xF900, 0xFAFF),  # Chinese compatibility characters
    (0xFF00, 0xFFEF),  # full-width forms
    (0x20000, 0x3FFFF),  # rarer Chinese characters
)
_PROGRAM_NAME = re.compile(r"(?<![A-Za-z0-9_])_{1,3}[a-z][a-z0-9_]*$")
_AFTER_NAME = re.compile(r"[(\[가-힣\"']|\.[A-Za-z]|\s?=")
_LONGEST_NAME = 80


def sides(text: str, start: int, end: int) -> tuple[bool, bool]:
    """Whether the marks ``*``, ``_`` or ``~`` at ``start:end`` may open and may close emphasis."""
    before = text[start - 1] if start > 0 else " "
    after = text[end] if end < len(text) else " "
    left = _flanks(after, before)
    right = _flanks(before, after)
    if text[start] != "_":
        return left, right
    opens = left and (not right or _is_punctuation(before))
    closes = right and (not left or _is_punctuation(after) or particles_at(text, end) > end)
    return opens, closes and not _is_in_name(text, start, end)


def _is_in_name(text: str, start: int, end: int) -> bool:
    """Whether underscores belong to a program's name: ``__init__(``, ``__main__.py``, ``__all__ =``, ``__init__은``."""
    goes_on = _AFTER_NAME.match(text, end) is not None
    return goes_on and _PROGRAM_NAME.search(text[max(0, start - _LONGEST_NAME) : start]) is not None


def _flanks(inner: str, outer: str) -> bool:
    """Whether marks hug ``inner``, with ``outer`` on their other side."""
    if inner.isspace():
        return False
    return not _is_punctuation(inner) or outer.isspace() or _is_punctuation(outer) or _joins(outer)


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


def _joins(character: str) -> bool:
    return any(first <= ord(character) <= last for first, last in _JOINING_RANGES)
