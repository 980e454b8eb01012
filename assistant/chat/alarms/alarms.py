"""Sets, lists, cancels and snoozes alarms and reminders. ``chat/timers.py`` rings them."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from assistant.chat.timers import Timers
from assistant.core.clock import Clock
from assistant.core.settings import Language
from assistant.core.times.english import find_english
from assistant.core.times.korean import find_korean
from assistant.core.times.resolving import Problem, hours_of, repetition, resolve
from assistant.core.times.said import DayPart, SaidTime
from assistant.storage.identities import new_id
from assistant.storage.timers import Repeats, StoredTimer, TimerKind

SNOOZE_S = 600.0
"""Seconds until a snoozed alarm rings again if no other time was said."""
_LONGEST_WHAT = 200
_NOON = 12


class NoTimeError(Exception):
    """No alarm can be set at this time; ``problem`` says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.value)
        self.problem = problem


class Alarms:
    """Implements ``AlarmBook`` of ``tools/builtin/schedule/alarms.py``.

    Args:
        timers: stores and rings them.
        clock: tells the time and the user's time zone.
    """

    def __init__(self, timers: Timers, clock: Clock) -> None:
        self._timers = timers
        self._clock = clock

    def now(self) -> datetime:
        """The present."""
        return self._clock.now()

    async def set(
        self, said: SaidTime, what: str, language: Language, *, kind: TimerKind, waking: bool = False
    ) -> StoredTimer:
        """Set and save an alarm or a reminder.

        Raises:
            NoTimeError: the time is past, lacks the hour, or does not exist.
            StorageError: it could not be saved, and will not ring.
        """
        now = self._clock.now()
        due_at = resolve(said, now, self._clock.moment, waking=waking)
        if isinstance(due_at, Problem):
            raise NoTimeError(due_at)
        timer = StoredTimer(
            id=new_id(),
            name=" ".join(what.split())[:_LONGEST_WHAT],
            language=language,
            duration_s=(due_at - now).total_seconds(),
            due_at=due_at,
            created_at=now,
            kind=kind,
            repeats=_repeats(said, waking),
        )
        await self._timers.add(timer)
        return timer

    async def set_at(self, when: str, what: str, language: Language) -> StoredTimer:
        """Set an alarm, or a reminder of ``what``, at a time in words or in ISO 8601.

        Raises:
            NoTimeError: ``when`` names no future time.
            StorageError: it could not be saved, and will not ring.
        """
        kind = TimerKind.REMINDER if what.strip() else TimerKind.ALARM
        said = said_in(when)
        if said is None:
            raise NoTimeError(Problem.NO_HOUR)
        return await self.set(said, what, language, kind=kind)

    async def waiting(self) -> Sequence[StoredTimer]:
        """Those that have not rung yet, the next one first.

        Raises:
            StorageError: they could not be read.
        """
        return await self._timers.alarms()

    async def cancel(
        self, *, what: str = "", said: SaidTime | None = None, when: str = "", every: bool = False
    ) -> Sequence[StoredTimer]:
        """Cancel those whose words contain ``what`` and that ring at this hour, and return them.

        Args:
            what: words of it.
            said: the time at which it rings.
            when: the same in words.
            every: cancel all of them. Without it, nothing happens if neither words nor a time are given.

        Raises:
            StorageError: the store cannot be written.
        """
        said = said or said_in(when)
        if not (what or every or (said and not said.empty)):
            return ()
        found = [
            timer
            for timer in await self.waiting()
            if every or (_contains(timer, what) and (said is None or _rings_at(timer, said, self._clock)))
        ]
        return await self._timers.remove(found)

    async def snooze(self, seconds: float = SNOOZE_S) -> Sequence[StoredTimer]:
        """Let everything that rings ring again in ``seconds``, and return it; empty if nothing rings.

        Raises:
            StorageError: the store cannot be written.
        """
        return [await self._timers.move(timer, seconds) for timer in await self._timers.ringing()]


def _repeats(said: SaidTime, waking: bool) -> Repeats | None:
    if not said.every:
        return None
    days, at = repetition(said, waking=waking)
    return Repeats(at=at, days=days)


def said_in(when: str) -> SaidTime | None:
    """The time in words or in ISO 8601; ``None`` if there is none."""
    try:
        at = datetime.fromisoformat(when.strip())
    except ValueError:
        found = find_korean(when) or find_english(when) or find_english(f"at {when}")
        return found.said if found else None
    date = SaidTime(year=at.year, month=at.month, day=at.day)
    if len(when.strip()) <= len("2026-11-22"):
        return date
    local = at.astimezone() if at.tzinfo else at
    date = SaidTime(year=local.year, month=local.month, day=local.day)
    return replace(date, hour=local.hour, minute=local.minute, part=DayPart.AM if local.hour < _NOON else DayPart.PM)


def _contains(timer: StoredTimer, what: str) -> bool:
    return all(word.casefold() in timer.name.casefold() for word in what.split())


def _rings_at(timer: StoredTimer, said: SaidTime, clock: Clock) -> bool:
    """Whether ``said`` means the time at which this one rings. What was not said does not matter."""
    if said.every:
        if timer.repeats is None or timer.repeats.days != said.every:
            return False
        said = replace(said, every=frozenset())
    hour = said.hour is None or (
        timer.due_at.minute == said.minute and timer.due_at.hour in {hour % 24 for hour in hours_of(said)}
    )
    if not hour or said == SaidTime(hour=said.hour, minute=said.minute, part=said.part):
        return hour
    # Resolved at the hour of this one, so that only the days are compared.
    exact = replace(said, hour=timer.due_at.hour, minute=timer.due_at.minute, part=None)
    exact = replace(exact, part=DayPart.AM if timer.due_at.hour < _NOON else DayPart.PM)
    return resolve(exact, clock.now(), clock.moment) == timer.due_at.replace(second=0, microsecond=0)
