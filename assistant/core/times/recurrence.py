"""When something recurs: a rule of RFC 5545 at the hours of the user's wall clock. Pure."""

import re
from calendar import monthrange
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Any, cast

Zone = Callable[[datetime], datetime]
"""Gives the moment of a wall clock's time without a zone, in the user's time zone."""

WEEKDAY_CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_FREQUENCIES = ("MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY")
_CODE = r"(?:[+-]?[1-5])?(?:MO|TU|WE|TH|FR|SA|SU)"
_DAY, _MONTH, _HOUR = "-?(?:[12]\\d|3[01]|0?[1-9])", "(?:1[0-2]|0?[1-9])", "(?:1\\d|2[0-3]|0?\\d)"
_PARTS = {
    "FREQ": "|".join(_FREQUENCIES),
    "INTERVAL": r"[1-9]\d{0,3}",
    "COUNT": r"[1-9]\d{0,3}",
    "UNTIL": r"\d{8}(?:T\d{6}Z?)?",
    "BYDAY": rf"{_CODE}(?:,{_CODE})*",
    "BYMONTHDAY": rf"{_DAY}(?:,{_DAY})*",
    "BYMONTH": rf"{_MONTH}(?:,{_MONTH})*",
    "BYSETPOS": r"-?[1-5]",
    "BYHOUR": rf"{_HOUR}(?:,{_HOUR})*",
    "BYMINUTE": r"[0-5]?\d",
    "BYSECOND": r"[0-5]?\d",
    "WKST": "MO|TU|WE|TH|FR|SA|SU",
}
"""The parts of a rule that can be said in words. A rule with another part is refused, because nobody could hear what
was understood."""
_BY_DAYS = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")
SHORTEST_MINUTES = 5
"""The shortest time between two alarms of one rule."""
_LONGEST_WAIT = timedelta(days=9 * 366)
"""Between two times of a rule; 29 February has up to eight years. The search for the next one ends after it."""
_LEAP_YEAR = 2028
_STAMP = "%Y%m%dT%H%M%S"


