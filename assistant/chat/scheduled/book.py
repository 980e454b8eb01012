"""Adds, changes, pauses and removes scheduled requests (F-09). ``due.py`` knows when they are due."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date

from assistant.agent.context.recurrence_words import spoken_recurrence
from assistant.agent.context.wording import spoken_moment
from assistant.chat.run_states import retimed
from assistant.chat.timers import Timers
from assistant.core.clock import Clock
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.records.agents import AgentId
from assistant.core.settings import Language
from assistant.core.telegram.records import TelegramChat
from assistant.core.times.planning import Plan, days_in, planned, rule_in, said_in
from assistant.core.times.resolving import Problem
from assistant.core.times.said import EVERY_DAY, SaidTime
from assistant.storage.identities import new_id
from assistant.storage.timers import Job, StoredTimer, TimerKind

LONGEST_WORDS = 400
"""Characters of a scheduled request."""
MOST = 50
"""Scheduled requests at once."""
_TOO_OFTEN = ("MINUTELY",)
"""A model that is asked every few minutes would leave no time for its user."""


class ScheduledRequests:
    """The user's scheduled requests.

    Args:
        timers: stores them.
        clock: tells the time and the user's time zone.
        current: gives the agent of new conversations; called on another thread.
    """

    def __init__(self, timers: Timers, clock: Clock, current: Callable[[], AgentId] = AgentId) -> None:
        self._timers, self._clock, self._current = timers, clock, current

    async def every(self) -> Sequence[StoredTimer]:
        """All of them, the next one first.

        Raises:
            StorageError: they could not be read.
        """
        return await self._timers.requests()

    async def add(
        self,
        words: str,
        said: SaidTime,
        language: Language,
        *,
        rule: str = "",
        own: bool = True,
        except_on: Sequence[date] = (),
        chat: TelegramChat | None = None,
    ) -> StoredTimer:
        """Keep a request.

        Args:
            words: what Sori is asked at that time.
            said: the time, the first one if it repeats.
            language: the language of the user.
            rule: how it repeats, by RFC 5545; empty for once and where ``said`` repeats.
            own: whether the words are the user's own.
            except_on: days on which it is left out.
            chat: the chat that asks for it, whose agent then answers; ``None`` for the current agent.

        Raises:
            SoriError: the time or the words cannot be used, or there are too many.
            StorageError: it could not be saved.
        """
        plan, now = self._plan(said, rule, except_on), self._clock.now()
        if len(await self.every()) >= MOST:
            raise _refused("schedule_full", f"there are {MOST} scheduled requests", most=str(MOST))
        agent = await asyncio.to_thread(self._current)
        if chat is not None:
            agent = AgentId(workspace=chat.workspace, name=chat.agent)
        request = StoredTimer(
            id=new_id(),
            name=checked(words),
            language=language,
            duration_s=(plan.due_at - now).total_seconds(),
            due_at=plan.due_at,
            created_at=now,
            kind=TimerKind.REQUEST,
            repeats=plan.repeats,
            job=Job(own=own, workspace=agent.workspace, agent=agent.name, chat=0 if chat is None else chat.chat),
        )
        await self._timers.add(request)
        return request

    async def add_at(
        self,
        words: str,
        when: str,
        language: Language,
        *,
        repeat: str = "",
        except_on: Sequence[str] = (),
        own: bool = True,
        chat: TelegramChat | None = None,
    ) -> StoredTimer:
        """Keep a request for a time in words or in ISO 8601.

        Args:
            words: what Sori is asked at that time.
            when: the time, the first one if it repeats.
            language: the language of the user.
            repeat: a rule of RFC 5545, or the words of a repetition; empty for once and where ``when`` says it.
            except_on: days in ISO 8601.
            own: whether the words are the user's own.
            chat: the chat that asks for it; ``None`` for none.

        Raises:
            SoriError: the time or the words cannot be used, or there are too many.
            StorageError: it could not be saved.
        """
        try:
            rule, days = rule_in(repeat), days_in(except_on)
        except ValueError as error:
            raise _refused("schedule_rule", str(error), reason=str(error)) from error
        return await self.add(words, self.said(when), language, rule=rule, own=own, except_on=days, chat=chat)

    def said(self, when: str) -> SaidTime:
        """The time in words or in ISO 8601.

        Raises:
            SoriError: it is none as a whole.
        """
        said = said_in(when, self._clock.moment)
        if isinstance(said, Problem):
            raise _no_time(said)
        return said

    def moved(self, request: StoredTimer, said: SaidTime) -> StoredTimer:
        """The request at another time. Of what repeats, a mere hour changes the hour of all its days.

        Raises:
            SoriError: the time cannot be used.
        """
        mere_hour = said == SaidTime(hour=said.hour, minute=said.minute, part=said.part)
        repeats = request.repeats
        if mere_hour and repeats is not None and len(repeats.times) == 1:
            plan = self._plan(replace(said, every=EVERY_DAY), "", ())
            at = plan.due_at
            start = repeats.start.replace(hour=at.hour, minute=at.minute)
            rule = tuple(part for part in repeats.rule if part[0] not in ("BYHOUR", "BYMINUTE"))
            repeats = replace(repeats, start=start, rule=rule)
            due_at = repeats.next_after(self._clock.now(), self._clock.moment)
            if due_at is None:
                raise _no_time(Problem.PAST)
            return retimed(request, due_at, repeats)
        plan = self._plan(said, "", ())
        return retimed(request, plan.due_at, plan.repeats)

    def _plan(self, said: SaidTime, rule: str, except_on: Sequence[date]) -> Plan:
        try:
            plan = planned(said, self._clock.now(), self._clock.moment, rule=rule, except_on=except_on)
        except ValueError as error:
            raise _refused("schedule_rule", str(error), reason=str(error)) from error
        if isinstance(plan, Problem):
            raise _no_time(plan)
        if plan.repeats is not None and plan.repeats.get("FREQ") in _TOO_OFTEN:
            raise _refused("schedule_too_often", "a request is carried out once an hour at most")
        return plan

    async def found(self, words: str) -> Sequence[StoredTimer]:
        """Those that contain all these words, or whose time is told by them; all of them for no words.

        Raises:
            StorageError: they could not be read.
        """
        every = await self.every()
        known = {each.id: f"{each.name} {self.when(each, 'ko')} {self.when(each, 'en')}".casefold() for each in every}
        return [each for each in every if all(word in known[each.id] for word in words.casefold().split())]

    def when(self, request: StoredTimer, language: Language) -> str:
        """When it is carried out, in words."""
        if request.repeats is None:
            return spoken_moment(request.due_at, self._clock.now(), language)
        return spoken_recurrence(request.repeats, request.due_at, language)


def checked(words: str) -> str:
    """The words of a request as they are kept.

    Raises:
        SoriError: there are none, or too many.
    """
    kept = " ".join(words.split())
    if not kept:
        raise _refused("empty_message", "a scheduled request has no words")
    if len(kept) > LONGEST_WORDS:
        values = {"length": str(len(kept)), "limit": str(LONGEST_WORDS)}
        raise _refused("message_too_long", "a scheduled request is too long", **values)
    return kept


def _no_time(problem: Problem) -> SoriError:
    return _refused(f"schedule_time.{problem.value}", f"no request can be carried out then: {problem.value}")


def _refused(key: str, detail: str, **values: str) -> SoriError:
    return SoriError(ErrorCode.INVALID_REQUEST, detail, message_key=key, values=values)
