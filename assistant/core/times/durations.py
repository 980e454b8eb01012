"""Numbers and lengths of time in Korean and English: ``1시간 반``, ``1.5시간``, ``two and a half hours``."""

import re
from collections.abc import Iterable

_ONES = ("", "일", "이", "삼", "사", "오", "육", "칠", "팔", "구")
SINO = {
    ("" if tens == 0 else ("" if tens == 1 else _ONES[tens]) + "십") + _ONES[ones]: tens * 10 + ones
    for tens in range(10)
    for ones in range(10)
    if tens or ones
}
"""Sino-Korean numbers below 100."""
_NATIVE_ONES = ("", "한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉")
_NATIVE_TENS = ("", "열", "스물", "서른", "마흔", "쉰")
NATIVE = {
    _NATIVE_TENS[tens] + _NATIVE_ONES[ones]: tens * 10 + ones for tens in range(6) for ones in range(10) if tens or ones
} | {"스무": 20, "석": 3, "넉": 4, "서": 3}
"""Native Korean numbers below 60, in the form before a counter."""
_SMALL = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
ENGLISH = (
    {word: value for value, word in enumerate(_SMALL)}
    | {word: 20 + 10 * index for index, word in enumerate(_TENS)}
    | {
        f"{tens}{gap}{_SMALL[ones]}": 20 + 10 * index + ones
        for index, tens in enumerate(_TENS)
        for ones in range(1, 10)
        for gap in (" ", "-")
    }
)
"""English numbers below 100."""
_FRACTIONS = {"½": 0.5, "¼": 0.25, "¾": 0.75}
FIGURES = r"\d{1,3}(?:,\d{3})+(?![\d,])|\d+(?:\.\d+)?[½¼¾]?|[½¼¾]"
"""A number in figures, whole or not: ``90``, ``1,500``, ``1.5``, ``1½``."""


def any_of(words: Iterable[str]) -> str:
    """A pattern for one of these words; a space may be left out or be several."""
    return "|".join(re.escape(word).replace(r"\ ", r"\s*") for word in sorted(words, key=len, reverse=True))


def figure(text: str) -> float:
    """The value of what ``FIGURES`` matches."""
    fraction = _FRACTIONS.get(text[-1:], 0.0)
    whole = text.rstrip("".join(_FRACTIONS)).replace(",", "")
    return float(whole or 0) + fraction


# Written short, because a pattern with a hundred words takes milliseconds to compile.
SINO_NUMBER = "(?:[이삼사오육칠팔구]?십[일이삼사오육칠팔구]?|[일이삼사오육칠팔구])"
NATIVE_NUMBER = (
    "(?:(?:열|스물|서른|마흔|쉰)(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉)?"
    "|다섯|여섯|일곱|여덟|아홉|스무|[한두세네석넉서])"
)
ENGLISH_NUMBER = (
    r"(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)"
    r"(?:[\s-](?:one|two|three|four|five|six|seven|eight|nine))?"
    r"|(?:thir|four|fif|six|seven|eigh|nine)teen|ten|eleven|twelve|zero|one|two|three|four|five|six|seven|eight|nine)"
)
_KO_COUNT = rf"(?:{FIGURES}|{NATIVE_NUMBER}|{SINO_NUMBER})"
_KO_UNITS = {"시간": 3600, "분": 60, "초": 1}
KOREAN_DURATION = (
    rf"(?:{_KO_COUNT}\s*시간(?:\s*반)?(?:\s*{_KO_COUNT}\s*분)?(?:\s*{_KO_COUNT}\s*초)?"
    rf"|{_KO_COUNT}\s*분(?:\s*반)?(?:\s*{_KO_COUNT}\s*초)?|{_KO_COUNT}\s*초|반\s*시간)"
)
_EN_COUNT = rf"(?:{FIGURES}|an?|{ENGLISH_NUMBER})"
_EN_UNIT = r"(?:hours?|hrs?|minutes?|mins?|seconds?|secs?)"
ENGLISH_DURATION = (
    r"(?:half\s+an?\s+(?:hour|minute)|(?:a\s+)?quarter\s+of\s+an\s+hour|three\s+quarters\s+of\s+an\s+hour"
    rf"|{_EN_COUNT}\s+and\s+a\s+half\s+(?:hours|minutes)"
    rf"|{_EN_COUNT}[\s-]*{_EN_UNIT}(?:\s+and\s+a\s+half\b|(?:\s*,|\s+and)?\s*{_EN_COUNT}[\s-]*{_EN_UNIT})*)(?!\w)"
)


def korean_number(word: str) -> int:
    """A whole number in figures or in Korean."""
    word = word.strip()
    return int(word) if word.isdigit() else NATIVE.get(word) or SINO[word]


def korean_seconds(words: str) -> float:
    """The seconds of what ``KOREAN_DURATION`` matches."""
    if words.startswith("반"):
        return 1800
    total = 0.0
    for count, unit, half in re.findall(rf"({_KO_COUNT})\s*(시간|분|초)(\s*반)?", words):
        value = figure(count) if re.fullmatch(FIGURES, count) else korean_number(count)
        total += (value + (0.5 if half else 0)) * _KO_UNITS[unit]
    return total


def english_number(word: str) -> int:
    """A whole number in figures or in English; ``a`` is one."""
    word = " ".join(word.split())
    if word.isdigit():
        return int(word)
    return 1 if word in ("a", "an") else ENGLISH[word.removeprefix("oh ")]


def english_seconds(words: str) -> float:
    """The seconds of what ``ENGLISH_DURATION`` matches, in lower case."""
    units = {"h": 3600, "m": 60, "s": 1}
    if "quarter" in words:
        return 2700 if words.startswith("three") else 900
    if words.startswith("half"):
        return 1800 if "hour" in words else 30
    total = 0.0
    pattern = rf"({_EN_COUNT})(\s+and\s+a\s+half)?[\s-]*({_EN_UNIT})(\s+and\s+a\s+half)?"
    for count, half, unit, half_after in re.findall(pattern, words):
        value = figure(count) if re.fullmatch(FIGURES, count) else english_number(count)
        total += (value + (0.5 if half or half_after else 0)) * units[unit[0]]
    return total
