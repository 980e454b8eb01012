"""Dates, times and years in English words."""

import re
from typing import Final

from assistant.speech.text.english.numerals import cardinal, ordinal, plural, year
from assistant.speech.text.vocabulary import listed

_ZONE: Final = re.compile(r"\b(UTC|GMT)\s?([+-])\s?0?(\d{1,2})(?::([0-5]\d))?(?![\d:])")
_MONTHS: Final = listed("January February March April May June July August September October November December")
_SHORT_MONTHS: Final = {
    **{month[:3].lower(): month for month in _MONTHS},
    "sept": "September",
    **{month.lower(): month for month in _MONTHS},
}
_MONTH: Final = "|".join(sorted(_SHORT_MONTHS, key=len, reverse=True))
_ABBREVIATED_MONTH: Final = re.compile(
    r"\b(Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec)(?:\.(?=\s[\d,a-z])|(?=\s\d))"
)
_WEEKDAYS: Final = {
    "mon": "Monday",
    "tue": "Tuesday",
    "tues": "Tuesday",
    "wed": "Wednesday",
    "thu": "Thursday",
    "thur": "Thursday",
    "thurs": "Thursday",
    "fri": "Friday",
    "sat": "Saturday",
    "sun": "Sunday",
}
_WEEKDAY: Final = re.compile(
    r"(?<!\w)(Mon|Tues|Tue|Wed|Thurs|Thur|Thu|Fri|Sat|Sun)(?:\.|(?=,\s|\)|\s?[-–]\s?(?:Mon|Tue|"
    r"Wed|Thu|Fri|Sat|Sun)|$|\s\d))(?![a-z])"
)
_WEEKDAY_RANGE: Final = re.compile(r"(?<=day)\s?[-–]\s?(?=(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)")
_ISO: Final = re.compile(r"(?<![\w./-])(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)(?:T(?=\d))?", re.ASCII)
_SLASHED: Final = re.compile(r"(?<![\w./-])(\d{1,2})/(\d{1,2})/(\d{4}|\d{2})(?![\d/])", re.ASCII)
_YEAR_MONTH: Final = re.compile(r"(?<![\w./-])((?:19|20)\d{2})-(0[1-9]|1[0-2])(?![\w-]|[/.,]\d)", re.ASCII)
_MONTH_DAY: Final = re.compile(
    r"(?<![\w./-])(\d{1,2})/(\d{1,2})(?![\d/]|[.,]\d|\s?(?:cups?|of|inch|mile|teaspoons?|tablespoons?|pound|full))",
    re.ASCII,
)
_NAMED: Final = re.compile(
    rf"\b({_MONTH})\.?\s(\d{{1,2}})(?:st|nd|rd|th)?(?:\s?[-–]\s?(\d{{1,2}})(?:st|nd|rd|"
    rf"th)?)?(?![\d:%]|\.\d)(?:(,?)\s(\d{{4}})(?!\d))?",
    re.IGNORECASE,
)
_DAY_FIRST: Final = re.compile(
    rf"(?<![\d.,:$])(\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?({_MONTH})\b\.?(?:(,?)\s(\d{{4}})(?!\d))?", re.IGNORECASE
)
_MONTH_YEAR: Final = re.compile(rf"\b({_MONTH})\.?(,?)\s((?:1\d|20)\d{{2}})(?!\d|,\d)", re.IGNORECASE)
_AM_PM: Final = r"[aA]\.?[mM]\b(?:\.(?!\s*$|\s+[A-Z]))?|[pP]\.?[mM]\b(?:\.(?!\s*$|\s+[A-Z]))?"
_CLOCK: Final = re.compile(
    rf"(?<![\d:.,/])(\d{{1,2}}):([0-5]\d)(?::([0-5]\d)(?:\.\d{{1,6}})?)?(?:Z(?!\w))?(?:\s?({_AM_PM}))?(?![\d:]|\.\d)",
    re.ASCII,
)
_HOUR: Final = re.compile(rf"(?<![\d:.,/$])(\d{{1,2}})(?:\s?[-–]\s?(\d{{1,2}}))?\s?({_AM_PM})(?!\w)", re.ASCII)
_TIME_RANGE: Final = re.compile(r"(?<=\d)(\s?(?:[aApP]\.?[mM]\.?)?)\s?[-–]\s?(?=\d{1,2}:\d\d|\d{1,2}\s?[aApP]\.?[mM])")
_OCLOCK: Final = re.compile(r"\s?o'clock", re.IGNORECASE)
_DECADE: Final = re.compile(r"(?<![\d.,$€£'])('?)(\d{4}|\d0)'?s\b")
_YEAR: Final = re.compile(
    r"(?<![\d.,$€£/:xX-])((?:1[1-9]|20)\d{2})(?:\s?([-–])\s?((?:1[1-9]|"
    r"20)\d{2}))?(?![\d%°/:xX×]|[.,]\d|-\d|\s?(?:[kKMG]?[bBmgLWV]\b|km|kg|cm|mm|ml|mL|Hz|kcal|cal\b|ppm|rpm))"
)
_YEAR_BEFORE: Final = re.compile(
    r"(?:\b(?:in|since|by|from|of|year|until|till|to|after|before|during|early|late|mid|around|"
    r"circa|and|years|class of|summer|spring|fall|"
    r"winter|autumn|between|copyright|©|established|founded|born|died|released|published|the)\s|\(|-|^)$",
    re.IGNORECASE,
)
_COUNTED: Final = re.compile(
    r"\s(?:[a-z]+s|people|won|percent|men|women|children|more|yen|times|of|"
    r"feet)\b(?<!\bwas)(?<!\bis)(?<!\bhas)(?<!\bcensus)(?<!\bOlympics)"
)
_CENTURIES: Final = (1900, 2099)
_LAST_MONTH: Final = 12
_LAST_DAY: Final = 31
_NOON: Final = 12
_LAST_HOUR: Final = 24
_TENTH: Final = 10


