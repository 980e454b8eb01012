"""Finds times in English sentences: ``tomorrow at half past seven``, ``in twenty minutes``, ``every weekday at 7``."""

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from assistant.core.times.said import EVERY_DAY, WEEKDAYS, WEEKEND, DayPart, FoundTime, SaidTime

_SMALL = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_NUMBERS = (
    {word: value for value, word in enumerate(_SMALL)}
    | {word: 20 + 10 * index for index, word in enumerate(_TENS)}
    | {
        f"{tens}{gap}{_SMALL[ones]}": 20 + 10 * index + ones
        for index, tens in enumerate(_TENS)
        for ones in range(1, 10)
        for gap in (" ", "-")
    }
)
_DAY_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTH_NAMES = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_ORDINALS = {
    word: value
    for value, word in enumerate(
        (
            *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"),
            *("eleventh", "twelfth"),
        ),
        1,
    )
}
_PARTS = {"morning": DayPart.MORNING, "afternoon": DayPart.PM, "evening": DayPart.EVENING, "night": DayPart.NIGHT}


def _any(words: Any) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_NUMBER = rf"\d{{1,4}}|an?|{_any(_NUMBERS)}"
_DAY_NAME = _any(_DAY_NAMES)
_MONTH = _any([*_MONTH_NAMES, *(name[:3] for name in _MONTH_NAMES), "sept"])
_ORDINAL = rf"\d{{1,2}}(?:st|nd|rd|th)?|{_any(_ORDINALS)}"
_HOUR = rf"\d{{1,2}}|{_any(_SMALL[1:13])}"
_MINUTE = rf"[0-5]\d|(?:oh )?{_any([word for word, value in _NUMBERS.items() if 1 <= value < 60])}"
_HALF = r"(?P<{0}>a\.?m\.?|p\.?m\.?)(?!\w)"
_IN_PART = r"(?:\s*(?:in the (?P<{0}>morning|afternoon|evening)|(?P<{1}>at night|tonight)))?"
_UNIT = r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?)"


