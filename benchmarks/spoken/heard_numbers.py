"""Writes the numbers of a Korean transcript as words, so that 3시 and 세 시 compare as equal."""

import re
from typing import Final

_DIGITS: Final = "영일이삼사오육칠팔구"
_NATIVE: Final = ("", "한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉")
_NATIVE_TENS: Final = ("", "열", "스물")
_COUNTED: Final = re.compile(r"(\d{1,2})\s*(시|개|명|살|번|잔|장|통|가지|마리|권|달|사람)")
_UNITS: Final = {"km": "킬로미터", "kg": "킬로그램", "°C": "도", "℃": "도", "%": "퍼센트"}


def spoken_numbers(text: str) -> str:
    """``text`` with its digits as Korean words."""
    for unit, word in _UNITS.items():
        text = text.replace(unit, word)
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text)
    text = _COUNTED.sub(lambda found: _native(int(found[1])) + found[2], text)
    return re.sub(r"\d{1,12}", lambda found: _chinese(int(found[0])), text)


def _native(number: int) -> str:
    tens, ones = divmod(number, 10)
    if number == 0 or tens >= len(_NATIVE_TENS):
        return _chinese(number)
    return "스무" if number == 20 else _NATIVE_TENS[tens] + _NATIVE[ones]


def _chinese(number: int) -> str:
    if number == 0:
        return _DIGITS[0]
    words = ""
    for value, name in ((10**8, "억"), (10**4, "만")):
        share, number = divmod(number, value)
        if share:
            words += ("" if share == 1 and name == "만" else _chinese(share)) + name
    for value, name in ((1000, "천"), (100, "백"), (10, "십")):
        share, number = divmod(number, value)
        if share:
            words += ("" if share == 1 else _DIGITS[share]) + name
    return words + (_DIGITS[number] if number else "")