def with_dates_in_words(text: str) -> str:
    """``text`` with its dates, times and years in words."""
    text = _ZONE.sub(_zone, text)
    text = _WEEKDAY_RANGE.sub(" to ", _WEEKDAY.sub(lambda found: _WEEKDAYS[found.group(1).lower()], text))
    text = _ABBREVIATED_MONTH.sub(lambda found: _SHORT_MONTHS[found.group(1).lower()], text)
    text = _TIME_RANGE.sub(r"\1 to ", text)
    text = _SLASHED.sub(_slashed, _ISO.sub(_iso, text))
    text = _YEAR_MONTH.sub(lambda found: f"{_MONTHS[int(found.group(2)) - 1]} {year(int(found.group(1)))}", text)
    text = _MONTH_YEAR.sub(lambda found: f"{_month(found.group(1))}{found.group(2)} {year(int(found.group(3)))}", text)
    text = _DAY_FIRST.sub(_day_first, _NAMED.sub(_named, text))
    text = _MONTH_DAY.sub(_month_day, text)
    text = _HOUR.sub(_hour, _CLOCK.sub(_clock, text))
    return _YEAR.sub(_year, _DECADE.sub(_decade, text))


def _month(name: str) -> str:
    return _SHORT_MONTHS[name.lower()]


def _date(year_figures: str, month: int, day: int) -> str:
    return f"{_MONTHS[month - 1]} {ordinal(day)}, {_full_year(year_figures)}"


def _full_year(figures: str) -> str:
    if len(figures) == 2:
        return year(2000 + int(figures))
    return year(int(figures)) if int(figures) > 1000 else cardinal(int(figures))


def _is_date(month: int, day: int) -> bool:
    return 1 <= month <= _LAST_MONTH and 1 <= day <= _LAST_DAY


def _iso(found: re.Match[str]) -> str:
    month, day = int(found.group(3)), int(found.group(4))
    if not _is_date(month, day):
        return found.group()
    return _date(found.group(1), month, day) + (" at " if found.group().endswith("T") else "")


