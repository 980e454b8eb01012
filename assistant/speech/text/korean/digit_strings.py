"""Digit strings that are identifiers, read digit by digit or in parts: telephone numbers, versions, IP addresses."""

import re
from typing import Final

from assistant.speech.text.korean import numerals
from assistant.speech.text.korean.marks import number

_PHONE: Final = re.compile(
    r"(?<![\d.,-])(?:(0\d{1,2})[-. ](\d{3,4})[-. ](\d{4})|\((0\d{1,2})\)\s?(\d{3,4})[-. ](\d{4})|"
    r"(1[5-9]\d\d)-(\d{4})|(\+82)[- ]?(\d{1,2})[- ](\d{3,4})[- ](\d{4})"
    r"|(01[016789])(\d{4})(\d{4}))(?![\d-]|[.,]\d)"
)
_FOREIGN_PHONE: Final = re.compile(r"(?<![\w+])\+(\d{1,3})((?:[- ]\d{2,4}){2,4})(?![\d-])")
_GROUPS: Final = re.compile(
    r"(?<![\w.,-])(?:\d{1,6}(?:-\d{1,7}){2,5}|\d{5,12}-\d{2,12}|\d{2,12}-\d{5,12})(?![\d-]|[.,]\d)", re.ASCII
)
_EMERGENCY: Final = re.compile(
    r"(?<![\d.,-])(11[0-9]|12[0-9]|13[0-9][0-9]?|1345|182)(?=(?:번)?(?:에|으?로|에게|를|"
    r"을)?\s?(?:(?:바로|즉시|빨리|곧바로|먼저|꼭)\s)?(?:신고|전화|구급|소방|구조|상황실|콜센터|"
    r"종합상황|다산|문의|연락|안전신고|긴급))"
)
_EMERGENCY_AFTER: Final = re.compile(
    r"((?:긴급전화|응급전화|신고전화|전화번호|전화|국번 없이|긴급 전화|신고는|신고)(?:는|"
    r"은)?\s)(1\d{2,3})(?![\d,.]|\s?[만천백원명개년월일시분])"
)
_CODE: Final = re.compile(
    r"((?:번호|코드|암호|핀|PIN)(?:는|은|가|이)?(?:\s?:)?\s)(\d{4,12})"
    r"(?=[.,]?(?:\s|$)|[)\"']|입니|이에|예요|이고|이며|이다|[을를은는로와과]|으로)"
)
_VERSION: Final = re.compile(
    r"(?<![\w.])(?:([vV]|ver\.?\s?|version\s)(?=\d))(\d{1,4}(?:\.\d{1,5}){0,4})(?![\w]|\.\d)", re.ASCII | re.IGNORECASE
)
_DOTTED: Final = re.compile(r"(?<![\w.])\d{1,4}(?:\.\d{1,5}){2,4}(?![\d]|\.\d)", re.ASCII)
_SCHOOL_YEAR: Final = re.compile(r"(?<![\d])'?(\d\d)(?=학번)")
_ADDRESS_PARTS: Final = 4
_ROOMS: Final = re.compile(r"(?<!\d)(\d{1,4})-(\d{1,4})(?=\s?(?:번지|호|번길))")


def read_digit_strings(text: str) -> str:
    """``text`` with its identifiers in words."""
    text = _PHONE.sub(_groups, text)
    text = _FOREIGN_PHONE.sub(lambda found: f" 플러스 {_spoken(found.group(1))}{_grouped(found.group(2))}", text)
    text = _EMERGENCY.sub(lambda found: number(numerals.digits(found.group(1))), text)
    text = _EMERGENCY_AFTER.sub(lambda found: found.group(1) + number(numerals.digits(found.group(2))), text)
    text = _CODE.sub(lambda found: found.group(1) + number(numerals.digits(found.group(2))), text)
    text = _VERSION.sub(lambda found: " 버전" + number(_version(found.group(2))), text)
    text = _DOTTED.sub(lambda found: number(_version(found.group())), text)
    text = _SCHOOL_YEAR.sub(lambda found: number(numerals.digits(found.group(1))), text)
    text = _ROOMS.sub(lambda found: f"{found.group(1)} 다시 {found.group(2)}", text)
    return _GROUPS.sub(_id, text)


def _groups(found: re.Match[str]) -> str:
    given = [group for group in found.groups() if group]
    plus = "플러스 " if given[0].startswith("+") else ""
    return number(plus + " ".join(numerals.digits(group) for group in given))


def _spoken(figures: str) -> str:
    return numerals.digits(figures)


def _grouped(text: str) -> str:
    return number(" ".join(_spoken(group) for group in re.split(r"[- ]", text) if group))


def _version(text: str) -> str:
    parts = text.split(".")
    if len(parts) == _ADDRESS_PARTS:
        return " 점 ".join(numerals.digits(part) for part in parts)
    if len(parts) == 2:
        return numerals.decimal(parts[0], parts[1])
    return " 점 ".join(numerals.decimal(part) for part in parts)


def _id(found: re.Match[str]) -> str:
    parts = found.group().split("-")
    return number(
        " 다시 ".join(numerals.digits(part) for part in parts)
        if len(parts) > _ADDRESS_PARTS
        else " ".join(map(numerals.digits, parts))
    )
