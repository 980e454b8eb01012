"""Which days a message asks about. Days are read by the readers of alarms; what they leave is no briefing. Pure."""

import re
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Final

from assistant.core.times.planning import at_hour, said_in
from assistant.core.times.recurrence import Zone
from assistant.core.times.resolving import Problem, resolve
from assistant.core.times.said import SaidTime

_LEAD = r"(?:(?:please|okay?|hey|can you|could you|would you|will you|i want|i'd like|let me hear) )*"
_KIND = "(?:(?:weekly|daily|morning|evening|quick|short) )?"
_ASKS_KO = (
    r"(?:(?:음|자|그럼|이제) )*(?:(?P<when>.+?) ?)??(?:(?:주간|일일|하루|아침|모닝|저녁) ?)?(?:일정 ?)?브리핑(?:을|좀)?"
    r"(?: (?:좀|다시|한 ?번))*(?: ?(?:해|들려|말해|알려|읽어|시작해|시작|부탁해?|부탁드려|하자|들을래|듣고 싶어))?"
    r"(?: ?(?:줘|줘요|주세요|줄래|줄래요|주실래요|줄 수 있어요?|줄 수 있나요|볼래|보자|요))?"
)
_ASKS_EN = (
    _LEAD + r"(?:(?:give|read|tell|show|get|play|start)(?: me| us)?(?: a)? )?(?:(?:my|the|our) )?"
    r"(?:(?P<when>.+?)(?:'s)? )??" + _KIND + r"briefing(?: (?:(?:for|of|on|about) )?(?P<for>.+?))??(?: please| now)*"
)
_ASKS_WHAT = rf"what(?:'s| is) (?:my|(?P<when>\S+(?: week)?)'s) {_KIND}briefing(?: (?:for )?(?P<for>.+?))?"
_ASKS_TO = _LEAD + r"brief me(?: (?:(?:on|about|for) )?(?P<when>.+?))??(?: please| now)*"
_ASKS: Final = tuple(map(re.compile, (_ASKS_KO, _ASKS_EN, _ASKS_WHAT, _ASKS_TO)))
_GOES_ON_KO = (
    r"(?:(?:그럼|그러면|그리고|자|아) )*(?P<when>.+?)"
    r"(?:(?:은|는|도)?요?(?: (?:어때|어떻게 돼|뭐 ?있어|뭐 ?있지|있어)요?)?|(?:은|는|도) (?:말해|알려|해) ?줘요?)"
)
_GOES_ON_EN = (
    r"(?:(?:and|then|so|okay?) )*(?:(?:what|how) about |(?:what|how)(?:'s| is) )?(?:on )?"
    r"(?P<when>.+?)(?: then| please)*"
)
_GOES_ON: Final = (re.compile(_GOES_ON_KO), re.compile(_GOES_ON_EN))
_OWN: Final = {"my day": "today", "the day": "today", "my week": "", "the week": ""}
_COMING_DAYS: Final = 7
_LAST_MINUTE: Final = datetime.combine(date.min, time(23, 59))


@dataclass(frozen=True, slots=True)
class BriefingDays:
    """Days from the present on.

    Attributes:
        start: the first moment.
        end: the first moment after it, at midnight.
        since: the midnight from which on it is told what has happened; ``None`` for days that only come.
        past: key of the words for the time since then; empty without it.
    """

    start: datetime
    end: datetime
    since: datetime | None = None
    past: str = ""

    @property
    def days(self) -> tuple[date, ...]:
        """Its days, the first one first."""
        first = self.start.date()
        return tuple(first + timedelta(days=each) for each in range((self.end.date() - first).days))


def period_of(text: str, now: datetime, zone: Zone, *, goes_on: bool = False) -> BriefingDays | None:
    """The days of the briefing that a message asks for; ``None`` if it asks for none.

    Args:
        text: the message.
        now: the present.
        zone: the user's time zone.
        goes_on: whether a briefing was just told, so that the name of other days is enough.
    """
    words = " ".join(re.sub(r"[.,!?~…·。、\"“”]+", " ", text.casefold().replace("’", "'")).split())
    for pattern in (*_ASKS, *_GOES_ON) if goes_on else _ASKS:
        if (found := pattern.fullmatch(words)) is not None:
            named = [each for each in found.groups() if each]
            if len(named) < 2 and (period := _named(named[0] if named else "", now, zone)):
                return period
    return None


def coming(now: datetime, zone: Zone) -> BriefingDays:
    """Today and the coming seven days, after the seven days before them."""
    today = now.date()
    return _after(_days(today, _COMING_DAYS + 1, now, zone), today - timedelta(days=_COMING_DAYS), "past_week", zone)


def _named(words: str, now: datetime, zone: Zone) -> BriefingDays | None:
    words = _OWN.get(words, words).removesuffix("의")
    if not words:
        return coming(now, zone)
    if words.endswith("에"):
        return None  # On that day something is to be done.
    said = said_in(words, zone)
    if not isinstance(said, Problem):
        return _day(said, now, zone)
    # A week is read as that of its Monday.
    for monday in (f"{words} 월요일", f"monday {words}"):
        said = said_in(monday, zone)
        if not isinstance(said, Problem) and said == SaidTime(weekday=0, weeks=said.weeks, following=said.following):
            weeks = said.weeks
            if weeks is not None and weeks >= 0:
                first = now.date() + timedelta(weeks=weeks, days=-now.weekday())
                week = _days(first, 7, now, zone)
                return week if weeks else _after(week, first, "this_week", zone)
    return None


def _day(said: SaidTime, now: datetime, zone: Zone) -> BriefingDays | None:
    if said.hour is not None or said.after_s is not None or said.part is not None or said.repeats:
        return None
    found = resolve(at_hour(said, _LAST_MINUTE), now, zone)
    if isinstance(found, Problem):
        return None
    day, today = _days(found.date(), 1, now, zone), now.date()
    return day if found.date() != today else _after(day, today - timedelta(days=1), "since_yesterday", zone)


def _days(first: date, count: int, now: datetime, zone: Zone) -> BriefingDays:
    start, end = (zone(datetime.combine(first + timedelta(days=each), time())) for each in (0, count))
    return BriefingDays(max(now, start), end)


def _after(period: BriefingDays, first: date, past: str, zone: Zone) -> BriefingDays:
    return replace(period, since=zone(datetime.combine(first, time())), past=past)
