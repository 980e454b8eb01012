"""Digit strings that are identifiers, read digit by digit or in parts: telephone numbers, versions, IP addresses."""

import re
from typing import Final

from assistant.speech.text.korean import numerals
from assistant.speech.text.korean.latin_words.loanwords import letters
from assistant.speech.text.korean.marks import AFTER_WORD, number
from assistant.speech.text.vocabulary import listed

_PHONE: Final = re.compile(
    r"(?<![\d.,-])(?:(0\d{1,2})[-. ](\d{3,4})[-. ](\d{4})|\((0\d{1,2})\)\s?(\d{3,4})[-. ](\d{4})|"
    r"(1[5-9]\d\d)-(\d{4})|(\+82)[- ]?(\d{1,2})[- ](\d{3,4})[- ](\d{4})"
    r"|(01[016789])(\d{4})(\d{4}))(?![\d-]|[.,]\d)"
)
_FOREIGN_PHONE: Final = re.compile(r"(?<![\w+])\+(\d{1,3})((?:[- ]\d{2,4}){2,4})(?![\d-])")
_GROUPS: Final = re.compile(
    r"(?:(?<=번호 )|(?<=코드 ))\d{2,6}-\d{2,6}(?![\d-]|[.,]\d)|"
    r"(?<![\w.,-])(?:\d{1,6}(?:-\d{1,7}){2,5}|\d{5,12}-\d{2,12}|\d{2,12}-\d{5,12})(?![\d-]|[.,]\d)",
    re.ASCII,
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
_STATUS: Final = re.compile(
    r"((?:HTTP|코드|에러|오류)(?:는|가|:)?\s)([1-9]\d\d)(?![\d,]|\.\d|\s?(?:개|건|번|회|가지|명|줄|차|원|초|분|배|%|여))"
    r"|(?<![\d.,-])()([1-5]\d\d)(?=\s?(?:에러|오류|Not Found))"
)
_HEXADECIMAL: Final = re.compile(r"(?<!\w)0[xX]([0-9A-Fa-f]{2,16})(?!\w)", re.ASCII)
_DIGITS_AFTER: Final = (
    re.compile(
        r"((?:(?:방|객실|병실|교실|사물함|예약|접수|대기)\s?번호|[뒷끝]\s?(?:네\s?)?자리)(?:는|은|가|이)?(?:\s?:)?\s)(\d{3,4})"
        r"(?![\d,-]|\.\d)"
    ),
    re.compile(
        r"((?:CVC|CVV|내선(?:\s?번호)?|보안 코드|지역\s?번호)(?:는|은|가|이)?(?:\s?:)?\s?)(\d{2,4})(?![\d,]|\.\d)"
    ),
    re.compile(r"(\(우\)?)\s?(\d{5})(?!\d)"),
    re.compile(r"((?:[A-Z]{2}|\d[A-Z]|[가-힣]항공|에어[가-힣]{2,4}|아시아나|진에어|티웨이))\s?(\d{3,4})(?=\s?편)"),
    re.compile(r"((?:코드|에러|오류)(?:는|가|:)?\s[A-Z]{1,4}-?)(\d{2,8})(?!\d)"),
    re.compile(r"(버스\s)(\d{4})(?=번)"),
    re.compile(r"(?<![\d.,-])()(\d{4})(?=번\s?(?:마을|시내|시외|광역|간선|지선|좌석|공항|심야|직행|급행)?\s?버스)"),
)
"""Extensions, postcodes, flights and bus lines of four digits: what stands before, and the digits."""
_EVENTS: Final = listed(
    "운동(?!량|장|화|선수|시간) 정신 만세 독립 광복 해방 혁명 전쟁 동란 사변 사태 사건 정변 군사 쿠데타 의거 항쟁 "
    "봉기 민중 민주 광주 테러 참사 학살 비상 계엄 내란 반란 선언 공동선언 남북 회담 합의 조치 대책 총선 대선 "
    "지방선거 부정선거 재보궐 전당대회 후퇴 수복 상륙 거사 화재 붕괴 침몰 피격 암살 시위 개헌 기념 국립 희생 "
    "참전 정전 휴전 특별법 세월호 이태원 부마 학생독립 학생\\s독립"
)
_ANNIVERSARY: Final = re.compile(
    r"(?<![\w.,·~/-])(?<!규모 )(?<!버전 )(1[0-2]|[1-9])[.·](3[01]|[12]\d|[1-9])"
    rf"(?=(?:\s|\s?[\"'])?(?:{'|'.join(_EVENTS)})|(?<=\d\d)\s(?:때|당시)(?![가-힣]))"
)
"""A day that stands for what happened on it; what follows tells it from a decimal."""
_SEAT: Final = re.compile(r"(좌석(?:\s?번호)?(?:는|은|이)?(?:\s?:)?\s?)(\d{1,3})([A-K])(?![A-Za-z])")
_SOFTWARE: Final = re.compile(
    rf"((?:버전|파이썬|우분투|노드|자바|루비|맥오에스|아이오에스|안드로이드|파이토치|리눅스|커널){AFTER_WORD}?\s?)(\d{{1,3}}\.[1-9]\d)"
    r"(?![\d%점배도]|\.\d)|(?<![\w.])()(\d{1,3}\.[1-9]\d)(?=\s?버전)"
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
    text = _ANNIVERSARY.sub(_anniversary, text)
    text = _PHONE.sub(_groups, text)
    text = _FOREIGN_PHONE.sub(lambda found: f" 플러스 {_spoken(found.group(1))}{_grouped(found.group(2))}", text)
    text = _EMERGENCY.sub(lambda found: number(numerals.digits(found.group(1))), text)
    text = _EMERGENCY_AFTER.sub(lambda found: found.group(1) + number(numerals.digits(found.group(2))), text)
    text = _CODE.sub(lambda found: found.group(1) + number(numerals.digits(found.group(2))), text)
    for digits in _DIGITS_AFTER:
        text = digits.sub(lambda found: found.group(1) + number(numerals.digits(found.group(2))), text)
    text = _STATUS.sub(_status, _HEXADECIMAL.sub(_hexadecimal, text))
    text = _SEAT.sub(_seat, text)
    text = _SOFTWARE.sub(_software, text)
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


def _anniversary(found: re.Match[str]) -> str:
    month, day = int(found.group(1)), int(found.group(2))
    whole = day % 10 == 0 or (day == month and day > 10)
    return number(numerals.sino(month) + (numerals.sino(day) if whole else numerals.digits(str(day))))


def _status(found: re.Match[str]) -> str:
    """The status of HTTP and its like: 사공사, but 오백."""
    before, figures = (group for group in found.groups() if group is not None)
    return before + number(numerals.sino(int(figures)) if figures.endswith("00") else numerals.digits(figures))


def _hexadecimal(found: re.Match[str]) -> str:
    signs = (numerals.digits(sign) if sign.isdigit() else letters(sign) for sign in found.group(1))
    return number(f"영 엑스 {''.join(signs)}")


def _seat(found: re.Match[str]) -> str:
    before, row, place = found.groups()
    return f"{before}{numerals.sino(int(row))} {letters(place)}"


def _software(found: re.Match[str]) -> str:
    before, figures = (group for group in found.groups() if group is not None)
    return before + number(_version(figures))


def _version(text: str) -> str:
    parts = text.split(".")
    if len(parts) == _ADDRESS_PARTS:
        return " 점 ".join(numerals.digits(part) for part in parts)
    return " 점 ".join(numerals.decimal(part) for part in parts)


def _id(found: re.Match[str]) -> str:
    parts = found.group().split("-")
    return number(
        " 다시 ".join(numerals.digits(part) for part in parts)
        if len(parts) > _ADDRESS_PARTS
        else " ".join(map(numerals.digits, parts))
    )
