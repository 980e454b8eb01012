"""A recurrence in words: ``매달 5일 오전 9시``, ``every other Monday at 9:00 AM, starting on November 30``."""

from collections.abc import Sequence
from datetime import date, datetime

from assistant.agent.context.wording import MONTHS_EN, WEEKDAYS_EN, WEEKDAYS_KO, joined, spoken_time
from assistant.core.times.recurrence import WEEKDAY_CODES, Recurrence

_NAMED = ((WEEKDAY_CODES[:5], "평일", "weekday"), (WEEKDAY_CODES[5:], "주말", "weekend"))
_NTH_KO = {1: "첫째", 2: "둘째", 3: "셋째", 4: "넷째", 5: "다섯째", -1: "마지막"}
_NTH_EN = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", -1: "last"}
_UNITS = {
    "MINUTELY": ("매분", "{}분마다", "minute"),
    "HOURLY": ("매시간", "{}시간마다", "hour"),
    "DAILY": ("매일", "{}일마다", "day"),
    "WEEKLY": ("매주", "{}주마다", "week"),
    "MONTHLY": ("매달", "{}달마다", "month"),
    "YEARLY": ("매년", "{}년마다", "year"),
}
_OFTEN = ("MINUTELY", "HOURLY")
"""These have no time of day."""


def spoken_recurrence(recurrence: Recurrence, due_at: datetime, language: str) -> str:
    """When something recurs, with its time of day, its end and its exceptions.

    Args:
        recurrence: the rule.
        due_at: when it comes next. It is told where the rule leaves open on which days it falls.
        language: ``ko`` or ``en``.
    """
    near = due_at.date()
    start = _date(near, near, language) if recurrence.interval > 1 and recurrence.get("FREQ") not in _OFTEN else ""
    until = recurrence.get("UNTIL")
    end = _date(date.fromisoformat(until[: len("20261224")]), near, language) if until else ""
    count = recurrence.get("COUNT")
    without = joined([_date(day, near, language) for day in sorted(recurrence.except_on)], language)
    times = [] if recurrence.get("FREQ") in _OFTEN else recurrence.times
    hours = "" if times else joined(recurrence.get("BYHOUR").split(","), language)
    clock = [spoken_time(datetime.combine(near, each), language) for each in times]
    if language == "ko":
        limits = ((start, "{}부터"), (end, "{}까지"), (count, "모두 {}번"), (without, "{} 빼고"), (hours, "{}시에만"))
        words = [words.format(value) for value, words in limits if value]
        return " ".join(filter(None, [*words, _days_ko(recurrence), joined(clock, "ko")]))
    limits = (
        *((hours, "only in the hours of {}"), (start, "starting on {}"), (end, "until {}")),
        *((count, "{} times in all"), (without, "except on {}")),
    )
    words = [words.format(value) for value, words in limits if value]
    days = _days_en(recurrence)
    return ", ".join([f"{days} at {joined(clock, 'en')}" if clock else days, *words])


def _days_ko(recurrence: Recurrence) -> str:
    frequency, interval = recurrence.get("FREQ"), recurrence.interval
    once, several, _ = _UNITS[frequency]
    each = several.format(interval) if interval > 1 else once
    if frequency == "WEEKLY":
        named = _named(_weekdays(recurrence), "ko")
        every = {1: "" if named in ("평일", "주말") else each, 2: "격주"}.get(interval, each)
        return f"{every} {named}".strip()
    if frequency in ("MONTHLY", "YEARLY"):
        months = joined([f"{month}월" for month in _months(recurrence)], "ko")
        return " ".join(filter(None, [each, months, _day_ko(recurrence)]))
    return f"{_named(_weekdays(recurrence), 'ko')} {each}" if recurrence.get("BYDAY") else each


