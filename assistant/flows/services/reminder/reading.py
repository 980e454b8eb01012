"""Reads times, repetitions and words of a reminder in a message, with the readers of alarms. Pure."""

import re
from dataclasses import replace
from datetime import datetime
from typing import Any

from assistant.core.times.english import find_english
from assistant.core.times.korean import find_korean
from assistant.core.times.planning import Plan, at_hour, planned, said_in
from assistant.core.times.recurrence import Zone
from assistant.core.times.resolving import Problem, rule_of
from assistant.core.times.said import SaidTime
from assistant.flows.services.reminder.logic import is_once
from assistant.flows.services.reminder.state.models import ReminderSlots

Operations = list[dict[str, Any]]

_BEFORE = re.compile(
    r"^\s*(?:(?:아니야|아니요|아니|아|음|응|그래|그럼|no|yes|oh|actually|wait|make it|change it to)[\s,]+)+",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\s*(?:(?:으)?로\s*(?:해|바꿔|맞춰|변경해|하자|할게)?\s*(?:줘|주세요)?|(?:에|쯤)?\s*(?:알려|울려|부탁해?|맞춰|해)\s*(?:줘|주세요)?|이?요|please|instead)\s*[.!]*\s*$",
    re.IGNORECASE,
)
_INSTEAD = re.compile(
    r"^(?P<old>.+?)\s*말고\s+(?P<new>.+)$|^(?P<new_en>.+?)\s+instead\s+of\s+(?P<old_en>.+)$", re.IGNORECASE
)
_WHAT_BEFORE = re.compile(r"^\s*(?:(?:please\s+)?remind me\s+(?:to|of|about|that)|to)\s+", re.IGNORECASE)
_WHAT_AFTER = re.compile(
    r"\s*(?:(?:하라고|는\s?거|는\s?것)(?:을|를)?)?\s*(?:좀\s*)?(?:알려|말해|일러|상기시켜)\s*(?:줘|주세요|달라고)?\s*[.!]*\s*$"
)
_TO_DO = re.compile(r"(?<=[가-힣])으라고$")
"""먹으라고: the ending of a verb, in place of which 먹기 is the name of what is to be done."""


def read(text: str, slots: ReminderSlots, asked: str, now: datetime, zone: Zone) -> Operations | None:
    """What a message changes; ``None`` if code does not understand all of it.

    Args:
        text: the message.
        slots: what is known.
        asked: the slot for which the user was asked; empty while a yes is awaited.
        now: the present.
        zone: the user's time zone.
    """
    if is_once(text):
        return [{"op": "set", "values": {"rule": "", "repeat_known": True}}]
    corrects = _BEFORE.match(text) is not None or _INSTEAD.match(text) is not None
    words = _BEFORE.sub("", text).strip(" .,!")
    if (instead := _INSTEAD.match(words)) is not None:
        words = (instead["new"] or instead["new_en"]).strip()
    for each in dict.fromkeys((words, _AFTER.sub("", words), _AFTER.sub("", _AFTER.sub("", words)))):
        said = said_in(each, zone) if each else Problem.UNREAD
        if not isinstance(said, Problem):
            return _timed(each, said, slots, now, zone)
        if said is not Problem.UNREAD:
            return [{"op": "error", "slot": "when"}]
    if asked == "what" or (not asked and instead is not None):
        return _of_what(_AFTER.sub("", words) if corrects else words, slots, now, zone)
    return None


def _of_what(words: str, slots: ReminderSlots, now: datetime, zone: Zone) -> Operations | None:
    """Of what to remind, and the time in the same words."""
    found = find_korean(words) or find_english(words)
    operations: Operations = []
    if found is not None:
        operations = _timed(" ".join(each.words for each in found.runs), found.said, slots, now, zone)
        words = found.rest
    what = _WHAT_BEFORE.sub("", _WHAT_AFTER.sub("", " ".join(words.split()))).strip(" .,!")
    what = _TO_DO.sub("기", what)
    return [*operations, {"op": "set", "values": {"what": what}}] if what else operations or None


def _timed(words: str, said: SaidTime, slots: ReminderSlots, now: datetime, zone: Zone) -> Operations:
    """The change by a time, in which the day, the hour or the repetition that is known stays."""
    due = datetime.fromisoformat(slots.due) if slots.due else None
    rule = "" if said.repeats else slots.rule
    if said.hour is None and said.after_s is None and not _within_a_day(said):
        if due is None:
            known = {"repeat_known": True} if said.repeats else {}
            return [{"op": "set", "values": {"day": words, **known}}]
        if said.repeats:
            rule, said = rule_of(said), _hour(due)
        else:
            said = at_hour(said, due)
    elif _names_hour_only(said):
        if slots.day and not isinstance(both := said_in(f"{slots.day} {words}", zone), Problem):
            said = both
        elif due is not None and not rule:
            said = replace(said, year=due.year, month=due.month, day=due.day)
    try:
        plan = planned(said, now, zone, rule=rule)
    except ValueError:
        plan = Problem.IMPOSSIBLE
    if isinstance(plan, Problem):
        return [{"op": "error", "slot": "when"}]
    return [{"op": "set", "values": _values(plan, said, slots)}]


def _values(plan: Plan, said: SaidTime, slots: ReminderSlots) -> dict[str, Any]:
    rule = "" if plan.repeats is None else ";".join(f"{key}={value}" for key, value in plan.repeats.rule)
    # What rings after some minutes rings once.
    known = slots.repeat_known or bool(rule) or said.after_s is not None
    return {"due": plan.due_at.isoformat(), "rule": rule, "day": "", "repeat_known": known}


def _hour(due: datetime) -> SaidTime:
    return at_hour(SaidTime(), due)


def _within_a_day(said: SaidTime) -> bool:
    return said.cycle is not None and said.cycle.unit in ("minute", "hour")


def _names_hour_only(said: SaidTime) -> bool:
    return said == SaidTime(hour=said.hour, minute=said.minute, part=said.part)
