"""Reads a message by code: a time, a number of people, and what is left when it was asked for. Pure."""

import re
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from assistant.core.times.durations import ENGLISH, NATIVE, SINO
from assistant.core.times.english import find_english
from assistant.core.times.korean import find_korean
from assistant.core.times.planning import planned
from assistant.core.times.recurrence import Zone
from assistant.core.times.resolving import Problem
from assistant.core.times.said import SaidTime

Operations = list[dict[str, Any]]

_NUMBERS: Final = {**SINO, **NATIVE, **ENGLISH, "하나": 1, "둘": 2, "셋": 3, "넷": 4}
_NUMBER: Final = "|".join(["[0-9]+", *sorted(_NUMBERS, key=len, reverse=True)])
_COUNT: Final = re.compile(rf"(?<!\w)({_NUMBER})\s*(?:명|사람|분(?!\s*(?:뒤|후))|people|persons?)", re.IGNORECASE)
_BARE: Final = re.compile(rf"({_NUMBER})", re.IGNORECASE)
_EMPTY: Final = re.compile(
    r"(?:^|\s)(?:(?:이?에요|이?요|으?로|에|이서|부탁해요?|해\s*줘|아니요?|for|at|on|make\s+it|please|no)(?=\s|$)|[.,!]+)"
)
"""Words that change nothing, beside what was read."""


def read(text: str, known: str, asked: str, now: datetime, zone: Zone) -> Operations | None:
    """What a message sets; ``None`` if code does not understand all of it.

    Args:
        text: the message.
        known: the time that is known, ISO 8601; empty for none. An hour without a day is one of this day.
        asked: the slot for which the user was asked; empty while a yes is awaited.
        now: the present.
        zone: the user's time zone.
    """
    found: Operations = []
    rest = text.strip(" .,!")
    if asked == "count" and (bare := _BARE.fullmatch(rest)):
        return [_set("count", _value(bare[1]))]
    if (count := _COUNT.search(rest)) is not None:
        found.append(_set("count", _value(count[1])))
        rest = f"{rest[: count.start()]} {rest[count.end() :]}"
    if (time := find_korean(rest) or find_english(rest)) is not None:
        found.append(_set("when", _when(time.said, known, now, zone)))
        rest = time.rest
    while rest != (shorter := _EMPTY.sub(" ", f" {rest} ").strip(" .,!")):
        rest = shorter
    if rest and asked == "what":
        return [*found, _set("what", rest)]
    return None if rest else found or None


def _when(said: SaidTime, known: str, now: datetime, zone: Zone) -> str:
    """The time, ISO 8601; empty for one that is past, has no hour, or repeats."""
    if (said.hour is None and said.after_s is None) or said.repeats:
        return ""
    if known and said == SaidTime(hour=said.hour, minute=said.minute, part=said.part):
        day = datetime.fromisoformat(known)
        said = replace(said, year=day.year, month=day.month, day=day.day)
    plan = planned(said, now, zone)
    return "" if isinstance(plan, Problem) else plan.due_at.isoformat()


def _set(slot: str, value: str | int) -> dict[str, Any]:
    return {"op": "set", "slot": slot, "value": value}


def _value(word: str) -> int:
    return int(word) if word.isdecimal() else _NUMBERS[word.casefold()]
