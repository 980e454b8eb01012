"""Changes of timers, alarms, reminders and scheduled requests by hand, each of which can be undone."""

from dataclasses import replace
from datetime import datetime, timedelta

from assistant.chat.run_states import retimed
from assistant.chat.timers import Timers
from assistant.core.clock import Clock
from assistant.core.errors import ErrorCode, SoriError
from assistant.storage.identities import new_id
from assistant.storage.timers import Job, RunOutcome, StoredTimer, TimerKind

_LONGEST_NAME = 200
_MOST_KEPT = 100
"""Changes that can be undone."""
_OFTEN = ("MINUTELY", "HOURLY")
"""Rules without a time of day."""


def has_time_of_day(timer: StoredTimer) -> bool:
    """Whether it rings once, or at one time of its days, so that this time can be changed."""
    rule = timer.repeats
    return timer.rang_at is None and (rule is None or (len(rule.times) == 1 and rule.get("FREQ") not in _OFTEN))


def can_skip(timer: StoredTimer) -> bool:
    """Whether its next day can be left out alone; not where it rings several times that day."""
    return timer.repeats is not None and has_time_of_day(timer)


class TimerChanges:
    """Changes timers, and takes changes back while this object lives.

    Args:
        timers: stores and rings them.
        clock: tells the time and the user's time zone.
    """

    def __init__(self, timers: Timers, clock: Clock) -> None:
        self._timers, self._clock = timers, clock
        self._before: dict[str, StoredTimer] = {}
        """What stood before the last change, by the id of what the change has left."""

    async def change(self, timer_id: str, *, name: str | None = None, at: datetime | None = None) -> StoredTimer:
        """Give a timer other words, or another time by the user's wall clock.

        Raises:
            SoriError: there is no such timer, it has no time of day to change, or the time is past.
            StorageError: it could not be saved; the timer stays as it was.
        """
        old = await self._known(timer_id)
        new = replace(old, id=new_id())
        if name is not None:
            words = " ".join(name.split())[:_LONGEST_NAME]
            kind = old.kind if old.kind is TimerKind.TIMER else TimerKind.REMINDER if words else TimerKind.ALARM
            new = replace(new, name=words, kind=kind)
        if at is not None:
            new = self._at(new, at)
        return await self._replace(old, new)

    async def change_request(self, request_id: str, *, name: str = "", at: datetime | None = None) -> StoredTimer:
        """Give a scheduled request other words, or another time by the user's wall clock. It keeps its id.

        Raises:
            SoriError: there is no such request, it has no time of day to change, or the time is past.
            StorageError: it could not be saved; the request stays as it was.
        """
        new = await self._known(request_id)
        if at is not None:
            moved = self._at(new, at)
            new = retimed(new, moved.due_at, moved.repeats)
        return await self.put(replace(new, name=name) if name else new)

    async def pause(self, request_id: str, *, paused: bool) -> StoredTimer:
        """Carry a scheduled request out no more, or again from its next time on.

        Raises:
            SoriError: there is no such request, or its only time is past.
            StorageError: it could not be saved; the request stays as it was.
        """
        old = await self._known(request_id)
        new = replace(old, job=replace(old.job or Job(), paused=paused))
        if not paused and old.due_at <= self._clock.now():
            following = old.repeats.next_after(self._clock.now(), self._clock.moment) if old.repeats else None
            if following is None:
                raise _refused("timer_past", f"{request_id} does not come again")
            new = replace(new, due_at=following)
        return await self.put(new)

    async def known(self, request_id: str) -> StoredTimer:
        """A scheduled request.

        Raises:
            SoriError: there is none of this id.
            StorageError: it could not be read.
        """
        found = await self._known(request_id)
        if found.kind is not TimerKind.REQUEST:
            raise _refused("timer_unknown", f"{request_id} is no scheduled request")
        return found

    def _at(self, timer: StoredTimer, at: datetime) -> StoredTimer:
        if not has_time_of_day(timer):
            raise _refused("timer_without_time", f"{timer.id} has no single time of day")
        now = self._clock.now()
        if timer.repeats is None:
            due_at = self._clock.moment(at)
            if due_at <= now:
                raise _refused("timer_past", f"{at} is past")
            return replace(timer, due_at=due_at, created_at=now, duration_s=(due_at - now).total_seconds())
        start = timer.repeats.start.replace(hour=at.hour, minute=at.minute)
        rule = tuple(part for part in timer.repeats.rule if part[0] not in ("BYHOUR", "BYMINUTE"))
        repeats = replace(timer.repeats, start=start, rule=rule)
        following = repeats.next_after(now, self._clock.moment)
        if following is None:
            raise _refused("timer_past", f"{timer.id} does not come again at {at}")
        return replace(timer, due_at=following, repeats=repeats)

    async def put(self, request: StoredTimer) -> StoredTimer:
        """Change a scheduled request, which keeps its id.

        Raises:
            SoriError: there is no such request any more.
            StorageError: it could not be saved; the request stays as it was.
        """
        old = await self._known(request.id)
        if not await self._timers.put(request):
            raise _refused("timer_unknown", f"there is no request {request.id}")
        self._keep(request.id, old)
        return request

    async def skip(self, timer_id: str) -> StoredTimer:
        """Leave out the next day of what repeats; returns the one that rings after it.

        Raises:
            SoriError: there is no such timer, or no day of it can be left out alone.
            StorageError: it could not be saved; the timer stays as it was.
        """
        old = await self._known(timer_id)
        if old.repeats is None or not can_skip(old):
            raise _refused("timer_unskippable", f"no day of {timer_id} can be left out")
        # The day by the wall clock at which the rule was counted.
        day = old.due_at.astimezone(self._clock.now().tzinfo).date()
        repeats = replace(old.repeats, except_on=old.repeats.except_on | {day})
        due_at = repeats.next_after(max(self._clock.now(), old.due_at - timedelta(seconds=1)), self._clock.moment)
        if due_at is None:
            raise _refused("timer_unskippable", f"{timer_id} does not come again")
        return await self._replace(old, replace(old, id=new_id(), due_at=due_at, repeats=repeats))

    async def cancel(self, timer_id: str) -> None:
        """Cancel a timer, whether it is running or ringing; nothing happens if there is none.

        Raises:
            StorageError: the store cannot be written.
        """
        for timer in await self._timers.cancel_one(timer_id):
            if timer.rang_at is None:
                self._keep(timer.id, timer)

    async def undo(self, timer_id: str) -> bool:
        """Take back the change that has left this timer, or its cancellation; whether there was one to take back.

        Raises:
            StorageError: the store cannot be written.
        """
        before = self._before.pop(timer_id, None)
        if before is None:
            return False
        if before.id != timer_id and not await self._timers.cancel_one(timer_id):
            return False
        due_at = before.due_at
        if due_at <= self._clock.now() and before.repeats is not None:
            due_at = before.repeats.next_after(self._clock.now(), self._clock.moment) or due_at
        before = replace(before, due_at=due_at)
        if before.job is None:
            await self._timers.add(before)
        else:
            await self._restore(before, before.job)
        return True

    async def _restore(self, before: StoredTimer, job: Job) -> None:
        """Bring a scheduled request back, but not the state of a run that has ended meanwhile."""
        now = next((each for each in await self._timers.requests() if each.id == before.id), None)
        if now is not None and now.job is not None:
            await self._timers.put(replace(before, job=replace(now.job, paused=job.paused)))
            return
        ended = job.outcome is RunOutcome.RUNNING
        await self._timers.add(replace(before, job=replace(job, outcome=RunOutcome.INTERRUPTED) if ended else job))

    async def _known(self, timer_id: str) -> StoredTimer:
        for timer in await self._timers.every():
            if timer.id == timer_id and timer.rang_at is None:
                return timer
        raise _refused("timer_unknown", f"there is no timer {timer_id} that waits")

    async def _replace(self, old: StoredTimer, new: StoredTimer) -> StoredTimer:
        # The new one first: after a crash between both it rings twice, instead of never.
        await self._timers.add(new)
        await self._timers.remove([old])
        self._keep(new.id, old)
        return new

    def _keep(self, timer_id: str, before: StoredTimer) -> None:
        self._before[timer_id] = before
        while len(self._before) > _MOST_KEPT:
            del self._before[next(iter(self._before))]


def _refused(key: str, detail: str) -> SoriError:
    return SoriError(ErrorCode.INVALID_REQUEST, detail, message_key=key)
