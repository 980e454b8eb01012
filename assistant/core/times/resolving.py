"""Decides which moment was meant by a time that somebody said."""

from calendar import monthrange
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum

from assistant.core.times.recurrence import WEEKDAY_CODES, Recurrence, Zone
from assistant.core.times.said import EVERY_DAY, Cycle, DayPart, Period, SaidTime

_LATEST_NIGHT_HOUR = 4
_OFTEN = (Period.MINUTE, Period.HOUR)
_HALF_A_WEEK = 3
_YEARS_AHEAD = 9
"""29 February comes within nine years."""


class Problem(StrEnum):
    """Why a time has no moment."""

    PAST = "past"
    NO_HOUR = "no_hour"
    IMPOSSIBLE = "impossible"
    """There is no such date or hour."""
    UNREAD = "unread"
    """Not all of its words were understood."""
    OTHER_ZONE = "other_zone"
    """It has the offset of another time zone, which models write without meaning it."""
    UNCLEAR = "unclear"
    """People who say this mean different days: ``next Friday`` on a Monday."""


class _UnclearError(ValueError):
    """Two days can be meant."""


def resolve(said: SaidTime, now: datetime, zone: Zone, *, waking: bool = False) -> datetime | Problem:
    """The moment that ``said`` means, always later than ``now``; the first one if it repeats.

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
    if said.cycle and said.cycle.unit in _OFTEN:
        return _often(said.cycle, now).next_after(now, zone) or Problem.IMPOSSIBLE
    if said.hour is None:
        return Problem.NO_HOUR
    if not (0 <= said.hour <= 24 and 0 <= said.minute < 60) or (said.hour == 24 and said.minute):
        return Problem.IMPOSSIBLE
    if said.repeats:
        repetition = recurrence(said, now, zone, waking=waking)
        return (repetition.next_after(now, zone) if repetition else None) or Problem.IMPOSSIBLE
    hours = hours_of(said)
    if _names_no_day(said):
        return _next_hour(hours, said.minute, now, zone)
    try:
        day = _day(said, hours, now, zone)
    except _UnclearError:
        return Problem.UNCLEAR
    except ValueError:
        return Problem.IMPOSSIBLE
    today = day == now.date()
    wanted = hours if today else (_usual(hours, waking),)
    moments = [moment for hour in wanted if (moment := _moment(day, hour, said.minute, zone)) > now]
    return moments[0] if moments else Problem.PAST


def recurrence(said: SaidTime, now: datetime, zone: Zone, *, waking: bool = False) -> Recurrence | None:
    """How a repeating time recurs, from the first time after ``now``; ``None`` if it never comes.

    Friday at midnight is the beginning of Saturday. Of every other week or day, the first one counts.
    """
    if said.cycle and said.cycle.unit in _OFTEN:
        return _often(said.cycle, now)
    hours = sorted({_usual(hours_of(each), waking) for each in (said, *said.also)})
    start = datetime.combine(now.date(), _clock(hours[0], said.minute))
    rule = _rule(said, hours[0] // 24) + (f";BYHOUR={','.join(map(str, hours))}" if said.also else "")
    try:
        first = Recurrence.of(rule, start).next_wall(now, zone)
        return Recurrence.of(f"{rule};INTERVAL={said.cycle.count if said.cycle else 1}", first) if first else None
    except ValueError:
        return None


def _often(cycle: Cycle, now: datetime) -> Recurrence:
    """What recurs within a day, for the first time after one of its periods."""
    length = timedelta(hours=cycle.count) if cycle.unit is Period.HOUR else timedelta(minutes=cycle.count)
    start = (now + length).replace(tzinfo=None)
    return Recurrence.of(f"FREQ={cycle.unit.upper()}LY;INTERVAL={cycle.count}", start)


def rule_of(said: SaidTime) -> str:
    """The rule of RFC 5545 of a repetition that was said without an hour."""
    return f"{_rule(said, 0)};INTERVAL={said.cycle.count if said.cycle else 1}"


def _rule(said: SaidTime, days_on: int) -> str:
    """The rule of a repeating time, without the interval. ``days_on`` is 1 at midnight, which is on the next day."""
    unit = said.cycle.unit if said.cycle else Period.WEEK
    if unit is Period.DAY or (unit is Period.WEEK and said.every == EVERY_DAY):
        return "FREQ=DAILY"
    if unit is Period.WEEK:
        return f"FREQ=WEEKLY;BYDAY={','.join(WEEKDAY_CODES[(day + days_on) % 7] for day in sorted(said.every))}"
    day = f"BYDAY={said.nth}{WEEKDAY_CODES[said.weekday or 0]}" if said.nth else f"BYMONTHDAY={said.day}"
    return f"FREQ=MONTHLY;{day}" if unit is Period.MONTH else f"FREQ=YEARLY;BYMONTH={said.month};{day}"


def _names_no_day(said: SaidTime) -> bool:
    named = (said.days, said.months, said.weekday, said.day, said.nth)
    return all(each is None for each in named)


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
        ValueError: there is no such day, or (``_UnclearError``) two days can be meant.
    """
    today = now.date()
    if said.nth is not None or said.day is not None:
        found = _date(said, hours, now, zone)
    elif said.weekday is not None and (said.days is None or said.weeks is not None):
        return _weekday(said, said.weekday, hours, now, zone)
    elif said.months is not None:
        year, month = _month_on(today, said.months)
        found = date(year, month, min(today.day, monthrange(year, month)[1]))
    else:
        found = today + timedelta(days=said.days or 0)
    if said.nth is None and said.weekday not in (None, found.weekday()):
        raise ValueError(f"{found} is another weekday")
    return found


