"""Sets, lists, cancels and snoozes alarms and reminders. ``chat/timers.py`` rings them."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime

from assistant.agent.context.recurrence_words import spoken_recurrence
from assistant.agent.context.wording import copula, spoken_time, written_date
from assistant.chat.timers import Timers
from assistant.core.clock import Clock
from assistant.core.settings import Language
from assistant.core.times.planning import at_hour, days_in, planned, rule_in, said_in
from assistant.core.times.resolving import Problem, hours_of, recurrence, resolve
from assistant.core.times.said import SaidTime
from assistant.storage.identities import new_id
from assistant.storage.timers import StoredTimer, TimerKind

SNOOZE_S = 600.0
"""Seconds until a snoozed alarm rings again if no other time was said."""
_LONGEST_WHAT = 200


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
        self,
        said: SaidTime,
        what: str,
        language: Language,
        *,
        kind: TimerKind,
        waking: bool = False,
        rule: str = "",
        except_on: Sequence[date] = (),
    ) -> StoredTimer:
        """Set and save an alarm or a reminder.

        Args:
            said: the time, the first one if it repeats.
            what: what the user is reminded of.
            language: the language in which it is announced.
            kind: alarm or reminder.
            waking: whether the user wants to be woken up.
            rule: how it repeats, by RFC 5545; empty for once and where ``said`` repeats.
            except_on: days on which it does not ring.

        Raises:
            NoTimeError: the time is past, lacks the hour, or does not exist.
            ValueError: the repetition cannot be used; the text gives the reason.
            StorageError: it could not be saved, and will not ring.
        """
        now = self._clock.now()
        # An alarm without words wakes somebody: "평일 6시 알람" is in the morning.
        waking = waking or not what.strip()
        plan = planned(said, now, self._clock.moment, rule=rule, except_on=except_on, waking=waking)
        if isinstance(plan, Problem):
            raise NoTimeError(plan)
        timer = StoredTimer(
            id=new_id(),
            name=" ".join(what.split())[:_LONGEST_WHAT],
            language=language,
            duration_s=(plan.due_at - now).total_seconds(),
            due_at=plan.due_at,
            created_at=now,
            kind=kind,
            repeats=plan.repeats,
        )
        await self._timers.add(timer)
        return timer

    async def set_at(
        self, when: str, what: str, language: Language, repeat: str = "", except_on: Sequence[str] = ()
    ) -> StoredTimer:
        """Set an alarm, or a reminder of ``what``, at a time in words or in ISO 8601.

        Args:
            when: the time, the first one if it repeats.
            what: what the user is reminded of.
            language: the language in which it is announced.
            repeat: a rule of RFC 5545, or the words of a repetition; empty for once and where ``when`` says it.
            except_on: days in ISO 8601 on which it does not ring.

        Raises:
            NoTimeError: ``when`` names no future time, or has words that were not understood.
            ValueError: the repetition or an exception cannot be used; the text gives the reason.
            StorageError: it could not be saved, and will not ring.
        """
        kind = TimerKind.REMINDER if what.strip() else TimerKind.ALARM
        rule, days = rule_in(repeat), days_in(except_on)
        return await self.set(self._said_in(when), what, language, kind=kind, rule=rule, except_on=days)

    def _said_in(self, when: str) -> SaidTime:
        """The time in ISO 8601 or in words.

        Raises:
            NoTimeError: it is none as a whole.
        """
        said = said_in(when, self._clock.moment)
        if isinstance(said, Problem):
            raise NoTimeError(said)
        return said

    def described(self, alarm: StoredTimer, language: Language) -> str:
        """When it rings, with weekday, date, time and repetition, and its words."""
        when = spoken_recurrence(alarm.repeats, alarm.due_at, language) if alarm.repeats else _written(alarm, language)
        again = f" ({self._next(alarm, language)})" if alarm.repeats else ""
        return f"{when}: {alarm.name}{again}" if alarm.name else f"{when}{again}"

    def confirmed(self, alarm: StoredTimer, language: Language) -> str:
        """The sentence that tells the user what was set, with weekday, date, time and repetition."""
        texts = self._timers.texts[language]
        on = "on " if language == "en" and not alarm.repeats else ""
        when = spoken_recurrence(alarm.repeats, alarm.due_at, language) if alarm.repeats else _written(alarm, language)
        told = texts("alarm.set_reminder" if alarm.name else "alarm.set_alarm", when=f"{on}{when}", what=alarm.name)
        return f"{told} {self._next(alarm, language)}" if alarm.repeats else told

    def _next(self, alarm: StoredTimer, language: Language) -> str:
        when = _written(alarm, language)
        return self._timers.texts[language]("alarm.next", when=when, copula=copula(when))

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

        Of one that repeats, a time with a single day cancels this day alone, which is returned without its repetition.

        Args:
            what: words of it.
            said: the time at which it rings.
            when: the same in words.
            every: cancel all of them. Without it, nothing happens if neither words nor a time are given.

        Raises:
            NoTimeError: ``when`` has words that were not understood.
            StorageError: the store cannot be written.
        """
        if when and said is None:
            said = self._said_in(when)
        if not (what or every or (said and said != SaidTime())):
            return ()
        found = [
            timer
            for timer in await self.waiting()
            if every or (_contains(timer, what) and (said is None or _rings_at(timer, said, self._clock)))
        ]
        skipped = [timer for timer in found if said and not every and _is_one_day_of(timer, said)]
        removed = await self._timers.remove([timer for timer in found if timer not in skipped])
        return (*removed, *[replace(timer, repeats=None) for timer in skipped if await self._skip(timer)])

    async def _skip(self, timer: StoredTimer) -> bool:
        """Leave out the next day of what repeats. Of several times in a day none can be left out alone."""
        repeats = timer.repeats
        if repeats is None or len(repeats.times) > 1 or repeats.get("FREQ") in ("MINUTELY", "HOURLY"):
            return False
        others = replace(repeats, except_on=repeats.except_on | {timer.due_at.date()})
        if due_at := others.next_after(self._clock.now(), self._clock.moment):
            await self._timers.add(replace(timer, id=new_id(), due_at=due_at, repeats=others))
        return bool(await self._timers.remove([timer]))

    async def snooze(self, seconds: float = SNOOZE_S) -> Sequence[StoredTimer]:
        """Let everything that rings ring again in ``seconds``, and return it; empty if nothing rings.

        Raises:
            StorageError: the store cannot be written.
        """
        return [await self._timers.move(timer, seconds) for timer in await self._timers.ringing()]


