"""Compares the time of a call that sets an alarm with the time that the user said. Pure.

A small model drops a repetition (격주), moves the day, or turns morning into evening. What the user said is read
without a model. If all words of time in the request were read, and they name one time, that time counts:

- A call that rings at the hour that was said, in the morning or in the evening, means the same time. It gets the days
  and the repetition that were said.
- A delay and what recurs within a day ("every two hours") name no hour, and the call gets them as they were said.
- A call at another hour, or on another day than the one that was said without an hour, may mean another time of the
  sentence. Nobody knows which one is wrong, so the model is asked again.

Where a word of time was not read, where none was said, or where the request names several alarms, the call stays.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from assistant.core.times.english import find_english
from assistant.core.times.korean import find_korean
from assistant.core.times.planning import Plan, at_hour, days_in, planned, rule_in, said_in
from assistant.core.times.recurrence import Zone
from assistant.core.times.resolving import Problem, hours_of
from assistant.core.times.said import FoundTime, SaidTime
from assistant.llm.backend import ModelToolCall

ALARM = "set_alarm"
"""Name of the tool that sets alarms and reminders."""
_MOVED = re.compile(r"미리|먼저|앞서|일찍|\b(?:early|earlier|ahead|advance|beforehand|prior)\b", re.IGNORECASE)
"""The time that was said is that of something else."""
_ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d\S*")
_COMPARED = 4
"""How many of the next times are compared."""
_CLOSE_S = 90
"""A delay that the model has counted itself may differ by this much: it read the clock when the message came."""


class ContradictionError(Exception):
    """A call and the user's words name different times; ``words`` are those of the user."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


@dataclass(frozen=True, slots=True)
class _Said:
    """The time of a request, its words, and when it rings."""

    said: SaidTime
    words: str
    now: datetime
    zone: Zone
    waking: bool

    def plan(self, said: SaidTime) -> Plan | Problem:
        return planned(said, self.now, self.zone, waking=self.waking)

    def times(self, plan: Plan) -> tuple[datetime, ...]:
        return plan.next_times(_COMPARED, self.zone)


def with_said_times(
    calls: Sequence[ModelToolCall], request: str, now: datetime, zone: Zone
) -> tuple[ModelToolCall, ...]:
    """The calls; the one that sets an alarm has the time that the user said.

    Args:
        calls: the calls of one reply.
        request: the request from ``request_in``.
        now: the present, with its time zone.
        zone: the user's time zone.

    Raises:
        ContradictionError: it is not known which time is meant.
    """
    calls = tuple(calls)
    alarms = [call for call in calls if call.name == ALARM]
    found = _time_in(request) if len(alarms) == 1 else None
    if found is None:
        return calls
    waking = not str(alarms[0].arguments.get("what") or "").strip()
    words = " ".join(run.words.strip(" ,.") for run in found.runs)
    kept = _kept(alarms[0], _Said(found.said, words, now, zone, waking))
    return tuple(kept if call is alarms[0] else call for call in calls)


def _time_in(request: str) -> FoundTime | None:
    """The time of a request, if all its words of time were read."""
    if _MOVED.search(request):
        return None
    found = find_korean(request) if re.search("[가-힣]", request) else find_english(request)
    # "3시에 만난 사람한테 내일 전화하라고": of words that stand apart, the hour comes last where they are one time.
    if found is None or any(run.hour for run in found.runs[:-1]):
        return None
    return None if any(run.day_last and "," in run.words for run in found.runs) else found


def _kept(call: ModelToolCall, words: _Said) -> ModelToolCall:
    given = _plan_of(call, words)
    if given is None:
        return call  # The tool tells what is wrong with it.
    said = words.said
    hour = said.hour is not None
    if not hour and said.after_s is None and not (said.cycle and isinstance(words.plan(said), Plan)):
        # The hour is the model's. The days are the user's.
        said = at_hour(said, given.due_at)
    elif hour and said.part is None and given.due_at.hour in hours_of(said) and not said.also:
        said = at_hour(said, given.due_at)  # "7시" may be either.
    meant = words.plan(said)
    if isinstance(meant, Problem):
        raise ContradictionError(words.words)
    if _agree(given, meant, words):
        return call
    if hour and not _same_hour(given, said):
        raise ContradictionError(words.words)
    if not hour and said != words.said and given.due_at != meant.due_at:
        raise ContradictionError(words.words)
    return _with_time(call, said, meant, words)


def _plan_of(call: ModelToolCall, words: _Said) -> Plan | None:
    """When the call would ring, also in the past; ``None`` if it cannot be read or set."""
    when, repeat, days = (call.arguments.get(name) or "" for name in ("when", "repeat", "except_on"))
    try:
        said = said_in(str(when), words.zone)
        if isinstance(said, Problem):
            return None
        rule, except_on = rule_in(str(repeat)), days_in(days or ())
        plan = planned(said, words.now, words.zone, rule=rule, except_on=except_on, waking=words.waking)
    except (ValueError, TypeError):
        return None
    if plan is Problem.PAST and _ISO.fullmatch(str(when).strip()):
        return Plan(words.zone(datetime.fromisoformat(str(when).strip()).replace(tzinfo=None)))
    return None if isinstance(plan, Problem) else plan


def _agree(given: Plan, meant: Plan, words: _Said) -> bool:
    if words.said.after_s is not None:
        return not given.repeats and abs((given.due_at - meant.due_at).total_seconds()) <= _CLOSE_S
    limited = given.repeats is not None and (
        given.repeats.get("UNTIL") or given.repeats.get("COUNT") or given.repeats.except_on
    )
    if words.said.hour is None and given.repeats and meant.repeats and words.said.cycle:
        return not limited and given.repeats.same_days(meant.repeats)
    return not limited and words.times(given) == words.times(meant)


def _same_hour(given: Plan, said: SaidTime) -> bool:
    """Whether a call is at the hour that was said. Small models lose the half of the day."""
    hours = {hour % 12 for each in (said, *said.also) for hour in hours_of(each)}
    return given.due_at.minute == said.minute and given.due_at.hour % 12 in hours


def _with_time(call: ModelToolCall, said: SaidTime, meant: Plan, words: _Said) -> ModelToolCall:
    """The call with the user's words, or with their meaning where they cannot be read alone."""
    others = {name: value for name, value in call.arguments.items() if name not in ("repeat", "except_on")}
    if said == words.said and said_in(words.words, words.zone) == said:
        return replace(call, arguments={**others, "when": words.words})
    repeat = str(meant.repeats).partition("RRULE:")[2] if meant.repeats else ""
    when = f"{meant.due_at:%Y-%m-%dT%H:%M}"
    return replace(call, arguments={**others, "when": when, **({"repeat": repeat} if repeat else {})})
