"""Reads when something is to ring, as it was said or written, and plans when it rings."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from assistant.core.times.english import whole_english
from assistant.core.times.korean import whole_korean
from assistant.core.times.recurrence import Recurrence, Zone
from assistant.core.times.resolving import Problem, recurrence, resolve, rule_of
from assistant.core.times.said import EVERY_DAY, DayPart, SaidTime

_NOON = 12
_ONCE = ("none", "null", "no", "never", "once", "false", "없음", "한 번", "안 함")
_WORDS_OF_RULES = ("daily", "weekly", "monthly", "yearly")
"""These tell no day. The first time that it rings tells it."""
_DIFFERENT = "the time and the rule repeat differently; give the repetition once"


@dataclass(frozen=True, slots=True)
class Plan:
    """When something rings next, and how it recurs; ``None`` for once."""

    due_at: datetime
    repeats: Recurrence | None = None

    def next_times(self, count: int, zone: Zone) -> tuple[datetime, ...]:
        """The next times, at most ``count``."""
        times = [self.due_at]
        while self.repeats and len(times) < count and (due_at := self.repeats.next_after(times[-1], zone)):
            times.append(due_at)
        return tuple(times)


def said_in(when: str, zone: Zone) -> SaidTime | Problem:
    """The time in ISO 8601 or in words, if it is one as a whole."""
    words = when.strip()
    if found := whole_korean(words) or whole_english(words):
        return found.said
    try:
        at = datetime.fromisoformat(words)
    except ValueError:
        return Problem.UNREAD
    if at.tzinfo and at.utcoffset() != zone(at.replace(tzinfo=None)).utcoffset():
        return Problem.OTHER_ZONE
    said = SaidTime(year=at.year, month=at.month, day=at.day)
    return said if len(words) <= len("2026-11-22") else at_hour(said, at)


def at_hour(said: SaidTime, at: datetime) -> SaidTime:
    """The same days at exactly this time of day."""
    return replace(said, hour=at.hour, minute=at.minute, part=DayPart.AM if at.hour < _NOON else DayPart.PM)


def rule_in(repeat: str) -> str:
    """The rule of a repetition in RFC 5545 or in words; empty for none.

    Raises:
        ValueError: these words are no repetition as a whole.
    """
    words = repeat.strip()
    if not words or words.casefold() in _ONCE:
        return ""
    if "=" in words:
        return words
    if words.casefold() in _WORDS_OF_RULES:
        return f"FREQ={words.upper()}"
    found = whole_korean(words) or whole_english(words)
    if found is None or not found.said.repeats or found.said.hour is not None:
        raise ValueError(f"{words!r} is no rule of RFC 5545 and no repetition in words that was wholly understood")
    return rule_of(found.said)


def days_in(days: Sequence[str]) -> tuple[date, ...]:
    """Days in ISO 8601.

    Raises:
        ValueError: a text is none.
    """
    return tuple(map(date.fromisoformat, days))


def planned(
    said: SaidTime,
    now: datetime,
    zone: Zone,
    *,
    rule: str = "",
    except_on: Iterable[date] = (),
    waking: bool = False,
) -> Plan | Problem:
    """When something rings.

    Args:
        said: the time, the first one if it repeats.
        now: the present, with its time zone.
        zone: the user's time zone.
        rule: how it repeats, by RFC 5545; empty for once and where ``said`` repeats.
        except_on: days on which it does not ring.
        waking: whether the user wants to be woken up.

    Raises:
        ValueError: the repetition cannot be used; the text gives the reason.
    """
    # "7:30" that repeats is in the morning, as "매일 7시 반" is.
    daily = bool(rule) and said == SaidTime(hour=said.hour, minute=said.minute)
    first = replace(said, every=EVERY_DAY) if daily else said
    due_at = resolve(first, now, zone, waking=waking)
    if isinstance(due_at, Problem):
        return due_at
    repeats = None
    if said.repeats and (repeats := recurrence(said, now, zone, waking=waking)):
        if rule and not repeats.same_days(Recurrence.of(rule, repeats.start)):
            raise ValueError(_DIFFERENT)
        repeats = replace(repeats, except_on=frozenset(except_on))
    elif rule:
        repeats = Recurrence.of(rule, due_at.replace(tzinfo=None), except_on, zone)
        begins = repeats.next_wall(now, zone)
        if said.weekday is not None and begins and begins.weekday() != due_at.weekday():
            raise ValueError(_DIFFERENT)
    elif except_on:
        raise ValueError("only what repeats has days on which it does not ring")
    coming = repeats.next_after(now, zone) if repeats else due_at
    return Problem.PAST if coming is None else Plan(coming, repeats)
