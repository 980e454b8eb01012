"""The domain of timers, alarms and reminders: one that has expired rings until the user stops it."""

import asyncio
import logging
from collections.abc import Callable, Sequence

from assistant.chat.alarms.changes import TimerChanges
from assistant.chat.timers import Ring, name_of
from assistant.core import updates as up
from assistant.core.errors import StorageError
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
