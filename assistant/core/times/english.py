"""Finds times in English sentences: ``tomorrow at half past seven``, ``the last Friday of every month at 3 pm``."""

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from assistant.core.times.durations import (
    ENGLISH,
    ENGLISH_DURATION,
    ENGLISH_NUMBER,
    any_of,
    english_number,
    english_seconds,
)
from assistant.core.times.left_over import english_time_word
from assistant.core.times.said import EVERY_DAY, WEEKDAYS, WEEKEND, Cycle, DayPart, FoundTime, Period
from assistant.core.times.scanning import Fields, Piece, Scanner, found_time, often, shifted, with_gaps

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
            *("eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth"),
            *("eighteenth", "nineteenth", "twentieth", "twenty first", "twenty second", "twenty third"),
            *("twenty fourth", "twenty fifth", "twenty sixth", "twenty seventh", "twenty eighth", "twenty ninth"),
            *("thirtieth", "thirty first"),
        ),
        1,
    )
}
_NTH = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "last": -1}
_PARTS = {"morning": DayPart.MORNING, "afternoon": DayPart.PM, "evening": DayPart.EVENING, "night": DayPart.NIGHT}
_UNITS = {"day": Period.DAY, "week": Period.WEEK, "month": Period.MONTH, "year": Period.YEAR}

_NUMBER = rf"\d{{1,4}}|an?|{ENGLISH_NUMBER}"
_DAY_NAME = any_of(_DAY_NAMES)
_SHORT_DAY = rf"{_DAY_NAME}|mon|tues?|wed|thur?s?|fri|sat|sun"
_DAY_LIST = rf"(?:{_DAY_NAME})s?(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+)(?:on\s+)?(?:{_DAY_NAME})s?)*"
_MONTH = any_of([*_MONTH_NAMES, *(name[:3] for name in _MONTH_NAMES if name != "may"), "sept"])
_ORDINAL = rf"\d{{1,2}}(?:st|nd|rd|th)|{any_of(_ORDINALS)}"
_HOUR = rf"\d{{1,2}}|{any_of([word for word, value in ENGLISH.items() if 1 <= value <= 12])}"
_MINUTE = rf"[0-5]\d|(?:oh )?{ENGLISH_NUMBER}"
_HALF = r"(?P<half>a\.?m\.?|p\.?m\.?)(?!\w)"
_IN_PART = r"(?:\s*(?:in\s+the\s+(?P<part>morning|afternoon|evening)|(?P<night>at\s+night)|(?P<tonight>tonight))\b)?"
_AT = r"(?:(?:at|around|for)\s+)?"
_SPLIT = r"\s*(?:[:.]|(?=[0-5]\d\s?[ap]\.?m\b))\s*"
"""Between hour and minutes. A recogniser may write 1003 PM."""
_CLOCK = rf"(?P<hour>{_HOUR})(?:{_SPLIT}(?P<figures>[0-5]\d)(?![\d:])|\s+(?P<minute>{_MINUTE}))?"


def _piece(pattern: str, read: Callable[[dict[str, str]], Fields | None], *, beside: bool = False) -> Piece:
    return Piece(re.compile(pattern), read, beside)


@cache
def _scanner() -> Scanner:
    """The pieces are compiled at their first use, because that takes 10 ms."""
    return Scanner((*_repetitions(), *_days(), *_dates(), *_hours()), _end, _begins)


