"""Finds times in Korean sentences: ``내일 아침 7시 반``, ``30분 뒤``, ``다음 주 화요일 오후 3시``."""

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from assistant.core.times.said import EVERY_DAY, WEEKDAYS, WEEKEND, DayPart, FoundTime, SaidTime

_ONES = ("", "일", "이", "삼", "사", "오", "육", "칠", "팔", "구")
_SINO = {
    ("" if tens == 0 else ("" if tens == 1 else _ONES[tens]) + "십") + _ONES[ones]: tens * 10 + ones
    for tens in range(10)
    for ones in range(10)
    if tens or ones
}
_NATIVE_ONES = ("", "한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉")
_NATIVE_TENS = ("", "열", "스물", "서른", "마흔", "쉰")
_NATIVE = {
    _NATIVE_TENS[tens] + _NATIVE_ONES[ones]: tens * 10 + ones for tens in range(6) for ones in range(10) if tens or ones
} | {"스무": 20, "석": 3, "넉": 4, "서": 3}
_MONTHS = {"유": 6, "시": 10}
_DAYS = {
    "하루": 1,
    "이틀": 2,
    "사흘": 3,
    "나흘": 4,
    "닷새": 5,
    "엿새": 6,
    "이레": 7,
    "일주일": 7,
    "한 주": 7,
    "열흘": 10,
    "보름": 15,
}
_NAMED_DAYS = {"오늘": 0, "금일": 0, "내일모레": 2, "모레": 2, "내일": 1, "낼": 1, "명일": 1, "글피": 3, "어제": -1}
_WEEKS = {"이번": 0, "금": 0, "다음": 1, "담": 1, "내": 1, "다다음": 2, "지난": -1, "저번": -1}
_PARTS = {
    "오전": DayPart.AM,
    "오후": DayPart.PM,
    "새벽": DayPart.DAWN,
    "아침": DayPart.MORNING,
    "낮": DayPart.DAY,
    "한낮": DayPart.DAY,
    "점심": DayPart.DAY,
    "저녁": DayPart.EVENING,
    "밤": DayPart.NIGHT,
    "한밤": DayPart.NIGHT,
}
_WEEKDAY = "월화수목금토일"
_HOURS = {**{word: value for word, value in _NATIVE.items() if value <= 12}, **_SINO}


