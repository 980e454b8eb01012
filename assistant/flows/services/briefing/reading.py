"""Reads the lines in which Sori's tools list what is set, with the readers of alarms. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Final

from assistant.core.people.checking import next_birthday
from assistant.core.records.people import Person
from assistant.core.times.planning import Plan, at_hour, planned, said_in
from assistant.core.times.recurrence import Zone
from assistant.core.times.resolving import Problem
from assistant.core.times.said import DayPart, SaidTime
from assistant.flows.services.briefing.logic import BriefingDays

_NOTHING: Final = re.compile(r"No .+ is (?:set|running|scheduled)\.")
_TIMER: Final = re.compile(r"(?P<what>.+) of \d+ min \d+ s, rings at (?P<at>\d\d:\d\d:\d\d)")
_NEXT: Final = re.compile(r" \((?:다음은 (?P<ko>.+?)(?:이에요|예요)|The next one is on (?P<en>.+))\.\)$")
_HANGUL: Final = re.compile(r"[가-힣]$")
_MINUTES: Final = re.compile(r"\d+분\b")
_HOURS_OF_MIDNIGHT: Final = {(24, DayPart.DAY), (12, DayPart.NIGHT)}


@dataclass(frozen=True, slots=True)
class DueEntry:
    """Something that is due.

    Attributes:
        what: its words; empty for a mere alarm.
        at: when it is due first in the period; ``None`` if that could not be worked out.
        rule: how it repeats, in words; empty for once.
    """

    what: str
    at: datetime | None = None
    rule: str = ""


def entries(text: str, period: BriefingDays, now: datetime, zone: Zone) -> Iterator[DueEntry]:
    """What of a list is due in a period, or may be."""
    for line in filter(None, map(str.strip, text.splitlines())):
        if _NOTHING.fullmatch(line):
            continue
        entry = _timer(line, now, zone) or _entry(line, period, now, zone)
        if entry is not None and (entry.at is None or period.start <= entry.at < period.end):
            yield entry


def birthdays(people: tuple[Person, ...], period: BriefingDays) -> Iterator[tuple[date, str]]:
    """Whose birthday falls into a period, and when, the nearest first."""
    found = [(next_birthday(each, period.days[0]), each) for each in people]
    for day in period.days:
        for born, each in found:
            if born == day:
                yield day, " ".join(dict.fromkeys(filter(None, (each.relation, each.name))))


def _timer(line: str, now: datetime, zone: Zone) -> DueEntry | None:
    if (found := _TIMER.fullmatch(line)) is None:
        return None
    at = zone(datetime.combine(now.date(), time.fromisoformat(found["at"])))
    if at < now - timedelta(minutes=1):
        at = zone(datetime.combine(now.date() + timedelta(days=1), at.time()))
    return DueEntry("" if found["what"] == "timer" else found["what"], max(at, now))


def _entry(line: str, period: BriefingDays, now: datetime, zone: Zone) -> DueEntry | None:
    """The entry of an alarm, a reminder or a request; ``None`` if it is certainly not due."""
    told = _NEXT.search(line)
    line = _NEXT.sub("", line)
    when, what, said = _split(line, zone)
    if said is not None:
        after = max(now, period.start - timedelta(seconds=1)) if said.repeats else now
        plan = _planned(said, after, zone)
        if plan is Problem.PAST:
            return None
        if isinstance(plan, Plan):
            return DueEntry(what, plan.due_at, when if said.repeats else "")
    # Not all repetitions are understood, but the next time is told.
    next_said = _whole(told["ko"] or told["en"], zone) if told else None
    plan = _planned(next_said, now, zone) if next_said else Problem.UNREAD
    at = plan.due_at if isinstance(plan, Plan) and plan.due_at >= period.start else None
    return DueEntry(what, at, when)


def _planned(said: SaidTime, now: datetime, zone: Zone) -> Plan | Problem:
    try:
        return planned(said, now, zone)
    except ValueError:
        return Problem.IMPOSSIBLE


def _split(line: str, zone: Zone) -> tuple[str, str, SaidTime | None]:
    """The words of the time, the other words, and the time, ``None`` if it was not understood."""
    when, colon, what = line.partition(": ")
    if (said := _whole(when, zone)) is not None:
        return when, what, said
    if (said := _whole(line, zone)) is not None:
        return line, "", said
    # In Korean, nothing stands between the time of a request and its words.
    words = line.split(" ")
    for count in range(1, len(words) + 1):
        rest = " ".join(words[count:])
        if words[count - 1].endswith(",") or _MINUTES.match(rest) or not _HANGUL.search(words[count - 1]):
            continue
        if (said := _whole(" ".join(words[:count]), zone)) is not None:
            return " ".join(words[:count]), rest, said
    return (when, what, None) if colon else ("", line, None)


def _whole(words: str, zone: Zone) -> SaidTime | None:
    """The time of whole words as Sori writes it, with an hour."""
    said = said_in(words, zone)
    if isinstance(said, Problem):
        # 주말 오전 9시 repeats where Sori writes it.
        said = said_in(f"매주 {words}", zone)
    # Every second day is known only with the day from which it is counted.
    if isinstance(said, Problem) or said.hour is None or (said.cycle and said.cycle.count > 1):
        return None
    # Sori writes midnight with the day that it begins; people say it of the day that it ends.
    midnight = (said.hour, said.part) in _HOURS_OF_MIDNIGHT
    return at_hour(said, datetime.combine(date.min, time(0, said.minute))) if midnight else said