def _repetitions() -> tuple[Piece, ...]:
    each = r"(?:(?:once\s+)?every|each)"
    return (
        _piece(
            rf"{each}\s+(?P<list>{_DAY_LIST})(?:\s+(?P<part>morning|afternoon|evening|night))?",
            lambda said: {"every": _days_in(said["list"]), **_part(said)},
        ),
        _piece(
            rf"(?:on\s+)?(?P<list>(?:{_DAY_NAME})s(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+)(?:on\s+)?(?:{_DAY_NAME})s)*)",
            _every_listed,
        ),
        _piece(
            rf"(?:{each}\s+(?:single\s+)?(?P<daily>day|weekday|working day|workday|weekend)|everyday|daily)", _every
        ),
        _piece(r"(?:on\s+)?(?P<daily>weekdays|weekends)", _every),
        _piece(
            rf"{each}\s+(?P<part>morning|afternoon|evening|night)", lambda said: {"every": EVERY_DAY, **_part(said)}
        ),
        _piece(rf"(?:of\s+|in\s+)?{each}\s+(?P<unit>week|month|year)", _cycle),
        _piece(r"(?P<unit>week|month|year)ly|(?P<annual>annually)|(?P<fortnight>fortnightly)", _cycle),
        _piece(rf"{each}\s+(?P<other>other|second)\s+(?P<unit>day|week|month|year)", _cycle),
        _piece(rf"{each}\s+(?P<count>{_NUMBER})\s+(?P<unit>day|week|month|year)s", _cycle),
        _piece(
            rf"{each}\s+(?:(?P<count>{_NUMBER})\s+)?(?P<unit>hour|minute)s?|(?P<half>{each}\s+half\s+(?:an\s+)?hour)",
            _cycle_often,
        ),
        _piece(rf"{each}\s+(?P<fortnight>fortnight)", _cycle),
        _piece(
            rf"{each}\s+other\s+(?P<list>{_DAY_NAME})",
            lambda said: {"cycle": Cycle(Period.WEEK, 2), "weekdays": _days_in(said["list"])},
        ),
        _piece(
            rf"{each}\s+(?P<month>{_MONTH})\s+(?P<day>{_ORDINAL}|\d{{1,2}})",
            lambda said: {"cycle": Cycle(Period.YEAR), **_date(said)},
        ),
    )


def _days() -> tuple[Piece, ...]:
    part = r"(?:\s+(?P<part>morning|afternoon|evening|night))?"
    return (
        _piece(
            rf"in\s+(?:(?P<count>{_NUMBER})\s+(?P<unit>day|week|month|year)s?|(?P<fortnight>a\s+fortnight))", _after
        ),
        _piece(
            rf"(?:(?P<count>{_NUMBER})\s+(?P<unit>day|week|month|year)s?|(?P<fortnight>a\s+fortnight))\s+from\s+(?:now|today)",
            _after,
        ),
        _piece(rf"(?:on\s+)?(?:the\s+)?day\s+after\s+tomorrow{part}", lambda said: {"days": 2, **_part(said)}),
        _piece(
            rf"(?:on\s+)?(?P<named>today|tomorrow|yesterday){part}",
            lambda said: {"days": ("yesterday", "today", "tomorrow").index(said["named"]) - 1, **_part(said)},
        ),
        _piece(r"(?P<tonight>tonight)", _part),
        _piece(r"this\s+(?P<part>morning|afternoon|evening)", lambda said: {"days": 0, **_part(said)}),
        _piece(r"in\s+the\s+(?P<part>morning|afternoon|evening)|(?P<night>at\s+night)", _part, beside=True),
        _piece(
            rf"(?:on\s+)?(?P<day>{_DAY_NAME})\s+(?:of\s+)?(?P<which>next|this)\s+week"
            rf"|(?P<which_>next|this)\s+week\s+(?:on\s+)?(?P<day_>{_DAY_NAME})",
            lambda said: {"weekdays": _days_in(said.get("day") or said["day_"]), "weeks": int(_next(said))},
        ),
        _piece(
            rf"(?:on\s+)?(?:(?P<which>next|this|coming)\s+)?(?P<day>{_DAY_NAME}){part}",
            lambda said: {"weekdays": _days_in(said["day"]), **_following(said), **_part(said)},
        ),
        _piece(rf"(?:on|this|next)\s+(?P<day>{_SHORT_DAY})", _short_day),
        _piece(
            rf"(?:on\s+)?(?:the\s+)?(?P<day>{_DAY_NAME})\s+after\s+next",
            lambda said: {"weekdays": _days_in(said["day"]), "weeks": 2, "following": True},
        ),
    )


