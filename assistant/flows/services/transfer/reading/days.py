"""The day of a transfer, as it was said. Pure."""

import re
from dataclasses import dataclass, replace
from datetime import datetime

from assistant.core.hangul import FIRST, LAST
from assistant.core.times.english import find_english
from assistant.core.times.korean import find_korean
from assistant.core.times.resolving import Problem, resolve
from assistant.core.times.said import SaidTime
from assistant.flows.services.transfer.reading.situation import Operation

_AT_ONCE = re.compile(
    r"(?<![가-힣])(?:지금|바로|당장|즉시|곧바로|지금\s?바로|지금\s?당장)(?:으로|은)?(?![가-힣])"
    r"|\b(?:right now|right away|immediately|at once|now)\b",
    re.IGNORECASE,
)
_CLEARED = re.compile(
    r"(?:날짜|예약)(?:는|은|를|을)?\s?(?:빼|지워|없애|취소해|상관\s?없)\s?(?:줘|주세요|어|어요)?"
    r"|\b(?:drop|remove|clear) the (?:date|day)\b|\bno date\b",
    re.IGNORECASE,
)
_REPEATS = re.compile(
    r"매[달월주일년]|마다|자동\s?이체|정기|\bevery\b|each (?:day|week|month)|\bmonthly\b|\bweekly\b|standing order",
    re.IGNORECASE,
)
_NOT_DAY = re.compile(r"(\S+(?:\s\S+){0,2}?)\s*말고(?![가-힣])")


@dataclass(frozen=True, slots=True)
class FoundDay:
    """What a message says of the day.

    Attributes:
        operation: the change of the day; ``None`` if none was said.
        rest: the message without the words of the day.
        said: whether the message says a day that was not understood whole.
    """

    operation: Operation | None
    rest: str


def find_day(text: str, now: datetime) -> FoundDay:
    """Find the day in a message.

    A day that is past, that nobody can tell (``next Friday`` on a Monday) or that repeats becomes an operation
    ``reject`` with the reason, because a model would choose one.
    """
    if cleared := _CLEARED.search(text):
        return FoundDay({"op": "clear", "slot": "date"}, text.replace(cleared.group(), " "))
    text = _without_refused_day(text)
    at_once = _AT_ONCE.search(text)
    find = find_korean if any(FIRST <= ord(each) <= LAST for each in text) else find_english
    found = find(_AT_ONCE.sub(" ", text))
    if found is None:
        today = {"op": "set", "slot": "date", "value": now.date().isoformat()}
        return FoundDay(today if at_once else None, _AT_ONCE.sub(" ", text))
    if found.said.repeats:
        return FoundDay(_rejected("repeats"), found.rest)
    return FoundDay(_operation(found.said, now), found.rest)


def repeats(text: str) -> bool:
    """Whether a message asks for transfers that repeat. A model would make one transfer of it."""
    return _REPEATS.search(text) is not None


def _operation(said: SaidTime, now: datetime) -> Operation:
    if said.after_s is not None or said.hour is not None:
        # The bank knows days only. An hour that was dropped in silence would be a promise.
        return _rejected("hour")
    day = resolve(replace(said, hour=23, minute=59, part=None), now.replace(hour=0, minute=0), _zone(now))
    if isinstance(day, Problem):
        reasons = {Problem.PAST: "past", Problem.UNCLEAR: "unclear"}
        return _rejected(reasons.get(day, "impossible"))
    return {"op": "set", "slot": "date", "value": day.date().isoformat()}


def _zone(now: datetime) -> "_Zone":
    return _Zone(now)


class _Zone:
    """Gives a wall time the offset of the message."""

    def __init__(self, now: datetime) -> None:
        self._tz = now.tzinfo

    def __call__(self, wall: datetime) -> datetime:
        return wall.replace(tzinfo=self._tz)


def _without_refused_day(text: str) -> str:
    """The text without a day that the user does not want: 내일 말고 모레."""
    for match in _NOT_DAY.finditer(text):
        found = find_korean(match[1])
        if found is not None and not found.rest.strip():
            return text[: match.start()] + text[match.end() :]
    return text


def _rejected(reason: str) -> Operation:
    return {"op": "reject", "slot": "date", "reason": reason}
