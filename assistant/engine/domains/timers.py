"""The domain of timers, alarms and reminders: one that has expired rings until the user stops it; all are in a list."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from datetime import datetime

from assistant.agent.context.recurrence_words import spoken_recurrence
from assistant.chat.alarms.changes import TimerChanges, can_skip, has_time_of_day
from assistant.chat.timers import Ring, Timers, name_of
from assistant.core import updates as up
from assistant.core.errors import ErrorCode, SoriError, StorageError
from assistant.core.live_settings import LiveSettings
from assistant.core.service.requests import timers as rq
from assistant.core.texts import Texts
from assistant.engine.chat_wiring import Chat
from assistant.engine.serving.table import SESSION, Domain, serves
from assistant.storage.timers import StoredTimer, TimerKind
from assistant.tasks import TaskSupervisor
from assistant.voice.session.session import Session

RING_EVERY_S = 3.0
"""Seconds from one ring to the next. Each ring lasts half of it; in the silence between, "stop" can be heard."""

log = logging.getLogger(__name__)


class Ringing(Domain):
    """Owns the requests for timers, and lets a chat's timers ring in a session.

    Args:
        chat: has the timers and stores announcements.
        session: plays rings and speaks.
        changes: cancels timers so that it can be undone.
        texts: the user's words.
        publish: takes updates.
        tell_of: reports an error to the user.
        jobs: runs the engine's background work.
    """

    def __init__(
        self,
        chat: Chat,
        session: Session,
        changes: TimerChanges,
        texts: Texts,
        *,
        publish: Callable[[up.Update], None],
        tell_of: Callable[[StorageError], None],
        jobs: TaskSupervisor,
    ) -> None:
        self._chat, self._session, self._changes, self._texts = chat, session, changes, texts
        self._publish, self._tell_of, self._jobs = publish, tell_of, jobs
        self._rings = False
        self._sounding: asyncio.Task[None] | None = None
        chat.tools.timers.rung.add(self._announce)
        chat.tools.timers.changed.add(self._show)
        chat.tools.timers.unkept.add(self._tell_of)
        session.stopped.add(self.stop)

    @serves()
    async def _list_timers(self, _: rq.ListTimers) -> tuple[up.TimerShown, ...]:
        return self._shown(await self._chat.tools.timers.shown())

    @serves()
    async def _dismiss_timers(self, _: rq.DismissTimers) -> None:
        await self._chat.tools.timers.dismiss()
        await self._end_announcement()

    @serves()
    async def _snooze(self, request: rq.SnoozeTimers) -> bool:
        timers = self._chat.tools.timers
        ringing = [await timers.move(each, max(1, request.seconds)) for each in await timers.ringing()]
        await self._end_announcement()
        return bool(ringing)

    @serves(lane=SESSION)
    async def _cancel_timer(self, request: rq.CancelTimer) -> None:
        await self._changes.cancel(request.timer)
        await self._end_announcement()

    async def _end_announcement(self) -> None:
        if not await self._chat.tools.timers.ringing():
            self._session.end_announcement()

    def _announce(self, ring: Ring) -> None:
        """Tell everybody that it rings. No conversation is about it, least of all the one that happens to be open."""
        if ring.aloud:
            self._session.announce(ring.text)
        severity = up.Severity.INFO if ring.goes_on else up.Severity.WARNING  # What nobody has heard stays to be read.
        values = {"text": ring.text}
        self._publish(up.NoticePosted(key=up.RINGS_NOTICE, severity=severity, values=values, about=f"timer {ring.id}"))

    def stop(self) -> None:
        """Stop ringing, because the user wants to stop all activity."""
        if self._rings:
            self._jobs.start(self._silence(), name="silence timers")

    async def _silence(self) -> None:
        try:
            await self._chat.tools.timers.dismiss()
            await self._end_announcement()
        except StorageError as error:
            log.warning("the timers cannot be changed: %s", error)
            self._tell_of(error)

    def _show(self, timers: Sequence[StoredTimer]) -> None:
        rings = any(timer.rang_at is not None for timer in timers)
        if rings is not self._rings:
            self._rings = rings
            self._session.set_ringing(rings)
        if self._rings and self._sounding is None:
            self._jobs.start(self._sound(), name="ring")
        self._publish(up.TimersChanged(timers=self._shown(timers)))

    def _shown(self, timers: Sequence[StoredTimer]) -> tuple[up.TimerShown, ...]:
        return tuple(
            up.TimerShown(
                id=timer.id,
                title=name_of(timer, self._texts, self._chat.basis.live.current.language),
                due_at=timer.due_at.isoformat(),
                ringing=timer.rang_at is not None,
                alarm=timer.kind is not TimerKind.TIMER,
            )
            for timer in timers
        )

    async def _sound(self) -> None:
        """Play a ring repeatedly while a timer rings. The announcement plays the first ring."""
        self._sounding = asyncio.current_task()
        try:
            while self._rings:
                await self._chat.basis.clock.sleep(RING_EVERY_S)
                if self._rings:
                    self._session.ring()
        finally:
            self._sounding = None


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
