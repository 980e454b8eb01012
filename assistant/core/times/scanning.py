"""Finds the pieces of a time in a sentence, and joins what they say if it fits together."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from assistant.core.times.left_over import GAP
from assistant.core.times.recurrence import SHORTEST_MINUTES
from assistant.core.times.resolving import hours_of
from assistant.core.times.said import EVERY_DAY, Cycle, DayPart, FoundTime, Period, SaidTime, TimeWords

Fields = Mapping[str, Any]
"""Fields of ``SaidTime`` by name; ``weekdays``, those that were listed; ``in_weeks``, weeks from today; ``of_month``,
the next month that fits; ``again``, that the hour was said with "마다". ``part`` may be said several times."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One way to say a part of a time.

    Attributes:
        pattern: finds it at a place.
        read: gives the fields that it says; ``None`` if it is no time after all.
        beside: whether it is a time only beside another piece, as ``2/10`` is.
    """

    pattern: re.Pattern[str]
    read: Callable[[dict[str, str]], Fields | None]
    beside: bool = False


@dataclass(frozen=True, slots=True)
class FoundPiece:
    """A piece that was found.

    Attributes:
        start: where it begins.
        end: where it ends, with its particles.
        fields: what it says.
        beside: whether it is a time only beside another piece.
    """

    start: int
    end: int
    fields: Fields
    beside: bool = False


class Scanner:
    """Finds pieces. At each place the longest one counts, so that no word of it is left over.

    Args:
        pieces: all pieces of a language.
        end: gives where a piece that ends at this place ends with its particles; ``None`` if it cannot end there. Its
            third argument tells whether a piece begins at a place.
        begins: whether a piece can begin at this place.
    """

    def __init__(
        self,
        pieces: Sequence[Piece],
        end: Callable[[str, int, Callable[[int], bool]], int | None],
        begins: Callable[[str, int], bool],
    ) -> None:
        self._pieces = pieces
        self._end = end
        self._begins = begins

    def scan(self, text: str) -> tuple[FoundPiece, ...]:
        """The pieces in ``text``."""
        found: list[FoundPiece] = []
        at = 0
        lower = "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)
        while at < len(text):
            follows = bool(found) and found[-1].end == at
            piece = self._at(lower, at) if follows or self._begins(lower, at) else None
            if piece is not None:
                found.append(piece)
            at = piece.end if piece else at + 1
        return tuple(_beside_others(text, found))

    def starts(self, text: str) -> bool:
        """Whether a piece begins the text."""
        return bool(text) and self._at(text, 0) is not None

    def _at(self, text: str, at: int) -> FoundPiece | None:
        def begins(place: int) -> bool:
            return any(each.pattern.match(text, place) for each in self._pieces)

        matches = [(match, piece) for piece in self._pieces if (match := piece.pattern.match(text, at))]
        for match, piece in sorted(matches, key=lambda each: each[0].end(), reverse=True):
            end = self._end(text, match.end(), begins)
            if end is None or match.end() == at:
                continue
            fields = piece.read({name: value for name, value in match.groupdict().items() if value is not None})
            if fields is not None:
                return FoundPiece(at, end, fields, piece.beside)
        return None


def _beside_others(text: str, found: Sequence[FoundPiece]) -> Iterator[FoundPiece]:
    """The pieces without those that count only beside another and stand alone."""
    for index, piece in enumerate(found):
        near = (found[place] for place in (index - 1, index + 1) if 0 <= place < len(found))
        if not piece.beside or any(_touch(text, *sorted((piece, each), key=lambda each: each.start)) for each in near):
            yield piece


def _touch(text: str, former: FoundPiece, latter: FoundPiece) -> bool:
    return not text[former.end : latter.start].strip(" ,")


def _listed(text: str, former: FoundPiece, latter: FoundPiece) -> bool:
    """Whether two pieces are joined by "and", and by nothing else."""
    ended = re.search(r"(?:와|과|하고|랑)\s*$", text[former.start : former.end]) is not None
    between = text[former.end : latter.start].strip(" ,").lower()
    return (ended and not between) or between == "and"


def with_gaps(text: str, found: Sequence[FoundPiece]) -> str:
    """The text with a ``GAP`` in place of each piece."""
    for piece in reversed(found):
        text = f"{text[: piece.start]} {GAP} {text[piece.end :]}"
    return text


def joined(pieces: Sequence[Fields]) -> SaidTime | None:
    """What all pieces say together; ``None`` if they contradict each other or lack something.

    What repeats can have several times of day with the same minute: 매일 아침 8시와 저녁 8시.
    """
    timed = [fields for fields in pieces if "hour" in fields]
    several = [each for index, each in enumerate(timed) if each not in timed[:index]]
    if len(several) > 1:
        days = [fields for fields in pieces if "hour" not in fields]
        first, *others = (joined([*days, each]) for each in several)
        also = tuple(each for each in others if each)
        if first is None or not first.repeats or len(also) < len(others):
            return None
        same_day = all(max(hours_of(each)) < _DAY_HOURS and each.minute == first.minute for each in (first, *also))
        return replace(first, also=also) if same_day else None
    return _joined_once(pieces)


def _joined_once(pieces: Sequence[Fields]) -> SaidTime | None:
    said: dict[str, Any] = {}
    parts = []
    for fields in pieces:
        for name, value in fields.items():
            if name == "part":
                parts.append(value)
            elif name != "again" and said.setdefault(name, value) != value:
                return None
    said = _with_weekdays(_in_days(said))
    names = frozenset(said) - {"hour", "minute"}
    said.pop("of_month", None)
    if ("after_s" in said and (len(said) > 1 or parts)) or (names not in _ALLOWED):
        return None
    cycle = said.get("cycle")
    if cycle and (names not in _CYCLES[cycle.unit] or said.get("every") == EVERY_DAY):
        return None
    if cycle and cycle.unit in (Period.MINUTE, Period.HOUR) and ("hour" in said or parts):
        return None
    if any(_contradicts(said.get("hour"), part) for part in parts):
        return None
    times = [SaidTime(**said, part=part) for part in parts] or [SaidTime(**said)]
    if len(set(parts)) > 1 and ("hour" not in said or len(set(map(hours_of, times))) > 1):
        return None
    at_midnight = "hour" in said and hours_of(times[-1])[0] >= _DAY_HOURS
    return None if at_midnight and cycle and cycle.unit in (Period.MONTH, Period.YEAR) else times[-1]


def _contradicts(hour: int | None, part: DayPart) -> bool:
    """Whether a clock that shows this hour is not in this part of the day: noon is no morning."""
    latest = {DayPart.MORNING: _NOON - 1, DayPart.AM: _NOON, DayPart.DAWN: _NOON}.get(part)
    return hour is not None and latest is not None and hour > latest


def often(count: int, unit: Period) -> Fields | None:
    """What recurs within a day; ``None`` for what recurs so often that nobody could bear it, or less than daily."""
    minutes = count * (60 if unit is Period.HOUR else 1)
    return {"cycle": Cycle(unit, count)} if SHORTEST_MINUTES <= minutes < _DAY_HOURS * 60 else None


def shifted(hour: int, minute: int, minutes: int, part: DayPart | None) -> Fields | None:
    """The time some minutes after an hour or, below zero, before it; ``None`` in another part of the day."""
    if hour > _NOON:
        total, limit = hour * 60 + minute + minutes, _DAY_HOURS * 60
    else:
        total, limit = hour % _NOON * 60 + minute + minutes, _NOON * 60
        if total < 0 and part in (None, DayPart.PM, DayPart.DAY, DayPart.EVENING, DayPart.NIGHT):
            total, part = total + limit, DayPart.AM if part is DayPart.PM else part
    if not 0 <= total < limit:
        return None
    hours = total // 60 if hour > _NOON else total // 60 or _NOON
    return {"hour": hours, "minute": total % 60, **({"part": part} if part else {})}


def found_time(text: str, found: Sequence[FoundPiece], hint: Fields | None = None) -> FoundTime | None:
    """The time in a sentence; ``None`` if the pieces say none.

    Args:
        text: the sentence.
        found: its pieces.
        hint: what the rest of the sentence tells of the time.
    """
    said = joined([piece.fields for piece in found] + ([hint] if hint else [])) if found else None
    hours = [piece for piece in found if "hour" in piece.fields]
    again = any("again" in piece.fields for piece in found)
    if (
        said is None
        or (again and not said.repeats)
        or (said.also and not all(_listed(text, *pair) for pair in pairwise(hours)))
    ):
        return None
    runs: list[list[FoundPiece]] = []
    for piece in found:
        if runs and (_touch(text, runs[-1][-1], piece) or (said.also and _listed(text, runs[-1][-1], piece))):
            runs[-1].append(piece)
        else:
            runs.append([piece])
    words: list[str] = []
    places = []
    at = 0
    for run in runs:
        words += _words(text[at : run[0].start])
        places.append(_run(text, run, len(" ".join(words))))
        at = run[-1].end
    return FoundTime(said=said, rest=" ".join([*words, *_words(text[at:])]), runs=tuple(places))


def _words(text: str) -> list[str]:
    """The words; a mark that stood beside the time is none."""
    return [word for word in text.split() if word.strip(",.")]


def _run(text: str, run: Sequence[FoundPiece], at: int) -> TimeWords:
    hours = [bool(piece.fields.keys() & _OF_HOUR) for piece in run]
    days = [bool(piece.fields.keys() - _OF_HOUR - {"part"}) for piece in run]
    day_last = days[-1] and any(hours[:-1])
    return TimeWords(at, text[run[0].start : run[-1].end], any(hours), any(days), day_last)


def _in_days(said: dict[str, Any]) -> dict[str, Any]:
    """In two weeks is a day, and with a weekday it is one of that week."""
    if "in_weeks" in said and not said.keys() & {"days", "weeks"}:
        weeks = said.pop("in_weeks")
        said = {**said, "days": 7 * weeks, **({"weeks": weeks} if "weekdays" in said else {})}
    return said


def _with_weekdays(said: dict[str, Any]) -> dict[str, Any]:
    """Weekdays repeat with a week, and are one day without."""
    cycle = said.get("cycle")
    if cycle is not None and cycle.unit is Period.WEEK and "weekdays" in said and "every" not in said:
        said = {**said, "every": said["weekdays"]}
        del said["weekdays"]
        if cycle.count == 1:
            del said["cycle"]
    elif len(said.get("weekdays", ())) == 1:
        said = {**said, "weekday": min(said["weekdays"])}
        del said["weekdays"]
    return said


_OF_HOUR = {"hour", "minute", "after_s", "again"}
_NOON, _DAY_HOURS = 12, 24
_DATES = (
    {"day"},
    {"month", "day"},
    {"month", "day", "year"},
    {"month", "day", "years"},
    {"months_on", "day"},
    {"month", "nth", "weekday"},
    {"month", "nth", "weekday", "year"},
    {"month", "nth", "weekday", "years"},
    {"months_on", "nth", "weekday"},
    {"of_month", "day"},
    {"of_month", "nth", "weekday"},
)
_CYCLES = {
    Period.MINUTE: {frozenset({"cycle"})},
    Period.HOUR: {frozenset({"cycle"})},
    Period.DAY: {frozenset({"cycle"})},
    Period.WEEK: {frozenset({"cycle", "every"})},
    Period.MONTH: {frozenset({"cycle", "day"}), frozenset({"cycle", "nth", "weekday"})},
    Period.YEAR: {frozenset({"cycle", "month", "day"}), frozenset({"cycle", "month", "nth", "weekday"})},
}
_ALLOWED = {
    frozenset(names)
    for names in (
        set[str](),
        {"after_s"},
        {"days"},
        {"days", "weekday"},
        {"days", "weeks", "weekday"},
        {"months"},
        {"weekday"},
        {"weeks", "weekday"},
        {"weeks", "weekday", "following"},
        {"every"},
        *_DATES,
        *(date | {"weekday"} for date in _DATES),
        *(names for each in _CYCLES.values() for names in each),
    )
}
"""Which fields name a day or a repetition together."""