@dataclass(frozen=True, slots=True)
class Recurrence:
    """A rule with its start and its exceptions.

    Attributes:
        start: the first time that counts, by the wall clock, without a zone.
        rule: the parts of the RRULE by name, without those that say nothing.
        except_on: days on which it does not recur.
    """

    start: datetime
    rule: tuple[tuple[str, str], ...]
    except_on: frozenset[date] = frozenset()

    @classmethod
    def of(cls, rule: str, start: datetime, except_on: Iterable[date] = (), zone: Zone | None = None) -> "Recurrence":
        """A recurrence by a rule such as ``FREQ=MONTHLY;BYMONTHDAY=5``, with or without ``RRULE:``.

        Args:
            rule: the rule; further lines ``EXDATE:…`` are exceptions.
            start: the first time that counts, by the wall clock.
            except_on: days on which it does not recur.
            zone: the user's time zone, for an end that is given in UTC.

        Raises:
            ValueError: the rule is none, never comes, or has parts that cannot be said. The text gives the reason.
        """
        excepted = set(except_on)
        parts: dict[str, str] = {}
        for line in filter(None, (line.strip().upper() for line in rule.splitlines())):
            if line.startswith("EXDATE"):
                excepted |= {_day(each) for each in line.rpartition(":")[2].split(",")}
            elif not line.startswith("DTSTART"):
                parts |= _parts(line.removeprefix("RRULE:"))
        parts = _in_usual_form(parts)
        if "BYMONTH" in parts and not parts.keys() & {"BYDAY", "BYMONTHDAY"}:
            parts["BYMONTHDAY"] = str(start.day)
        _check(parts)
        if "UNTIL" in parts:
            parts["UNTIL"] = _until(parts["UNTIL"], zone)
        start = _with_time_of_day(parts, start)
        rule_parts = tuple(sorted(parts.items(), key=_order))
        try:
            first = next(iter(_compiled(start, rule_parts)), None)
        except (ValueError, TypeError) as error:
            raise ValueError(f"this is no rule of RFC 5545: {error}") from error
        if first is None:
            raise ValueError("no day fits this rule")
        return cls(start, rule_parts, frozenset(excepted))

    @classmethod
    def parse(cls, text: str) -> "Recurrence | None":
        """Read what ``str`` wrote; ``None`` for an empty text."""
        if not text:
            return None
        lines = dict(line.split(":", 1) for line in text.splitlines())
        days = frozenset(_day(day) for day in lines.get("EXDATE", "").split(",") if day)
        rule = tuple(_parts(lines["RRULE"]).items())
        return cls(datetime.strptime(lines["DTSTART"], _STAMP), rule, days)  # noqa: DTZ007 - a wall clock has no zone

    def __str__(self) -> str:
        """The lines of RFC 5545; the times are of its floating form, which has no zone."""
        lines = [f"DTSTART:{self.start:{_STAMP}}", f"RRULE:{_text(self.rule)}"]
        if self.except_on:
            lines.append(f"EXDATE:{','.join(f'{day:%Y%m%d}' for day in sorted(self.except_on))}")
        return "\n".join(lines)

    def get(self, name: str) -> str:
        """A part of the rule; empty if it has none of this name."""
        return dict(self.rule).get(name, "")

    @property
    def interval(self) -> int:
        """After how many of its units it recurs."""
        return int(self.get("INTERVAL") or 1)

    @property
    def times(self) -> tuple[time, ...]:
        """The times of a day at which it recurs, if its unit is a day or longer."""
        hours = [int(hour) for hour in self.get("BYHOUR").split(",") if hour] or [self.start.hour]
        return tuple(time(hour, int(self.get("BYMINUTE") or self.start.minute)) for hour in sorted(hours))

    def same_days(self, other: "Recurrence") -> bool:
        """Whether both recur on the same days, whatever their times, ends and exceptions."""
        return self.days == other.days

    @property
    def days(self) -> dict[str, str]:
        """The parts of the rule that tell the days."""
        return {name: value for name, value in self.rule if name not in ("BYHOUR", "BYMINUTE", "COUNT", "UNTIL")}

    def next_wall(self, now: datetime, zone: Zone) -> datetime | None:
        """What the wall clock shows, without a zone, when it comes next after ``now``; ``None`` when it comes no more.

        Args:
            now: the present, in the user's time zone.
            zone: the user's time zone.
        """
        wall = now.replace(tzinfo=None) - timedelta(days=1)
        last = max(wall, self.start) + _LONGEST_WAIT
        for each in _compiled(self.start, self.rule).xafter(wall):
            if each > last:
                return None
            if each.date() not in self.except_on and zone(each) > now:
                return cast(datetime, each)
        return None

    def next_after(self, now: datetime, zone: Zone) -> datetime | None:
        """The next moment after ``now``; ``None`` when it comes no more."""
        wall = self.next_wall(now, zone)
        return zone(wall) if wall else None


@lru_cache(maxsize=64)
def _compiled(start: datetime, rule: tuple[tuple[str, str], ...]) -> Any:
    """The rule of dateutil. It is kept, because it remembers the times that it has counted through."""
    from dateutil.rrule import rrulestr

    return rrulestr(_text(rule), dtstart=start, cache=True)


def _text(rule: Iterable[tuple[str, str]]) -> str:
    return ";".join(f"{name}={value}" for name, value in rule)


def _order(part: tuple[str, str]) -> int:
    return list(_PARTS).index(part[0])


def _parts(rule: str) -> dict[str, str]:
    parts = {}
    for part in filter(None, rule.split(";")):
        name, _, value = (each.strip() for each in part.partition("="))
        if name not in _PARTS or not re.fullmatch(_PARTS[name], value):
            raise ValueError(f"the part {part} of the rule cannot be used; known are {', '.join(_PARTS)}")
        parts[name] = value
    return parts


def _in_usual_form(parts: dict[str, str]) -> dict[str, str]:
    """One form for rules that mean the same, without what is usual."""
    usual = {"INTERVAL": "1", "WKST": "MO", "BYSECOND": parts.get("BYSECOND")}
    parts = {name: value for name, value in parts.items() if value != usual.get(name)}
    if "BYDAY" in parts:
        codes = sorted(parts["BYDAY"].split(","), key=lambda code: (code[:-2], WEEKDAY_CODES.index(code[-2:])))
        parts["BYDAY"] = ",".join(codes)
    if parts.get("FREQ") == "DAILY" and "BYDAY" in parts and "INTERVAL" not in parts:
        parts["FREQ"] = "WEEKLY"
    if parts.get("FREQ") == "WEEKLY" and parts.get("BYDAY") == ",".join(WEEKDAY_CODES) and "INTERVAL" not in parts:
        parts["FREQ"] = "DAILY"
        del parts["BYDAY"]
    return parts