def _dates() -> tuple[Piece, ...]:
    year = r"(?:(?:\s*,)?\s+(?P<year>20\d\d))?"
    # "on the second floor" is no day.
    free = r"(?=\s*(?:$|[,.]|(?:of|at|to|in\s+the|every|each|next|this|around|that|please)\b))"
    nth = rf"(?:on\s+)?(?:the\s+)?(?P<nth>{any_of(_NTH)})\s+(?P<list>{_DAY_NAME})"
    return (
        _piece(
            r"(?:on\s+|in\s+|of\s+)*(?:the\s+)?(?P<which>next|this)\s+(?P<unit>month|year)",
            lambda said: {"months_on" if said["unit"] == "month" else "years": int(said["which"] == "next")},
        ),
        _piece(r"of\s+the\s+month", lambda _: {"of_month": True}),
        _piece(rf"(?:on\s+)?(?:the\s+)?(?P<month>{_MONTH})\.?\s+(?:the\s+)?(?P<day>{_ORDINAL}|\d{{1,2}}){year}", _date),
        _piece(
            rf"(?:on\s+)?(?:the\s+)?(?P<day>{_ORDINAL}|\d{{1,2}})\s+(?:of\s+)?(?P<month>{_MONTH})\b\.?{year}", _date
        ),
        _piece(rf"on\s+the\s+(?P<day>{_ORDINAL}){free}|the\s+(?P<day_>{_ORDINAL})(?=\s+of\s)", _date),
        _piece(r"(?:on\s+)?the\s+last\s+day(?=\s+(?:of|in)\s)", lambda _: {"day": -1}),
        _piece(
            rf"{nth}(?=\s+(?:of|in|every|each)\s)",
            lambda said: {"nth": _NTH[said["nth"]], "weekdays": _days_in(said["list"])},
        ),
        _piece(rf"(?:of|in)\s+(?P<month>{_MONTH}){year}", _date),
        _piece(r"(?:on\s+)?(?P<year>20\d\d)(?P<mark>[-/])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})(?![\d/-])", _date),
        _piece(
            r"(?:on\s+)?(?P<first>\d{1,2})/(?P<second>\d{1,2})(?:/(?P<year>20\d\d))?(?![\d/])", _slashed, beside=True
        ),
    )


def _hours() -> tuple[Piece, ...]:
    span = rf"{_AT}(?:exactly\s+)?(?P<span>half|a?\s*quarter|{_MINUTE})|(?P<span_>{ENGLISH_DURATION})"
    clock = rf"{_CLOCK}(?:\s*{_HALF})?{_IN_PART}"
    return (
        _piece(
            rf"(?:in|after)\s+(?P<duration>{ENGLISH_DURATION})(?:\s+from\s+now)?|(?P<duration_>{ENGLISH_DURATION})\s+from\s+now",
            _delay,
        ),
        _piece(
            rf"(?:{span})\s+(?P<way>past|to|after|before|till)\s+(?:{clock}|(?P<twelve>noon|midnight))",
            _relative,
        ),
        _piece(rf"{_AT}{_CLOCK}\s*{_HALF}", _clock),
        _piece(rf"{_AT}(?P<hour>{_HOUR})\s*o['’]?\s?clock{_IN_PART}", _clock),
        _piece(rf"{_AT}(?P<hour>\d{{1,2}}):(?P<figures>[0-5]\d)(?![\d:]){_IN_PART}", _clock),
        _piece(rf"(?:at|around)\s+{_CLOCK}{_IN_PART}", _clock),
        _piece(rf"(?<=alarm\s)for\s+{_CLOCK}{_IN_PART}|(?<=reminder\s)for\s+(?P<hour_>{_HOUR})", _clock),
        _piece(rf"for\s+(?P<hour>{_HOUR}){_IN_PART}", _clock, beside=True),
        _piece(rf"{_AT}(?P<twelve>noon|midday|midnight)", _clock),
    )


def find_english(text: str) -> FoundTime | None:
    """The time in an English sentence; ``None`` when none was said, or when a word of time is left over.

    What was not read could change the time, so half a reading is none.
    """
    found = _scanner().scan(text)
    return None if english_time_word(with_gaps(text, found)) else found_time(text, found)


def whole_english(text: str) -> FoundTime | None:
    """The time that an English text is as a whole; ``None`` if it has any other word."""
    for words in (text, f"at {text}"):
        found = find_english(words)
        if found and not found.rest.strip(" ,."):
            return found
    return None


def _begins(text: str, at: int) -> bool:
    return not re.match(r"[\w.,:/~–'’-]", text[at - 1 : at]) and text[at] not in " ,." if at else text[at] not in " ,."


def _end(text: str, at: int, _begins: Callable[[int], bool]) -> int | None:
    return None if re.match(r"[\w:/~%$'’-]|\.\d|\s*(?:%|percent)", text[at:]) else at


