"""Decides which moment was meant by a time that somebody said."""

from calendar import monthrange
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum

from assistant.core.times.said import DayPart, SaidTime

Zone = Callable[[datetime], datetime]
"""Gives the moment of a wall clock's time without a zone, in the user's time zone."""

_LATEST_NIGHT_HOUR = 4


class Problem(StrEnum):
    """Why a time has no moment."""

    PAST = "past"
    NO_HOUR = "no_hour"
    IMPOSSIBLE = "impossible"
    """There is no such date or hour."""


def resolve(said: SaidTime, now: datetime, zone: Zone, *, waking: bool = False) -> datetime | Problem:
    """The moment that ``said`` means, always later than ``now``.

    An hour without a part of the day means the next such hour if no day was said. On another day it is one at which
    people are awake: ``내일 3시`` is in the afternoon, ``내일 9시`` in the morning.

    Args:
        said: the time as it was said.
        now: the present, with its time zone.
        zone: the user's time zone.
        waking: whether the user wants to be woken up, so that an hour is one of the morning.
    """
    if said.after_s is not None:
        return (now.astimezone(UTC) + timedelta(seconds=said.after_s)).astimezone(now.tzinfo)
    if said.hour is None:
        return Problem.NO_HOUR
    if not (0 <= said.hour <= 24 and 0 <= said.minute < 60) or (said.hour == 24 and said.minute):
        return Problem.IMPOSSIBLE
    hours = hours_of(said)
    if said.every:
        return next_of(*repetition(said, waking=waking), now, zone)
    if _names_no_day(said):
        return _next_hour(hours, said.minute, now, zone)
    try:
        day = _day(said, hours, now, zone)
    except ValueError:
        return Problem.IMPOSSIBLE
    today = day == now.date()
    wanted = hours if today else (_usual(hours, waking),)
    moments = [moment for hour in wanted if (moment := _moment(day, hour, said.minute, zone)) > now]
    return moments[0] if moments else Problem.PAST


def repetition(said: SaidTime, *, waking: bool = False) -> tuple[frozenset[int], time]:
    """The weekdays and the time of day of a repeating time. Friday at midnight is the beginning of Saturday."""
    hour = _usual(hours_of(said), waking)
    return frozenset((day + hour // 24) % 7 for day in said.every), _clock(hour, said.minute)


def next_of(every: frozenset[int], at: time, now: datetime, zone: Zone) -> datetime:
    """The next moment after ``now`` at which the clock shows ``at`` on one of the weekdays ``every``."""
    days = (now.date() + timedelta(days=ahead) for ahead in range(9))
    moments = (zone(datetime.combine(day, at)) for day in days if day.weekday() in every)
    return next(moment for moment in moments if moment > now)


def _names_no_day(said: SaidTime) -> bool:
    return said.days is None and said.months is None and said.weekday is None and said.day is None


def hours_of(said: SaidTime) -> tuple[int, ...]:
    """The hours of the day that ``said`` can mean; 24 and more belong to the next day."""
    hour = said.hour or 0
    if hour > 12 or hour == 0:
        return (hour,)
    match said.part:
        case DayPart.AM | DayPart.DAWN:
            return (hour % 12,)
        case DayPart.MORNING:
            return (hour,)
        case DayPart.PM | DayPart.EVENING:
            return (24,) if hour == 12 and said.part is DayPart.EVENING else (hour % 12 + 12,)
        case DayPart.DAY:
            return (hour if hour >= 10 else hour + 12,)
        case DayPart.NIGHT:
            return (24 + hour % 12,) if hour == 12 or hour <= _LATEST_NIGHT_HOUR else (hour + 12,)
        case None:
            return (hour % 12, hour % 12 + 12)


def _usual(hours: tuple[int, ...], waking: bool) -> int:
    """The likely one of the hours on a day on which both are ahead."""
    if len(hours) == 1:
        return hours[0]
    morning, afternoon = hours
    awake_from = 4 if waking else 7
    return morning if morning >= awake_from else afternoon


def _clock(hour: int, minute: int) -> time:
    return time(hour % 24, minute)


def _moment(day: date, hour: int, minute: int, zone: Zone) -> datetime:
    return zone(datetime.combine(day + timedelta(days=hour // 24), _clock(hour, minute)))


def _next_hour(hours: tuple[int, ...], minute: int, now: datetime, zone: Zone) -> datetime:
    moments = (
        _moment(now.date() + timedelta(days=ahead), hour, minute, zone) for ahead in (-1, 0, 1, 2) for hour in hours
    )
    return min(moment for moment in moments if moment > now)


def _day(said: SaidTime, hours: tuple[int, ...], now: datetime, zone: Zone) -> date:
    """The day that was said.

    Raises:
        ValueError: there is no such day.
    """
    today = now.date()
    if said.days is not None and said.weekday is None:
        return today + timedelta(days=said.days)
    if said.months is not None:
        months = today.month - 1 + said.months
        year, month = today.year + months // 12, months % 12 + 1
        return date(year, month, min(today.day, monthrange(year, month)[1]))
    if said.day is not None:
        return _date(said, hours, now, zone)
    assert said.weekday is not None  # noqa: S101 - the only way left to name a day
    if said.weeks is not None:
        return today - timedelta(days=today.weekday()) + timedelta(weeks=said.weeks, days=said.weekday)
    ahead = (said.weekday - today.weekday()) % 7
    if ahead == 0 and all(_moment(today, hour, said.minute, zone) <= now for hour in hours):
        ahead = 7
    return today + timedelta(days=ahead)


def _date(said: SaidTime, hours: tuple[int, ...], now: datetime, zone: Zone) -> date:
    today, day = now.date(), said.day or 0
    if said.month is not None:
        if said.year is not None:
            return date(said.year, said.month, day)
        this_year = date(today.year, said.month, min(day, 28))
        next_one = 1 if (this_year.month, day) < (today.month, today.day) else 0
        return date(today.year + next_one, said.month, day)
    for ahead in range(3):
        months = today.month - 1 + ahead
        year, month = today.year + months // 12, months % 12 + 1
        if day <= monthrange(year, month)[1]:
            found = date(year, month, day)
            if found > today or any(_moment(found, hour, said.minute, zone) > now for hour in hours):
                return found
    raise ValueError(f"no month has a day {day}")
