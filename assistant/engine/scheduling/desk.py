"""The domain of the schedule: timers, alarms, reminders and scheduled requests are in one list."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from assistant.agent.context.recurrence_words import spoken_recurrence
from assistant.chat.alarms.changes import TimerChanges, can_skip, has_time_of_day
from assistant.chat.run_states import is_waiting
from assistant.chat.scheduled.book import ScheduledRequests, checked
from assistant.chat.timers import Timers, name_of
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.permissions import Category
from assistant.core.service.requests import timers as rq
from assistant.core.texts import Texts
from assistant.engine.serving.table import SESSION, Asker, Domain, serves
from assistant.storage.timers import Job, StoredTimer, TimerKind


class Schedule(Domain):
    """Owns the requests for the schedule.

    Args:
        timers: stores and rings them.
        changes: changes them.
        book: keeps scheduled requests.
        live: the settings, with the user's language.
        texts: the user's words.
        here: whether this device carries scheduled requests out.
    """

    def __init__(
        self,
        timers: Timers,
        changes: TimerChanges,
        book: ScheduledRequests,
        live: LiveSettings,
        texts: Texts,
        here: Callable[[], bool] = lambda: True,
    ) -> None:
        self._timers, self._changes, self._book = timers, changes, book
        self._live, self._texts, self._here = live, texts, here

    @serves()
    async def _list_schedule(self, _: rq.ListSchedule) -> tuple[rq.ScheduledItem, ...]:
        return tuple(map(self._shown, await self._timers.every()))

    @serves(lane=SESSION)
    async def _change_timer(self, request: rq.ChangeTimer) -> rq.ScheduledItem:
        """Change a timer.

        Raises:
            SoriError: there is no such timer, or it cannot ring at that time.
        """
        at = _wall_clock(request.at) if request.at else None
        if any(each.id == request.timer for each in await self._timers.requests()):
            return self._shown(await self._change_request(request, at))
        return self._shown(await self._changes.change(request.timer, name=request.name, at=at))

    async def _change_request(self, request: rq.ChangeTimer, at: datetime | None) -> StoredTimer:
        """Change a scheduled request, at once, so that one undoing takes all of it back."""
        words = "" if request.name is None else checked(request.name)
        if not request.when:
            return await self._changes.change_request(request.timer, name=words, at=at)
        moved = self._book.moved(await self._changes.known(request.timer), self._book.said(request.when))
        return await self._changes.put(replace(moved, name=words) if words else moved)

    @serves(lane=SESSION)
    async def _add_request(self, request: rq.AddScheduledRequest, asker: Asker) -> rq.ScheduledItem:
        """Keep a scheduled request.

        Raises:
            SoriError: the time or the words cannot be used, or there are too many.
        """
        language, own = self._live.current.language, Category.SENSITIVE in asker.grant.categories
        return self._shown(
            await self._book.add_at(request.words, request.when, language, repeat=request.repeat, own=own)
        )

    @serves(lane=SESSION)
    async def _pause_request(self, request: rq.PauseScheduledRequest) -> rq.ScheduledItem:
        known = await self._changes.known(request.timer)
        return self._shown(await self._changes.pause(known.id, paused=request.paused))

    @serves(lane=SESSION)
    async def _run_request(self, request: rq.RunScheduledRequest) -> bool:
        return await self._timers.ask_run(await self._changes.known(request.timer))

    @serves(lane=SESSION)
    async def _skip_timer(self, request: rq.SkipTimer) -> rq.ScheduledItem:
        return self._shown(await self._changes.skip(request.timer))

    @serves(lane=SESSION)
    async def _undo_timer(self, request: rq.UndoTimer) -> bool:
        return await self._changes.undo(request.timer)

    def _shown(self, timer: StoredTimer) -> rq.ScheduledItem:
        language = self._live.current.language
        job, is_request = timer.job or Job(), timer.kind is TimerKind.REQUEST
        repeats = "" if timer.repeats is None else spoken_recurrence(timer.repeats, timer.due_at, language)
        return rq.ScheduledItem(
            id=timer.id,
            kind=timer.kind.value,
            title=timer.name if timer.kind is TimerKind.REMINDER else name_of(timer, self._texts, language),
            name=timer.name,
            due_at=timer.due_at.isoformat(),
            repeats=repeats,
            ringing=timer.rang_at is not None,
            retimed=has_time_of_day(timer),
            skippable=can_skip(timer) and not is_request,
            paused=job.paused,
            waits=not is_request or is_waiting(timer),
            conversation=job.conversation,
            ran_at=job.ran_at,
            outcome=job.outcome,
            here=not is_request or self._here(),
        )


def _wall_clock(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None)
    except ValueError as error:
        detail, values = f"{text!r} is no time", {"time": text}
        raise SoriError(
            ErrorCode.INVALID_REQUEST, detail, message_key="invalid_time", values=values, cause=error
        ) from error