def _days_in(words: str) -> frozenset[int]:
    return frozenset(index for index, name in enumerate(_DAY_NAMES) if name in words)


def _short_day(said: dict[str, str]) -> Fields:
    return {"weekdays": frozenset({next(i for i, name in enumerate(_DAY_NAMES) if name.startswith(said["day"][:3]))})}


def _every_listed(said: dict[str, str]) -> Fields:
    return {"every": _days_in(said["list"])}


def _every(said: dict[str, str]) -> Fields:
    word = said.get("daily", "day")
    return {"every": WEEKEND if "weekend" in word else WEEKDAYS if word.startswith(("week", "work")) else EVERY_DAY}


def _cycle(said: dict[str, str]) -> Fields | None:
    if "fortnight" in said:
        return {"cycle": Cycle(Period.WEEK, 2)}
    count = 2 if "other" in said else english_number(said["count"]) if "count" in said else 1
    return {"cycle": Cycle(_UNITS[said.get("unit", "year")], count)} if count else None


def _cycle_often(said: dict[str, str]) -> Fields | None:
    if "half" in said:
        return often(30, Period.MINUTE)
    count = english_number(said["count"]) if "count" in said else 1
    return often(count, Period.MINUTE if said["unit"] == "minute" else Period.HOUR)


def _after(said: dict[str, str]) -> Fields:
    if "fortnight" in said:
        return {"in_weeks": 2}
    count, unit = english_number(said["count"]), said["unit"]
    if unit == "day":
        return {"days": count}
    return {"in_weeks": count} if unit == "week" else {"months": count * (12 if unit == "year" else 1)}


def _next(said: dict[str, str]) -> bool:
    return "next" in (said.get("which"), said.get("which_"))


def _following(said: dict[str, str]) -> Fields:
    return {"weeks": 1, "following": True} if _next(said) else {}


def _date(said: dict[str, str]) -> dict[str, int]:
    read = {}
    if day := said.get("day") or said.get("day_"):
        read["day"] = _ORDINALS.get(" ".join(day.split())) or int(re.sub(r"\D", "", day))
    if month := said.get("month"):
        read["month"] = (
            int(month)
            if month.isdigit()
            else next(i for i, name in enumerate(_MONTH_NAMES, 1) if name.startswith(month[:3]))
        )
    return read | ({"year": int(said["year"])} if "year" in said else {})


def _slashed(said: dict[str, str]) -> Fields | None:
    """A date of which only one order is possible: people write both the month and the day first."""
    first, second = int(said["first"]), int(said["second"])
    year = {"year": int(said["year"])} if "year" in said else {}
    if first == second or second > _MONTHS:
        return {"month": first, "day": second, **year}
    return {"month": second, "day": first, **year} if first > _MONTHS else None


def _delay(said: dict[str, str]) -> Fields | None:
    seconds = english_seconds(said.get("duration") or said["duration_"])
    return {"after_s": seconds} if seconds else None


def _part(said: dict[str, str]) -> dict[str, Any]:
    if "tonight" in said:
        return {"days": 0, "part": DayPart.NIGHT}
    if "half" in said:
        return {"part": DayPart.AM if said["half"].startswith("a") else DayPart.PM}
    if "night" in said:
        return {"part": DayPart.NIGHT}
    return {"part": _PARTS[said["part"]]} if "part" in said else {}


def _clock(said: dict[str, str]) -> dict[str, Any]:
    if "twelve" in said:
        return {"hour": 24 if said["twelve"] == "midnight" else 12, "minute": 0, "part": DayPart.DAY}
    word = said.get("hour") or said["hour_"]
    minute = int(said["figures"]) if "figures" in said else english_number(said["minute"]) if "minute" in said else 0
    early = {"part": DayPart.AM} if word.startswith("0") else {}
    return {"hour": english_number(word), "minute": minute, **early, **_part(said)}


def _relative(said: dict[str, str]) -> Fields | None:
    span = said.get("span")
    if span is None:
        minutes = round(english_seconds(said["span_"]) / 60)
    else:
        minutes = 30 if span == "half" else 15 if span.endswith("quarter") else english_number(span)
    clock = _clock(said)
    minutes = minutes if said["way"] in ("past", "after") else -minutes
    moved = shifted(clock["hour"], clock["minute"], minutes, clock.get("part"))
    return {**clock, **moved} if moved else None


_MONTHS = 12
