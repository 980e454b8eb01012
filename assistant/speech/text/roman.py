"""Roman numerals among words in capitals (V-14).

``II`` to ``XXIX`` are hardly ever anything else. Others are also abbreviations and sizes (XL, CD, MIX). So they count
only where they are long enough to be nothing else (LVIII, MCMXC), or after a word that is numbered.
"""

import re
from collections.abc import Callable
from typing import Final

_STRICT: Final = r"M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})"
_USUAL: Final = r"(?:XI{1,3}|XI?[VX]|XVI{0,3}|VI{1,3}|I[VX]|I{2,3}|XXI{0,3}|XXI[VX]|XXVI{0,3})"
_ALONE: Final = re.compile(
    rf"(?<![A-Za-z0-9'&.-])(?:{_USUAL}|(?=[MDCLXVI]{{4,}}(?![A-Za-z])){_STRICT})(?![A-Za-z0-9&-]|'(?!s\b))(?!\s(?:fluids?|drips?|"
    rf"lines?|therapy|bags?|injections?|antibiotics|수액|주사))(?<!\ban\sIV)"
)
_NUMBERED: Final = re.compile(
    rf"(?<=\s)(?<![A-Za-z0-9'&.-])(?=[MDCLXVI])({_STRICT})(?![A-Za-z0-9'&-])",
)
_NUMBERED_BEFORE: Final = re.compile(
    r"(?:\b(?:[Cc]hapter|[Ss]ection|[Aa]rticle|[Pp]art|[Bb]ook|[Tt]ype|[Vv]olume|[Pp]hase|[Ll]evel|[Ss]tage|[Tt]itle|"
    r"[Aa]ct|[Ss]cene|[Aa]ppendix|[Ff]igure|[Tt]able|War|Super\sBowl|WrestleMania|Rocky|Fantasy|Apollo|Mark)"
    r"|슈퍼\s?볼|레슬매니아|로키|판타지|아폴로|타입|대전|제)\s$"
)
_VALUES: Final = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_LISTED: Final = re.compile(r"(?<![A-Za-z0-9'&.-])I(?=(?:,?\s(?:and|or|및)\s|,\s|-|–|~|·)I{2,3}(?![A-Za-z]))")


def with_roman_numerals(text: str, read: Callable[[int, str, str], str]) -> str:
    """``text`` with its Roman numerals replaced by what ``read`` returns for a value and the text before and after."""

    def replaced(found: re.Match[str]) -> str:
        return read(_value(found.group()), found.string[: found.start()], found.string[found.end() :])

    def numbered(found: re.Match[str]) -> str:
        before = found.string[max(0, found.start() - 24) : found.start()]
        return replaced(found) if _NUMBERED_BEFORE.search(before) else found.group()

    text = _LISTED.sub(replaced, text)
    text = _NUMBERED.sub(numbered, text)
    return _ALONE.sub(replaced, text)


def _value(numeral: str) -> int:
    values = [_VALUES[letter] for letter in numeral]
    return sum(
        -value if value < following else value for value, following in zip(values, [*values[1:], 0], strict=True)
    )
