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


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidTime:
    """A time as it was said. Fields that were not said are ``None``.

    Attributes:
        after_s: seconds from now, as in "in twenty minutes".
        hour: the hour, 0 to 24; up to 12 it is of the half of the day that ``part`` names.
        minute: the minute.
        part: the part of the day.
        days: days from today.
        months: months from today.
        weekday: 0 for Monday.
        weeks: weeks from this one, for ``weekday``; ``None`` for the next such weekday.
        year: the year of ``month`` and ``day``.
        month: the month; ``None`` with a ``day`` means the next month that has this day ahead.
        day: the day of the month.
        every: the weekdays on which it repeats; empty for a single time.
    """

    after_s: float | None = None
    hour: int | None = None
    minute: int = 0
    part: DayPart | None = None
    days: int | None = None
    months: int | None = None
    weekday: int | None = None
    weeks: int | None = None
    year: int | None = None
    month: int | None = None
    day: int | None = None
    every: frozenset[int] = frozenset()

    @property
    def empty(self) -> bool:
        """Whether nothing was said about a time."""
        return self == SaidTime()


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundTime:
    """A time in a sentence.

    Attributes:
        said: the time.
        rest: the sentence without the words of the time.
    """

    said: SaidTime
    rest: str
