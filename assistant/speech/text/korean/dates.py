"""Conversion of dates and times with signs to their Korean units: 2026년 11월 22일, 14시 30분.

The rules for counters read the numbers afterwards.
"""

import re
from typing import Final

_MONTHS: Final = 12
_DAYS: Final = 31
_HOURS: Final = 24
_NOON: Final = 12
_ZONE: Final = re.compile(r"\b(UTC|GMT)\s?([+-])\s?0?(\d{1,2})(?::([0-5]\d))?(?![\d:])")
_WEEKDAYS: Final = "월화수목금토일"

_ISO: Final = re.compile(
    r"(?<![\w.,/-])(\d{4})([-/.])\s?(\d{1,2})\2\s?(\d{1,2})(?!\d)(?:\.(?!\d))?(?:일)?(?:T(?=\d))?", re.ASCII
)
_SHORT_YEAR: Final = re.compile(r"(?<![\w.,/-])'(\d{2})\.\s?(\d{1,2})\.\s?(\d{1,2})(?!\d)\.?", re.ASCII)
_YEAR_MONTH: Final = re.compile(r"(?<![\w.,/-])((?:19|20)\d{2})[-/](0?[1-9]|1[0-2])(?![\w-]|[/.,]\d)", re.ASCII)
_MONTH_DAY: Final = re.compile(r"(?<![\w./-])(\d{1,2})/(\d{1,2})(?![\d/]|\.\d)", re.ASCII)
_DAYS_RANGE: Final = re.compile(
    r"(?<![\w./-])(\d{1,2})/(\d{1,2})\s?[~–]\s?(\d{1,2})/(\d{1,2})(?![\d/]|\.\d)"
    r"(?!\s?(?:컵|큰술|작은술|큰스푼|작은스푼|스푼|티스푼|숟|개|인분|배|정|알|쪽|모|줌|통|봉|마리|수준|정도|가량))",
    re.ASCII,
)
"""Two dates, and not two shares of a cup."""
_DATE_CONTEXT: Final = re.compile(
    r"\s?(?:\([월화수목금토일]\)|[월화수목금토일]요일|까지|부터|오전|오후|\d{1,2}:\d\d|~(?!\s?\d{1,2}/)|자|일자|"
    r"에 (?:만|시작|열|있|예정|출발|도착))"
)
_WEEKDAY: Final = re.compile(r"(?<=일)\s?\(\s?([월화수목금토일])(?:요일)?\s?\)")
_WEEKDAY_RANGE: Final = re.compile(r"(?<![가-힣])([월화수목금토일])\s?[~–-]\s?([월화수목금토일])(?:까지)?(?![가-힣])")
_WEEKDAY_LIST: Final = re.compile(
    r"(?<![가-힣])([월화수목금토일])((?:[·/]\s?[월화수목금토일]){1,6})(?=$|[^가-힣]|에|은|는|이|마다|만|과|을|의)"
)
_LONE_WEEKDAY: Final = re.compile(r"\(\s?([월화수목금토일])\s?\)")
_AM_PM: Final = r"[aA]\.?[mM]\b\.?|[pP]\.?[mM]\b\.?"
_CLOCK: Final = re.compile(
    rf"(?<![\d:.,/])(?:({_AM_PM})\s?)?(\d{{1,2}}):([0-5]\d)(?::([0-5]\d)(?:\.\d{{1,6}})?)?(?:Z(?!\w))?(?:\s?({_AM_PM}))?(?![\d:]|\.\d)",
    re.ASCII,
)
_HOUR: Final = re.compile(rf"(?<![\d:.,/])(\d{{1,2}})\s?({_AM_PM})(?!\w)", re.ASCII)
_SCORE: Final = re.compile(
    r"\s?(?:로|으로)?\s?(?:승|패|이겼|이긴|이기|졌|진 |앞|뒤|리드|비겼|역전|무승부|완승|비율|"
    r"비\b|의 비|배율|화면|축척|완파)"
)
_SCORE_BEFORE: Final = re.compile(r"(?:스코어|점수|비율|화면비|세트|축척|비)(?:는|은|이|가|를|을)?\s?$")


