"""Korean numerals: Sino-Korean (일, 이, 삼) and native (하나, 둘, 셋) in Hangul.

Four digits form a group, and groups are separated by spaces as the orthography requires (만 이천삼백사십오). A one is
not read before 십, 백 and 천, nor before 만 at the beginning of a number. It is read before 억 and larger magnitudes.
"""

from typing import Final

DIGITS: Final = "영일이삼사오육칠팔구"
_PLACES: Final = ("", "십", "백", "천")
_GROUPS: Final = ("", "만", "억", "조", "경")
LONGEST: Final = 20
"""Most digits of a number that is read as one number; a longer one is read digit by digit."""
_UNITS: Final = ("", "한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉")
_TENS: Final = ("", "열", "스물", "서른", "마흔", "쉰", "예순", "일흔", "여든", "아흔")
_APPROXIMATE: Final = ("", "한두", "두세", "서너", "네다섯", "대여섯", "예닐곱", "일고여덟", "여덟아홉")
_HUNDRED: Final = 100
_NATIVE_LIMIT: Final = 20
"""From this value, round tens after a hundred are Sino-Korean: 백오십 개, but 백다섯 개."""


def sino(number: int) -> str:
    """A number of up to 20 digits in Sino-Korean: 1234 is 천이백삼십사."""
    if number == 0:
        return DIGITS[0]
    groups: list[str] = []
    rest, place = number, 0
    while rest:
        rest, group = divmod(rest, 10_000)
        if group:
            only = group == 1 and place == 1 and not rest
            groups.append(("" if only else _group(group)) + _GROUPS[min(place, len(_GROUPS) - 1)])
        place += 1
    return " ".join(reversed(groups))


def _group(number: int) -> str:
    text = ""
    for place in (3, 2, 1, 0):
        digit = number // 10**place % 10
        if digit:
            text += ("" if digit == 1 and place else DIGITS[digit]) + _PLACES[place]
    return text


def native(number: int) -> str:
    """A native numeral of at least 1 before a counter: 3 is 세, 20 is 스무, 125 is 백스물다섯, 150 is 백오십."""
    above, below = divmod(number, _HUNDRED)
    if not below or (above and below >= _NATIVE_LIMIT and below % 10 == 0):
        return sino(number)
    word = "스무" if below == _NATIVE_LIMIT else _TENS[below // 10] + _UNITS[below % 10]
    if not above:
        return word
    hundreds = sino(above * _HUNDRED)
    return f"{hundreds} {word}" if hundreds[-1] in "만억조경" else hundreds + word


def approximate(number: int, *, is_native: bool) -> str:
    """An approximate number, either ``number`` (1 to 8) or the next: 두세 or 이삼."""
    if is_native:
        return _APPROXIMATE[number]
    return "오륙" if number == 5 else DIGITS[number] + DIGITS[number + 1]


def digits(text: str, zero: str = "공") -> str:
    """Digits one by one, as in a telephone number; other characters are dropped."""
    return "".join(zero if figure == "0" else DIGITS[int(figure)] for figure in text if figure in "0123456789")


def decimal(whole: str, fraction: str = "") -> str:
    """An unsigned number in words: 3 and 05 give 삼 점 영오. A padded or overlong number is read digit by digit."""
    if len(whole) > LONGEST or (len(whole) > 1 and whole[0] == "0"):
        return _pointed(digits(whole), fraction)
    return _pointed(sino(int(whole or "0")), fraction)


def _pointed(whole: str, fraction: str) -> str:
    return f"{whole} 점 {digits(fraction, '영')}" if fraction else whole