@cache
def _after() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:in|after)\s+(?P<after>(?:half an hour|(?:a )?quarter of an hour|an hour and a half"
        rf"|(?:{_NUMBER})\s*{_UNIT}"
        rf"(?:\s*(?:and|,)?\s*(?:a half|(?:{_NUMBER})\s*{_UNIT}))*|(?:{_NUMBER}) and a half (?:hours|minutes)))\b"
        rf"(?:\s+from now)?|\b(?P<from_now>(?:{_NUMBER})\s*{_UNIT})\s+from now\b"
    )


@cache
def _pieces() -> tuple[re.Pattern[str], ...]:
    """Each finds one part of a time. Compiled at their first use, because that takes 10 ms."""
    return tuple(
        re.compile(pattern)
        for pattern in (
            rf"\b(?:every|each)\s+week\s+on\s+(?P<weekly>{_DAY_NAME})\b",
            rf"\b(?:every|each)\s+(?P<every_named>(?:{_DAY_NAME})s?(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+)(?:{_DAY_NAME})s?)*)\b",
            rf"\bon\s+(?P<plural>(?:{_DAY_NAME})s(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+)(?:{_DAY_NAME})s)*)\b",
            (
                r"\b(?:every|each)\s+(?P<daily>day|weekday|working day|weekend)\b|\b(?P<daily_word>everyday|daily)\b"
                r"|\b(?:on )?(?P<on_days>weekdays|weekends)\b"
            ),
            r"\b(?:every|each)\s+(?P<every_part>morning|afternoon|evening|night)\b",
            rf"\bin\s+(?P<after_count>{_NUMBER})\s+(?P<after_unit>days?|weeks?|months?)\b",
            rf"\b(?P<overmorrow>(?:the )?day after tomorrow)\b(?:\s+(?P<overmorrow_part>{_any(_PARTS)})\b)?",
            r"\b(?:on )?(?P<named>today|tomorrow|yesterday)\b(?:\s+(?P<named_part>morning|afternoon|evening|night)\b)?",
            r"\b(?P<tonight>tonight)\b",
            r"\bthis\s+(?P<this_part>morning|afternoon|evening)\b",
            (
                rf"\b(?:on\s+)?(?:(?P<day_of_week>{_DAY_NAME})\s+(?P<week_after>next|this) week"
                rf"|(?P<week_before>next|this) week (?:on )?(?P<day_in_week>{_DAY_NAME}))\b"
            ),
            (
                rf"\b(?:on\s+)?(?:(?P<which>next|this|coming)\s+)?(?P<weekday>{_DAY_NAME})\b"
                r"(?:\s+(?P<weekday_part>morning|afternoon|evening|night)\b)?"
            ),
            (
                rf"\b(?:on\s+)?(?:the\s+)?(?:(?P<month>{_MONTH})\.?\s+(?:the\s+)?(?P<day>{_ORDINAL})"
                rf"|(?P<day_first>{_ORDINAL})\s+(?:of\s+)?(?P<month_last>{_MONTH}))\b(?:,?\s+(?P<year>20\d\d)\b)?"
            ),
            rf"\bon\s+the\s+(?P<only_day>\d{{1,2}}(?:st|nd|rd|th)|{_any(_ORDINALS)})\b",
            (
                rf"\b(?:(?:at|for|by|around|to|from)\s+)?(?P<relative>half|a?\s*quarter|{_MINUTE})(?:\s+minutes)?\s+"
                rf"(?P<way>past|to|after|before)\s+(?P<relative_hour>{_HOUR})\b(?:\s*{_HALF.format('relative_half')})?"
                rf"{_IN_PART.format('relative_part', 'relative_night')}"
            ),
            (
                rf"\b(?:(?:at|for|by|around)\s+)?(?P<hour>{_HOUR})(?:\s*[:.]\s*(?P<figures>[0-5]\d)|\s+(?P<minute>{_MINUTE}))?"
                rf"\s*{_HALF.format('half')}"
            ),
            (
                rf"\b(?:(?:at|for|by|around)\s+)?(?P<oclock>{_HOUR})\s*o['’]?\s?clock\b"
                rf"{_IN_PART.format('oclock_part', 'oclock_night')}"
            ),
            (
                rf"\b(?:(?:at|for|by|around)\s+)?(?P<colon_hour>\d{{1,2}}):(?P<colon_minute>[0-5]\d)\b"
                rf"{_IN_PART.format('colon_part', 'colon_night')}"
            ),
            (
                rf"\b(?:at|for|by|around)\s+(?P<bare>{_HOUR})(?:\s+(?P<bare_minute>{_MINUTE}))?\b(?!\s*(?:%|percent|{_UNIT}|days?))"
                rf"{_IN_PART.format('bare_part', 'bare_night')}"
            ),
            r"\b(?:(?:at|for|by)\s+)?(?P<twelve>noon|midnight)\b",
        )
    )


def find_english(text: str) -> FoundTime | None:
    """The time in an English sentence; ``None`` when none was said.

    Of two times of one kind the first counts, and the other stays in the rest.
    """
    said: dict[str, Any] = {}
    lower, rest = text.lower(), text
    if after := _after().search(lower):
        said["after_s"] = _seconds(after["after"] or after["from_now"])
        rest = _without(rest, after)
    else:
        for piece in _pieces():
            found = piece.search(rest.lower())
            if found is None:
                continue
            meant = _meaning({name: value for name, value in found.groupdict().items() if value is not None})
            if said.keys() & meant.keys() - {"part"} or ({"every", "days"} & said.keys() and "weekday" in meant):
                continue
            said |= {name: value for name, value in meant.items() if name != "part" or "part" not in said}
            rest = _without(rest, found)
    return FoundTime(said=SaidTime(**said), rest=" ".join(rest.split())) if said else None


def _without(text: str, found: re.Match[str]) -> str:
    return f"{text[: found.start()]} {text[found.end() :]}"


def _number(word: str) -> int:
    word = word.strip()
    if word.isdigit():
        return int(word)
    return 1 if word in ("a", "an") else _NUMBERS[word.removeprefix("oh ")]


def _seconds(words: str) -> float:
    """Length of a duration in seconds."""
    if words == "half an hour":
        return 1800
    if "quarter" in words:
        return 900
    units = {"s": 1, "m": 60, "h": 3600}
    total, last = 0.0, 0
    for count, with_half, unit, half in re.findall(rf"(?:({_NUMBER})( and a half)?\s*({_UNIT}))|(a half)\b", words):
        if half:
            total += last / 2
        else:
            last = units[unit[0]]
            total += (_number(count) + (0.5 if with_half else 0)) * last
    return total


def _meaning(said: dict[str, str]) -> dict[str, Any]:
    """The fields of ``SaidTime`` that one piece gives."""
    for name in said:
        if name in _READERS:
            return _READERS[name](said)
    return {}


def _part(said: dict[str, str], *names: str) -> dict[str, Any]:
    for name in names:
        if name in said:
            return {"part": _PARTS["night" if name.endswith("night") else said[name]]}
    return {}


def _half(word: str) -> dict[str, Any]:
    return {"part": DayPart.AM if word.startswith("a") else DayPart.PM}


def _hour(word: str) -> int:
    return int(word) if word.isdigit() else _SMALL.index(word)


def _day(word: str) -> int:
    return _ORDINALS[word] if word in _ORDINALS else int(re.sub(r"\D", "", word))


def _month(word: str) -> int:
    return next(index for index, name in enumerate(_MONTH_NAMES, 1) if name.startswith(word[:3]))


def _every_of(words: str) -> dict[str, Any]:
    return {"every": frozenset(index for index, name in enumerate(_DAY_NAMES) if name in words)}


def _every(said: dict[str, str]) -> dict[str, Any]:
    word = next(iter(said.values()))
    return {"every": WEEKEND if "weekend" in word else WEEKDAYS if word.startswith(("week", "work")) else EVERY_DAY}


def _after_days(said: dict[str, str]) -> dict[str, Any]:
    count, unit = _number(said["after_count"]), said["after_unit"]
    return {"months": count} if unit.startswith("month") else {"days": count * (7 if unit.startswith("week") else 1)}


def _week(said: dict[str, str]) -> dict[str, Any]:
    which = said.get("week_after") or said.get("week_before")
    day = said.get("day_of_week") or said["day_in_week"]
    return {"weekday": _DAY_NAMES.index(day), "weeks": 1 if which == "next" else 0}


def _weekday(said: dict[str, str]) -> dict[str, Any]:
    weeks = {"weeks": 1} if said.get("which") == "next" else {}
    return {"weekday": _DAY_NAMES.index(said["weekday"]), **weeks, **_part(said, "weekday_part")}


def _date(said: dict[str, str]) -> dict[str, Any]:
    month = _month(said.get("month") or said["month_last"])
    year = {"year": int(said["year"])} if "year" in said else {}
    return {"month": month, "day": _day(said.get("day") or said["day_first"]), **year}


def _relative(said: dict[str, str]) -> dict[str, Any]:
    word, hour = said["relative"], _hour(said["relative_hour"])
    minutes = 30 if word == "half" else 15 if word.endswith("quarter") else _number(word)
    if said["way"] in ("to", "before"):
        hour, minutes = (hour - 1) or 12, 60 - minutes
    half = _half(said["relative_half"]) if "relative_half" in said else {}
    return {"hour": hour, "minute": minutes, **_part(said, "relative_part", "relative_night"), **half}


def _clock(said: dict[str, str]) -> dict[str, Any]:
    minute = int(said["figures"]) if "figures" in said else _number(said["minute"]) if "minute" in said else 0
    return {"hour": _hour(said["hour"]), "minute": minute, **_half(said["half"])}


def _bare(said: dict[str, str]) -> dict[str, Any]:
    minute = _number(said["bare_minute"]) if "bare_minute" in said else 0
    return {"hour": _hour(said["bare"]), "minute": minute, **_part(said, "bare_part", "bare_night")}


_READERS: dict[str, Callable[[dict[str, str]], dict[str, Any]]] = {
    "weekly": lambda said: _every_of(said["weekly"]),
    "every_named": lambda said: _every_of(said["every_named"]),
    "plural": lambda said: _every_of(said["plural"]),
    "daily": _every,
    "daily_word": _every,
    "on_days": _every,
    "every_part": lambda said: {"every": EVERY_DAY, **_part(said, "every_part")},
    "after_count": _after_days,
    "overmorrow": lambda said: {"days": 2, **_part(said, "overmorrow_part")},
    "named": lambda said: {
        "days": ("yesterday", "today", "tomorrow").index(said["named"]) - 1,
        **_part(said, "named_part"),
    },
    "tonight": lambda _: {"days": 0, "part": DayPart.NIGHT},
    "this_part": lambda said: {"days": 0, **_part(said, "this_part")},
    "day_of_week": _week,
    "week_before": _week,
    "weekday": _weekday,
    "month": _date,
    "day_first": _date,
    "only_day": lambda said: {"day": _day(said["only_day"])},
    "relative": _relative,
    "hour": _clock,
    "oclock": lambda said: {"hour": _hour(said["oclock"]), **_part(said, "oclock_part", "oclock_night")},
    "colon_hour": lambda said: {
        "hour": int(said["colon_hour"]),
        "minute": int(said["colon_minute"]),
        **({"part": DayPart.AM} if said["colon_hour"].startswith("0") else {}),
        **_part(said, "colon_part", "colon_night"),
    },
    "bare": _bare,
    "twelve": lambda said: {"hour": 24 if said["twelve"] == "midnight" else 12, "part": DayPart.DAY},
}