def _weekday(said: SaidTime, weekday: int, hours: tuple[int, ...], now: datetime, zone: Zone) -> date:
    today = now.date()
    ahead = (weekday - today.weekday()) % 7
    if said.weeks is None:
        if ahead == 0 and all(_moment(today, hour, said.minute, zone) <= now for hour in hours):
            ahead = 7
        return today + timedelta(days=ahead)
    found = today + timedelta(weeks=said.weeks, days=weekday - today.weekday())
    if said.days is not None and abs((found - today).days - said.days) > _HALF_A_WEEK:
        raise _UnclearError
    if said.following and found != today + timedelta(weeks=said.weeks - 1, days=ahead or 7):
        raise _UnclearError
    return found


def _date(said: SaidTime, hours: tuple[int, ...], now: datetime, zone: Zone) -> date:
    """The day of the month that was said.

    A date without a year can be today. A day without a month is one whose hour is ahead.
    """
    today = now.date()
    for year, month in _possible_months(said, today):
        found = _day_of_month(said, year, month)
        if found is None or (found < today and not _names_its_year(said)):
            continue
        if said.month is not None or said.months_on is not None or found > today:
            return found
        if any(_moment(found, hour, said.minute, zone) > now for hour in hours):
            return found
    raise ValueError("there is no such day")


def _names_its_year(said: SaidTime) -> bool:
    return said.year is not None or said.years is not None or said.months_on is not None


def _possible_months(said: SaidTime, today: date) -> Iterator[tuple[int, int]]:
    if said.months_on is not None:
        yield _month_on(today, said.months_on)
    elif said.month is None:
        yield from (_month_on(today, ahead) for ahead in range(3))
    elif _names_its_year(said):
        yield said.year if said.year is not None else today.year + (said.years or 0), said.month
    else:
        yield from ((today.year + ahead, said.month) for ahead in range(_YEARS_AHEAD))


def _month_on(today: date, ahead: int) -> tuple[int, int]:
    years, month = divmod(today.month - 1 + ahead, 12)
    return today.year + years, month + 1


def _day_of_month(said: SaidTime, year: int, month: int) -> date | None:
    first_weekday, length = monthrange(year, month)
    day = said.day or 0
    if said.nth is not None:
        first = 1 + ((said.weekday or 0) - first_weekday) % 7
        day = first + 7 * (said.nth - 1) if said.nth > 0 else first + 7 * ((length - first) // 7)
    elif day < 0:
        day += length + 1
    return date(year, month, day) if 1 <= day <= length else None