def with_dates_in_words(text: str) -> str:
    """``text`` with 년, 월, 일, 시, 분 instead of the signs of dates and times."""
    text = _ZONE.sub(_zone, text)
    if "-" in text or "/" in text or "." in text:
        text = _SHORT_YEAR.sub(lambda found: f" {found.group(1)}년 {_day(found.group(2), found.group(3))}", text)
        text = _ISO.sub(_iso, text)
        text = _YEAR_MONTH.sub(lambda found: f" {found.group(1)}년 {int(found.group(2))}월", text)
        text = _MONTH_DAY.sub(_month_day, _DAYS_RANGE.sub(_days_range, text))
    text = _WEEKDAY.sub(r" \1요일", text)
    text = _WEEKDAY_RANGE.sub(_weekday_range, text)
    text = _WEEKDAY_LIST.sub(_weekdays, text)
    text = _LONE_WEEKDAY.sub(r" \1요일", text)
    return _HOUR.sub(_hour, _CLOCK.sub(_clock, text) if ":" in text else text)


def _day(month: str, day: str) -> str:
    return f"{int(month)}월 {int(day)}일"


def _is_date(month: str, day: str) -> bool:
    return 1 <= int(month) <= _MONTHS and 1 <= int(day) <= _DAYS


def _iso(found: re.Match[str]) -> str:
    year, _sign, month, day = found.groups()
    if not _is_date(month, day):
        return found.group()
    time_follows = " " if found.group().endswith("T") else ""
    return f" {year}년 {_day(month, day)}{time_follows}"


def _month_day(found: re.Match[str]) -> str:
    month, day = found.groups()
    if not _is_date(month, day):
        return found.group()
    context = _DATE_CONTEXT.match(found.string, found.end())
    if int(day) <= _NOON - 2 and not context:
        return found.group()  # a fraction
    return f" {_day(month, day)}"


def _days_range(found: re.Match[str]) -> str:
    first, last = found.groups()[:2], found.groups()[2:]
    if not _is_date(*first) or not _is_date(*last):
        return found.group()
    return f" {_day(*first)}~{_day(*last)}"


def _weekday_range(found: re.Match[str]) -> str:
    return f"{found.group(1)}요일부터 {found.group(2)}요일까지"


def _weekdays(found: re.Match[str]) -> str:
    rest = re.findall(f"[{_WEEKDAYS}]", found.group(2))
    return ", ".join(f"{day}요일" for day in (found.group(1), *rest))


def _clock(found: re.Match[str]) -> str:
    before, hour, minute, second, after = found.groups()
    half = before or after
    if int(hour) > _HOURS or (not half and _is_score(found)):
        return found.group()
    text = f" {_half(half)}{int(hour)}시"
    if int(minute) or (second and int(second)):
        text += f" {int(minute)}분"
    return text + (f" {int(second)}초" if second and int(second) else "")


def _is_score(found: re.Match[str]) -> bool:
    return (
        _SCORE.match(found.string, found.end()) is not None
        or _SCORE_BEFORE.search(found.string, max(0, found.start() - 12), found.start()) is not None
    )


def _hour(found: re.Match[str]) -> str:
    hour, half = found.groups()
    return f" {_half(half)}{int(hour)}시" if 1 <= int(hour) <= _NOON else found.group()


def _half(half: str | None) -> str:
    if not half:
        return ""
    return "오전 " if half[0] in "aA" else "오후 "


def _zone(found: re.Match[str]) -> str:
    name, sign, hours, minutes = found.groups()
    ahead = "플러스" if sign == "+" else "마이너스"
    return f"{name} {ahead} {hours}" + (f"시간 {minutes}분" if int(minutes or 0) else "")