def _slashed(found: re.Match[str]) -> str:
    """Month first, as in American usage; day first where the first number cannot be a month."""
    first, second = int(found.group(1)), int(found.group(2))
    if _is_date(first, second):
        return _date(found.group(3), first, second)
    return _date(found.group(3), second, first) if _is_date(second, first) else found.group()


def _month_day(found: re.Match[str]) -> str:
    month, day = int(found.group(1)), int(found.group(2))
    is_fraction = day <= _TENTH or (month, day) in {(5, 12), (7, 12), (11, 12), (1, 12), (1, 16), (3, 16), (1, 20)}
    if not _is_date(month, day) or (is_fraction and not re.search(r"\bon\s$", found.string[: found.start()])):
        return found.group()
    return f"{_MONTHS[month - 1]} {ordinal(day)}"


def _named(found: re.Match[str]) -> str:
    name, day, last, comma, year_figures = found.groups()
    if not 1 <= int(day) <= _LAST_DAY or (
        name.islower() and name in {"may", "march", "mar", "sep", "dec", "jan", "jun"}
    ):
        return found.group()
    until = f" to {ordinal(int(last))}" if last and int(last) <= _LAST_DAY else (f" to {last}" if last else "")
    end = f", {_full_year(year_figures)}" if year_figures else ""
    del comma
    return f"{_month(name)} {ordinal(int(day))}{until}{end}"


def _day_first(found: re.Match[str]) -> str:
    day, name, comma, year_figures = found.groups()
    if not 1 <= int(day) <= _LAST_DAY or name.islower():
        return found.group()
    end = f"{comma} {_full_year(year_figures)}" if year_figures else ""
    before = "" if re.search(r"\bthe\s$", found.string[: found.start()], re.IGNORECASE) else "the "
    return f"{before}{ordinal(int(day))} of {_month(name)}{end}"


def _clock(found: re.Match[str]) -> str:
    hour, minute, second, half = found.groups()
    if int(hour) > _LAST_HOUR:
        return found.group()
    words = cardinal(int(hour))
    if int(minute):
        words += f" {cardinal(int(minute))}" if int(minute) >= _TENTH else f" oh {cardinal(int(minute))}"
    elif not half and not second:
        is_full = int(hour) <= _NOON and hour != "00" and hour != "0"
        words += (
            " o'clock"
            if is_full and not _OCLOCK.match(found.string, found.end())
            else " hundred"
            if not is_full
            else ""
        )
    if second and int(second):
        words += f" and {cardinal(int(second))} second{'s' if int(second) > 1 else ''}"
    return words + _half(half)


def _hour(found: re.Match[str]) -> str:
    hour, last, half = found.groups()
    if not 1 <= int(hour) <= _NOON:
        return found.group()
    until = f" to {cardinal(int(last))}" if last else ""
    return cardinal(int(hour)) + until + _half(half)


def _half(half: str | None) -> str:
    return "" if not half else (" A-M" if half[0] in "aA" else " P-M")


def _decade(found: re.Match[str]) -> str:
    figures = found.group(2)
    value = int(figures)
    if len(figures) == 4:
        return plural(year(value)) if value % 10 == 0 else found.group()
    return plural(cardinal(value)) if value >= 20 else found.group()


def _year(found: re.Match[str]) -> str:
    figures, dash, last = found.groups()
    before = found.string[max(0, found.start() - 12) : found.start()]
    if dash:
        return f"{year(int(figures))} to {year(int(last))}"
    is_counted = _COUNTED.match(found.string, found.end()) is not None
    is_recent = _CENTURIES[0] <= int(figures) <= _CENTURIES[1]
    if not is_counted and (is_recent or _YEAR_BEFORE.search(before)):
        return year(int(figures))
    return found.group()


def _zone(found: re.Match[str]) -> str:
    name, sign, hours, minutes = found.groups()
    ahead = "plus" if sign == "+" else "minus"
    return f"{name} {ahead} {hours}" + (f" {minutes}" if int(minutes or 0) else "")