def _any(words: dict[str, Any]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_NUMBER = rf"\d{{1,4}}|{_any(_NATIVE)}|{_any(_SINO)}"
_PART = rf"(?P<part>{_any(_PARTS)})(?:\s*에)?"
_LATER = r"(?:뒤|후|있다가?|이따가?|지나서|지나면)(?:에)?"
_MINUTES = rf"(?:\s*(?:(?P<half>반)|(?P<minute>\d{{1,2}}|{_any(_SINO)})\s*분|정각))?"
_DAY_LIST = rf"[{_WEEKDAY}](?:\s*요일)?(?:\s*(?:,|·|과|와|하고|이랑|랑)?\s*[{_WEEKDAY}](?:\s*요일)?)*"
_DAY_LIST_NAMED = rf"[{_WEEKDAY}]\s*요일(?:\s*(?:,|·|과|와|하고|이랑|랑)?\s*[{_WEEKDAY}]\s*요일)*"
_PARTICLE = r"(?:\s*(?:에는|에|으로|로|쯤에?|경에?|까지|의))?"


@cache
def _after() -> re.Pattern[str]:
    return re.compile(
        rf"(?<![가-힣\d])(?=\S)(?:(?P<hours>{_NUMBER})\s*시간)?\s*(?P<half_hour>반)?\s*"
        rf"(?:(?P<minutes>{_NUMBER})\s*분)?\s*(?:(?P<seconds>{_NUMBER})\s*초)?\s*{_LATER}"
    )


@cache
def _pieces() -> tuple[re.Pattern[str], ...]:
    """Each finds one part of a time. Compiled at their first use, because that takes 10 ms."""
    return tuple(
        re.compile(pattern)
        for pattern in (
            (
                rf"(?<![가-힣])(?:매주\s*(?P<every_list>{_DAY_LIST})(?:마다)?|매주\s*(?P<every_kind>평일|주말)(?:마다)?)"
                rf"{_PARTICLE}(?![가-힣])"
            ),
            rf"(?<![가-힣])(?P<every_named>{_DAY_LIST_NAMED})\s*마다",
            rf"(?<![가-힣])(?P<daily>매일매일|매일|날마다|평일\s*마다|평일|주말\s*마다){_PARTICLE}",
            rf"(?<![가-힣])(?P<after_days>{_any(_DAYS)}|(?:{_NUMBER})\s*(?:일|주일|주|달|개월))\s*(?:뒤|후|있다가?)(?:에)?",
            rf"(?<![가-힣])(?P<week>{_any(_WEEKS)})\s*주(?:에)?\s*(?P<week_day>[{_WEEKDAY}])\s*요일{_PARTICLE}",
            rf"(?<![가-힣])(?:오는|돌아오는|이번|다음)?\s*(?P<weekday>[{_WEEKDAY}])요일{_PARTICLE}",
            (
                r"(?<![가-힣\d])(?:(?P<year>\d{4})\s*년\s*)?"
                rf"(?P<month>\d{{1,2}}|{_any({**_SINO, **_MONTHS})})\s*월\s*"
                rf"(?P<day>\d{{1,2}}|{_any(_SINO)})\s*일{_PARTICLE}"
            ),
            rf"(?<![가-힣\d])(?P<only_day>\d{{1,2}})\s*일(?=\s|에|날|$)(?:날)?{_PARTICLE}",
            rf"(?<![가-힣])(?P<named>{_any(_NAMED_DAYS)})(?:은|의|이)?{_PARTICLE}(?=\s|\d|$|{_any(_PARTS)}|{_any(_HOURS)})",
            rf"(?<![가-힣\d:])(?:{_PART}\s*)?(?P<hour>\d{{1,2}}|{_any(_HOURS)})\s*시(?!간|작|험|내|장){_MINUTES}{_PARTICLE}",
            rf"(?<![가-힣\d:.])(?:{_PART}\s*)?(?P<colon_hour>\d{{1,2}})\s*:\s*(?P<colon_minute>\d{{2}})(?!\d){_PARTICLE}",
            rf"(?<![가-힣])(?P<twelve>정오|자정){_PARTICLE}",
        )
    )


_ALONE = re.compile(rf"(?<![가-힣])(?P<alone>{_any(_PARTS)})\s*(?:에|때|쯤에?)(?![가-힣])")
"""A part of the day without an hour."""


def find_korean(text: str) -> FoundTime | None:
    """The time in a Korean sentence; ``None`` when none was said.

    Of two times of one kind the first counts, and the other stays in the rest.
    """
    said: dict[str, Any] = {}
    rest = text
    if (after := _after().search(rest)) and (seconds := _seconds(after)):
        said["after_s"] = seconds
        rest = _without(rest, after)
    else:
        for piece in _pieces():
            found = piece.search(rest)
            if found is None or said.keys() & (meant := _meaning(found)).keys() - {"part"}:
                continue
            if "every" in said and "weekday" in meant:
                continue
            said |= meant
            rest = _without(rest, found)
        if "hour" not in said and (alone := _ALONE.search(rest)):
            said["part"] = _PARTS[alone["alone"]]
            rest = _without(rest, alone)
    return FoundTime(said=SaidTime(**said), rest=" ".join(rest.split())) if said else None


def _without(text: str, found: re.Match[str]) -> str:
    return f"{text[: found.start()]} {text[found.end() :]}"


def _number(word: str) -> int:
    word = word.strip()
    return int(word) if word.isdigit() else _NATIVE.get(word) or _SINO[word]


def _seconds(found: re.Match[str]) -> float:
    units = {"hours": 3600, "minutes": 60, "seconds": 1}
    seconds = sum(_number(found[unit]) * length for unit, length in units.items() if found[unit])
    if found["half_hour"]:
        return seconds + (1800 if found["hours"] else 0)
    return float(seconds)


def _days_in(words: str) -> frozenset[int]:
    return frozenset(_WEEKDAY.index(each) for each in words.replace("요일", "") if each in _WEEKDAY)


def _meaning(found: re.Match[str]) -> dict[str, Any]:
    """The fields of ``SaidTime`` that one piece gives."""
    said = {name: value for name, value in found.groupdict().items() if value is not None}
    for name, value in said.items():
        if name in _READERS:
            return _READERS[name](value, said)
    return {}


def _every(value: str, _said: dict[str, str]) -> dict[str, Any]:
    kinds = {"매": EVERY_DAY, "날": EVERY_DAY, "평": WEEKDAYS, "주": WEEKEND}
    return {"every": kinds[value[0]]}


def _every_day_of(value: str, _said: dict[str, str]) -> dict[str, Any]:
    return {"every": _days_in(value)}


def _after_days(value: str, _said: dict[str, str]) -> dict[str, Any]:
    if value in _DAYS:
        return {"days": _DAYS[value]}
    for unit, days in (("주일", 7), ("주", 7), ("일", 1)):
        if value.endswith(unit):
            return {"days": _number(value.removesuffix(unit)) * days}
    return {"months": _number(value.removesuffix("개월").removesuffix("달"))}


def _week_day(value: str, said: dict[str, str]) -> dict[str, Any]:
    return {"weeks": _WEEKS[value], "weekday": _WEEKDAY.index(said["week_day"])}


def _date(value: str, said: dict[str, str]) -> dict[str, Any]:
    month = _MONTHS.get(value) or _number(value)
    year = {"year": int(said["year"])} if "year" in said else {}
    return {"month": month, "day": _number(said["day"]), **year}


def _hour(value: str, said: dict[str, str]) -> dict[str, Any]:
    minute = 30 if "half" in said else _number(said["minute"]) if "minute" in said else 0
    hour = int(value) if value.isdigit() else _HOURS[value]
    return {"hour": hour, "minute": minute, **_part(said)}


def _colon(value: str, said: dict[str, str]) -> dict[str, Any]:
    part = {"part": DayPart.AM} if value.startswith("0") else {}
    return {"hour": int(value), "minute": int(said["colon_minute"]), **part, **_part(said)}


def _part(said: dict[str, str]) -> dict[str, Any]:
    return {"part": _PARTS[said["part"]]} if "part" in said else {}


_READERS: dict[str, Callable[[str, dict[str, str]], dict[str, Any]]] = {
    "every_list": _every_day_of,
    "every_named": _every_day_of,
    "every_kind": _every,
    "daily": _every,
    "after_days": _after_days,
    "week": _week_day,
    "weekday": lambda value, _: {"weekday": _WEEKDAY.index(value)},
    "month": _date,
    "only_day": lambda value, _: {"day": int(value)},
    "named": lambda value, _: {"days": _NAMED_DAYS[value]},
    "hour": _hour,
    "colon_hour": _colon,
    "twelve": lambda value, _: {"hour": 24 if value == "자정" else 12, "part": DayPart.DAY},
}