def _written(alarm: StoredTimer, language: Language) -> str:
    at = "at " if language == "en" else ""
    return f"{written_date(alarm.due_at, language)} {at}{spoken_time(alarm.due_at, language)}"


def _contains(timer: StoredTimer, what: str) -> bool:
    return all(word.casefold() in timer.name.casefold() for word in what.split())


def _is_one_day_of(timer: StoredTimer, said: SaidTime) -> bool:
    """Whether ``said`` means one of the days of what repeats. The weekday alone names what recurs on this weekday."""
    if timer.repeats is None or said.repeats:
        return False
    weekly = timer.repeats.get("FREQ") == "WEEKLY" and "," not in timer.repeats.get("BYDAY")
    weekday = said.weekday if weekly else None
    return said != SaidTime(hour=said.hour, minute=said.minute, part=said.part, weekday=weekday)


def _rings_at(timer: StoredTimer, said: SaidTime, clock: Clock) -> bool:
    """Whether ``said`` means the time at which this one rings. What was not said does not matter."""
    hour = said.hour is None or (
        timer.due_at.minute == said.minute and timer.due_at.hour in {hour % 24 for hour in hours_of(said)}
    )
    if not hour or said == SaidTime(hour=said.hour, minute=said.minute, part=said.part):
        return hour
    # Resolved at the hour of this one, so that only the days are compared.
    exact = at_hour(said, timer.due_at)
    if said.repeats:
        repeats = recurrence(exact, clock.now(), clock.moment)
        return repeats is not None and timer.repeats is not None and repeats.same_days(timer.repeats)
    return resolve(exact, clock.now(), clock.moment) == timer.due_at.replace(second=0, microsecond=0)
