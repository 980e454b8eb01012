"""What was said about a time, before it is known which moment is meant."""

from dataclasses import dataclass
from enum import StrEnum

EVERY_DAY = frozenset(range(7))
WEEKDAYS = frozenset(range(5))
WEEKEND = frozenset({5, 6})


class DayPart(StrEnum):
    """The part of the day that was said with an hour."""

    AM = "am"
    PM = "pm"
    DAWN = "dawn"
    """Korean 새벽: from midnight to about six."""
    MORNING = "morning"
    DAY = "day"
    """Korean 낮 and 점심: from eleven to about five."""
    EVENING = "evening"
    NIGHT = "night"
    """Until about four of the next morning."""


class Period(StrEnum):
    """After what something recurs."""

    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"


@dataclass(frozen=True, slots=True)
class Cycle:
    """Every ``count``th ``unit``: every other week is ``Cycle(Period.WEEK, 2)``."""

    unit: Period
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidTime:
    """A time as it was said. Fields that were not said are ``None``.

    Attributes:
        after_s: seconds from now, as in "in twenty minutes".
        hour: the hour, 0 to 24; up to 12 it is of the half of the day that ``part`` names.
        minute: the minute.
        part: the part of the day.
        days: days from today.
        months: months from today, to the same day of the month.
        weekday: 0 for Monday. With another way to name the day, the day must be this weekday.
        weeks: weeks from this one, for ``weekday``; ``None`` for the next such weekday. With ``days``,
            both name the day.
        following: whether ``weeks`` was said as "next" or "after next", which people count in two ways.
        nth: which ``weekday`` of the month, from 1; -1 for the last one.
        years: years from this one, for ``month``.
        year: the year of ``month``.
        months_on: months from this one, for ``day`` or ``nth``.
        month: the month; ``None`` with a ``day`` means the next month that has this day ahead.
        day: the day of the month; -1 for the last one.
        every: the weekdays on which it repeats; empty for a single time and for other repetitions.
        cycle: after what it repeats; ``None`` for a single time and for every week.
        also: the other times of day at which it repeats, each with the same days and the same minute.
    """

    after_s: float | None = None
    hour: int | None = None
    minute: int = 0
    part: DayPart | None = None
    days: int | None = None
    months: int | None = None
    weekday: int | None = None
    weeks: int | None = None
    following: bool = False
    nth: int | None = None
    years: int | None = None
    year: int | None = None
    months_on: int | None = None
    month: int | None = None
    day: int | None = None
    every: frozenset[int] = frozenset()
    cycle: Cycle | None = None
    also: tuple["SaidTime", ...] = ()

    @property
    def repeats(self) -> bool:
        """Whether it is a repeating time."""
        return bool(self.every) or self.cycle is not None


@dataclass(frozen=True, slots=True)
class TimeWords:
    """Words of a time that stand together.

    Attributes:
        at: where in the rest of the sentence they stood.
        words: the words.
        hour: whether they say an hour or a delay.
        day: whether they say a day or a repetition.
        day_last: whether they say the day after the hour.
    """

    at: int
    words: str
    hour: bool
    day: bool
    day_last: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundTime:
    """A time in a sentence.

    Attributes:
        said: the time.
        rest: the sentence without the words of the time.
        runs: the words of the time, in their order.
    """

    said: SaidTime
    rest: str
    runs: tuple[TimeWords, ...] = ()