def _days_en(recurrence: Recurrence) -> str:
    frequency, interval = recurrence.get("FREQ"), recurrence.interval
    unit = _UNITS[frequency][2]
    other = f"every other {unit}" if frequency not in _OFTEN else f"every {interval} {unit}s"
    each = {1: f"every {unit}", 2: other}.get(interval, f"every {interval} {unit}s")
    if frequency == "WEEKLY" and interval <= len(("every", "other")):
        return f"{each.removesuffix(unit)}{_named(_weekdays(recurrence), 'en')}"
    if frequency in ("MONTHLY", "YEARLY"):
        months = joined([MONTHS_EN[int(month) - 1] for month in _months(recurrence)], "en")
        if months and not recurrence.get("BYDAY") and min(_month_days(recurrence)) > 0:
            return f"{each} on {months} {joined([str(day) for day in _month_days(recurrence)], 'en')}"
        return f"{each} on the {_day_en(recurrence)}{f' of {months}' if months else ''}"
    if frequency != "WEEKLY" and not recurrence.get("BYDAY"):
        return each
    named = _named(_weekdays(recurrence), "en")
    return f"{each} on {named}{'s' if named.startswith('week') else ''}"


def _weekdays(recurrence: Recurrence) -> list[str]:
    days = recurrence.get("BYDAY") or WEEKDAY_CODES[recurrence.start.weekday()]
    return sorted(days.split(","), key=WEEKDAY_CODES.index)


def _named(codes: Sequence[str], language: str) -> str:
    """The weekdays, or their common name."""
    for known, korean, english in _NAMED:
        if set(known) == set(codes):
            return korean if language == "ko" else english
    names = WEEKDAYS_KO if language == "ko" else WEEKDAYS_EN
    return joined([names[WEEKDAY_CODES.index(code)] for code in codes], language)


def _months(recurrence: Recurrence) -> list[str]:
    months = recurrence.get("BYMONTH") or (str(recurrence.start.month) if recurrence.get("FREQ") == "YEARLY" else "")
    return months.split(",") if months else []


def _month_days(recurrence: Recurrence) -> list[int]:
    return [int(day) for day in (recurrence.get("BYMONTHDAY") or str(recurrence.start.day)).split(",")]


def _numbered(recurrence: Recurrence) -> list[tuple[int, list[str]]]:
    """Which weekdays of the month, by their number; 0 for all of them."""
    place = int(recurrence.get("BYSETPOS") or 0)
    codes = recurrence.get("BYDAY").split(",")
    if place:
        return [(place, codes)]
    return [(int(code[:-2] or 0), [code[-2:]]) for code in codes]


def _day_ko(recurrence: Recurrence) -> str:
    if not recurrence.get("BYDAY"):
        names = {-1: "말일", **{-day: f"끝에서 {day}째 날" for day in range(2, 32)}}
        return joined([names.get(day, f"{day}일") for day in _month_days(recurrence)], "ko")
    words = []
    for nth, codes in _numbered(recurrence):
        which = _NTH_KO.get(nth, f"끝에서 {-nth}째")
        words.append(f"{which} {_named(codes, 'ko')}" if nth else f"{_named(codes, 'ko')}마다")
    return joined(words, "ko")


def _day_en(recurrence: Recurrence) -> str:
    if not recurrence.get("BYDAY"):
        names = {-1: "last day", **{-day: f"{_ordinal(day)} day from the end" for day in range(2, 32)}}
        return joined([names.get(day, _ordinal(day)) for day in _month_days(recurrence)], "en")
    words = []
    for nth, codes in _numbered(recurrence):
        which = _NTH_EN.get(nth, f"{_ordinal(-nth)} to last")
        words.append(f"{which} {_named(codes, 'en')}" if nth else f"{_named(codes, 'en')}s")
    return joined(words, "en")


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _date(day: date, near: date, language: str) -> str:
    """A date, with its year if that is another one than ``near`` has."""
    year = day.year if day.year != near.year else 0
    if language == "ko":
        return f"{f'{year}년 ' if year else ''}{day.month}월 {day.day}일"
    return f"{MONTHS_EN[day.month - 1]} {day.day}{f', {year}' if year else ''}"