def _with_time_of_day(parts: dict[str, str], start: datetime) -> datetime:
    """The start at the only time of day that the rule has. ``parts`` lose that time."""
    start = start.replace(second=0, microsecond=0)
    if parts["FREQ"] not in _BY_DAYS or "," in parts.get("BYHOUR", ""):
        return start
    hour, minute = parts.pop("BYHOUR", start.hour), parts.pop("BYMINUTE", start.minute)
    return start.replace(hour=int(hour), minute=int(minute))


def _check(parts: dict[str, str]) -> None:
    frequency, days = parts.get("FREQ"), parts.get("BYDAY", "")
    if frequency is None:
        raise ValueError("the rule has no FREQ, such as FREQ=WEEKLY;BYDAY=MO")
    if "COUNT" in parts and "UNTIL" in parts:
        raise ValueError("a rule ends by COUNT or by UNTIL, not by both")
    if frequency == "MINUTELY" and int(parts.get("INTERVAL", "1")) < SHORTEST_MINUTES:
        raise ValueError(f"an alarm repeats at most every {SHORTEST_MINUTES} minutes")
    if frequency not in ("MONTHLY", "YEARLY") and (re.search(r"\d", days) or "BYSETPOS" in parts):
        raise ValueError("a weekday with a number, such as 1MO, and BYSETPOS need FREQ=MONTHLY or FREQ=YEARLY")
    if frequency == "YEARLY" and parts.keys() & {"BYDAY", "BYMONTHDAY"} and "BYMONTH" not in parts:
        raise ValueError("FREQ=YEARLY with BYDAY or BYMONTHDAY needs BYMONTH")
    if "BYMONTHDAY" in parts and (days or frequency not in ("MONTHLY", "YEARLY")):
        raise ValueError("BYMONTHDAY needs FREQ=MONTHLY or FREQ=YEARLY, and no BYDAY")
    if "BYMONTH" in parts and frequency != "YEARLY":
        raise ValueError("BYMONTH needs FREQ=YEARLY")
    if "BYMINUTE" in parts and frequency not in _BY_DAYS:
        raise ValueError("BYMINUTE needs FREQ=DAILY, WEEKLY, MONTHLY or YEARLY")
    if "BYSETPOS" in parts and (not days or re.search(r"\d", days)):
        raise ValueError("BYSETPOS needs a BYDAY without numbers")
    _check_days_exist(parts)


def _check_days_exist(parts: dict[str, str]) -> None:
    """The search for a day that never comes goes on until the year 9999, which takes seconds."""
    interval = int(parts.get("INTERVAL", "1"))
    longest = {"MINUTELY": 720, "HOURLY": 23}.get(parts["FREQ"], 999)
    if interval > longest or (interval > 1 and parts["FREQ"] == "DAILY" and "BYDAY" in parts):
        raise ValueError(f"INTERVAL={interval} cannot be used with FREQ={parts['FREQ']} and the rest of this rule")
    if "BYMONTH" in parts and "BYMONTHDAY" in parts:
        lengths = [monthrange(_LEAP_YEAR, int(month))[1] for month in parts["BYMONTH"].split(",")]
        if min(abs(int(day)) for day in parts["BYMONTHDAY"].split(",")) > max(lengths):
            raise ValueError("no day fits this rule")


def _until(value: str, zone: Zone | None) -> str:
    """The last time by the wall clock. A date alone means the whole day."""
    if len(value) == len("20261224"):
        return f"{value}T235959"
    if value.endswith("Z"):
        moment = datetime.strptime(value, f"{_STAMP}Z").replace(tzinfo=UTC)
        local = zone(moment.replace(tzinfo=None)).tzinfo if zone else UTC
        return f"{moment.astimezone(local):{_STAMP}}"
    return value


def _day(text: str) -> date:
    return date.fromisoformat(text.strip()[: len("20261224")])
