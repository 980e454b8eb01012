"""The domain of the schedule: all timers, alarms and reminders in a list, to change, to skip and to undo."""

from datetime import datetime

from assistant.agent.context.recurrence_words import spoken_recurrence
from assistant.chat.alarms.changes import TimerChanges, can_skip, has_time_of_day
from assistant.chat.timers import Timers, name_of
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.service.requests import timers as rq
from assistant.core.texts import Texts
from assistant.engine.serving.table import SESSION, Domain, serves
from assistant.storage.timers import StoredTimer, TimerKind


class Schedule(Domain):
    """Owns the requests for the schedule.

    Args:
        timers: stores and rings them.
        changes: changes them.
        live: the settings, with the user's language.
        texts: the user's words.
    """

    def __init__(self, timers: Timers, changes: TimerChanges, live: LiveSettings, texts: Texts) -> None:
        self._timers, self._changes, self._live, self._texts = timers, changes, live, texts

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
        return self._shown(await self._changes.change(request.timer, name=request.name, at=at))

    @serves(lane=SESSION)
    async def _skip_timer(self, request: rq.SkipTimer) -> rq.ScheduledItem:
        return self._shown(await self._changes.skip(request.timer))

    @serves(lane=SESSION)
    async def _undo_timer(self, request: rq.UndoTimer) -> bool:
        return await self._changes.undo(request.timer)

    def _shown(self, timer: StoredTimer) -> rq.ScheduledItem:
        language = self._live.current.language
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
            skippable=can_skip(timer),
        )


def _wall_clock(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None)
    except ValueError as error:
        detail, values = f"{text!r} is no time", {"time": text}
        raise SoriError(
            ErrorCode.INVALID_REQUEST, detail, message_key="invalid_time", values=values, cause=error
        ) from error
