"""Timers, alarms and reminders that ring until somebody stops them (X-10). ``chat/alarms`` sets the latter two.

Scheduled requests are kept with them (F-09). They do not ring: ``chat/scheduled/due.py`` tells when they are due.

Timers survive a restart. A timer that ran out in the meantime rings at the start. A timer that was ringing when Sori
ended has been heard, so it is told once and rings no more. An alarm or a reminder rings on, because a sleeping user may
not have heard it; after ``RING_LIMIT_S`` it is told once too.
"""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from assistant.agent.context.wording import duration_before_noun, spoken_duration, spoken_moment, spoken_time
from assistant.chat.run_states import asked_now, is_waiting
from assistant.core.clock import Clock
from assistant.core.errors import StorageError
from assistant.core.listeners import Listeners
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.storage.identities import new_id
from assistant.storage.timers import StoredTimer, TimerKind, TimerStore
from assistant.tasks import first_of

POLL_S = 5.0
"""Seconds between two looks at the clock and the store. The clock may have been set, the computer may have slept, and
another process may have set a timer."""
_LATE_S = 15.0
"""Seconds. A timer that rings later than this says that it is late."""
SHOWN_AHEAD_S = 12 * 3600.0
"""Seconds before it rings from which an alarm or a reminder is shown like a running timer."""
RING_LIMIT_S = 600.0
"""Maximum seconds of ringing. A timer that is later than this is announced once and does not ring."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ring:
    """A timer has run out.

    Attributes:
        id: the timer's id.
        name: the user's name for it, often empty.
        duration_s: its length in seconds.
        language: the language of ``text``.
        text: the announcement.
        late_s: its delay in seconds, when Sori was not running or the computer slept.
        goes_on: whether it rings until it is stopped.
        aloud: whether it is announced aloud; not at the end of a ringing that nobody stopped.
    """

    id: str
    name: str
    duration_s: float
    language: Language
    text: str
    late_s: float
    goes_on: bool = True
    aloud: bool = True


class Timers:
    """Sets, lists, cancels and rings timers.

    Args:
        store: keeps the timers.
        clock: tells when they are due.
        texts: the words of each language.

    Attributes:
        texts: the words of each language.
        rung: told of each timer that runs out, on the event loop.
        changed: told the running and ringing timers after each change of any timer, alarm, reminder or request.
        unkept: told when it cannot be written what has rung; once until it can be again.
    """

    def __init__(self, store: TimerStore, clock: Clock, texts: Mapping[Language, Texts]) -> None:
        self._store = store
        self._clock = clock
        self.texts = texts
        self._woken = asyncio.Event()
        self._ringing: set[str] = set()
        self._unsaved: dict[str, StoredTimer | None] = {}
        """What is true of timers by id although it could not be written, as on a full disk; ``None`` for none left."""
        self._told: tuple[Sequence[StoredTimer], Sequence[StoredTimer]] = (), ()
        """The timers that were told as shown, and all that there were then."""
        self.rung: Listeners[[Ring], None] = Listeners()
        self.changed: Listeners[[Sequence[StoredTimer]], None] = Listeners()
        self.unkept: Listeners[[StorageError], None] = Listeners()

    async def set(self, duration_s: float, name: str = "", language: Language = "ko") -> StoredTimer:
        """Set and save a timer.

        Raises:
            StorageError: the timer could not be saved, and will not ring.
        """
        now = self._clock.now()
        timer = StoredTimer(
            id=new_id(),
            name=name,
            language=language,
            duration_s=duration_s,
            due_at=now + timedelta(seconds=duration_s),
            created_at=now,
        )
        await self.add(timer)
        return timer

    async def add(self, timer: StoredTimer) -> None:
        """Save a timer, an alarm or a reminder.

        Raises:
            StorageError: it could not be saved, and will not ring.
        """
        await self._store.add(timer)
        self._woken.set()

    async def move(self, timer: StoredTimer, seconds: float) -> StoredTimer:
        """Let a timer ring in ``seconds``, and no longer now.

        Raises:
            StorageError: the store cannot be written.
        """
        due_at = self._clock.now() + timedelta(seconds=seconds)
        await self._store.move(timer.id, due_at)
        self._unsaved.pop(timer.id, None)
        self._ringing.discard(timer.id)
        self._woken.set()
        return replace(timer, due_at=due_at, rang_at=None)

    async def every(self) -> Sequence[StoredTimer]:
        """All timers, alarms and reminders, also those that ring; the next one first.

        Raises:
            StorageError: they could not be read.
        """
        unsaved = [self._unsaved.get(each.id, each) for each in await self._store.all()]
        return tuple(sorted((each for each in unsaved if each is not None), key=lambda each: each.due_at))

    async def running(self) -> Sequence[StoredTimer]:
        """The timers that have not rung yet, the next one first, without alarms and reminders.

        Raises:
            StorageError: the timers could not be read.
        """
        return tuple(timer for timer in await self.waiting() if timer.kind is TimerKind.TIMER)

    async def alarms(self) -> Sequence[StoredTimer]:
        """The alarms and reminders that have not rung yet, the next one first.

        Raises:
            StorageError: they could not be read.
        """
        return tuple(each for each in await self.waiting() if each.kind in (TimerKind.ALARM, TimerKind.REMINDER))

    async def waiting(self) -> Sequence[StoredTimer]:
        """Everything that will ring or be carried out, the next one first.

        Raises:
            StorageError: it could not be read.
        """
        found = (each for each in await self.every() if each.rang_at is None)
        return tuple(each for each in found if each.kind is not TimerKind.REQUEST or is_waiting(each))

    async def requests(self) -> Sequence[StoredTimer]:
        """The scheduled requests, the next one first.

        Raises:
            StorageError: they could not be read.
        """
        return tuple(each for each in await self.every() if each.kind is TimerKind.REQUEST)

    async def ask_run(self, request: StoredTimer) -> bool:
        """Let a scheduled request be carried out now, by the process that rings; whether it does not run already.

        Raises:
            StorageError: the store cannot be written.
        """
        asked = asked_now(request, self._clock.now())
        return asked is not None and await self.put(asked)

    async def put(self, timer: StoredTimer) -> bool:
        """Replace name, time, repetition and job of a scheduled request; ``False`` if it is gone.

        Raises:
            StorageError: the store cannot be written.
        """
        there = await self._store.put(timer)
        self._woken.set()
        return there

    async def swap(self, request_id: str, before: StoredTimer | None, after: StoredTimer | None) -> bool:
        """Add, replace or remove a scheduled request if it is still as it was; whether it was.

        Args:
            request_id: its id.
            before: as it was; ``None`` for not there.
            after: as it is from now on; ``None`` for gone.

        Raises:
            StorageError: the store cannot be written.
        """
        done = await self._store.swap(request_id, before, after)
        self._woken.set()
        return done

    async def ringing(self) -> Sequence[StoredTimer]:
        """The timers that ring, the one that ran out first at the beginning.

        Raises:
            StorageError: the timers could not be read.
        """
        return tuple(timer for timer in await self.every() if timer.rang_at is not None)

    async def dismiss(self) -> Sequence[StoredTimer]:
        """Stop and remove all ringing timers, and return them.

        Raises:
            StorageError: the store cannot be written.
        """
        return await self.remove(await self.ringing())

    async def cancel_one(self, timer_id: str) -> Sequence[StoredTimer]:
        """Cancel the running or ringing timer of this id, and return it; empty if there is none.

        Raises:
            StorageError: the store cannot be written.
        """
        return await self.remove([timer for timer in await self.every() if timer.id == timer_id])

    async def remove(self, timers: Sequence[StoredTimer]) -> Sequence[StoredTimer]:
        """Cancel these timers, and return those that were still there. What rings stops even if that cannot be written.

        Raises:
            StorageError: the store cannot be written.
        """
        there = {each.id for each in await self.every()}
        removed = [timer for timer in timers if timer.id in there]
        for timer in removed:
            if timer.rang_at is not None:
                await self._end(timer)
            else:
                await self._store.remove(timer.id)
                self._unsaved.pop(timer.id, None)
        self._woken.set()
        return tuple(removed)

    async def erase_all(self) -> None:
        """Cancel all timers, alarms and reminders, and stop what rings.

        Raises:
            StorageError: the store cannot be written.
        """
        await self.remove(await self.every())

    def left_s(self, timer: StoredTimer) -> float:
        """Seconds until the timer rings; 0 when it is due."""
        return max(0.0, (timer.due_at - self._clock.now()).total_seconds())

    async def cancel(self, *, name: str | None = None, duration_s: float | None = None) -> Sequence[StoredTimer]:
        """Cancel the timers of this name and this length, and return them. Without both, cancel all.

        Raises:
            StorageError: the store cannot be written.
        """
        found = [
            timer
            for timer in await self.every()
            if timer.kind is TimerKind.TIMER
            and (name is None or timer.name.casefold() == name.casefold())
            and (duration_s is None or timer.duration_s == duration_s)
        ]
        return await self.remove(found)

    async def run(self) -> None:
        """Ring due timers until cancelled."""
        while True:
            self._woken.clear()
            try:
                wait_s = await self._ring_due()
            except StorageError as error:
                log.warning("the timers could not be read: %s", error)
                wait_s = POLL_S
            await self._wait(min(POLL_S, wait_s))

    async def _ring_due(self) -> float:
        """Ring due timers and end those that have rung long enough. Returns the seconds until the next look."""
        now = self._clock.now()
        wait_s = POLL_S
        await self._write_unsaved()
        for timer in await self.every():
            if timer.kind is TimerKind.REQUEST:
                continue
            left_s = (timer.due_at - now).total_seconds()
            if left_s > 0 and timer.repeats is not None:
                left_s = await self._keep_to_the_wall_clock(timer, now)
            if timer.rang_at is not None:
                wait_s = min(wait_s, await self._ring_on(timer, now))
            elif left_s > 0:
                wait_s = min(wait_s, left_s)
            else:
                await self._begin_ringing(timer, now, -left_s)
        await self._tell()
        return wait_s

    async def _keep_to_the_wall_clock(self, timer: StoredTimer, now: datetime) -> float:
        """Move a repeating alarm if the time zone has changed or the clock was set back. Returns the seconds left."""
        due_at = self._next_of(timer, now) or timer.due_at
        if due_at != timer.due_at:
            await self._keep(timer.id, replace(timer, due_at=due_at))
        return (due_at - now).total_seconds()

    def _next_of(self, timer: StoredTimer, now: datetime) -> datetime | None:
        """When a repeating alarm rings next; ``None`` if it has rung for the last time."""
        return timer.repeats.next_after(now, self._clock.moment) if timer.repeats else None

    async def _begin_ringing(self, timer: StoredTimer, now: datetime, late_s: float) -> None:
        goes_on, rings = late_s < RING_LIMIT_S, replace(timer, rang_at=now)
        # Saved before it rings, so that no start lets it ring again; but it rings all the same.
        await self._keep(timer.id, rings)
        if goes_on:
            self._ringing.add(timer.id)
        self._ring(timer, self._words(timer, late_s), late_s, goes_on=goes_on)
        if not goes_on:
            await self._end(rings)

    async def _end(self, timer: StoredTimer) -> None:
        """Let a timer that rings be over. One whose repetition could not be saved waits for the next time."""
        again = None
        if self._unsaved.get(timer.id) is not None and (due_at := self._next_of(timer, self._clock.now())) is not None:
            again = replace(timer, due_at=due_at, rang_at=None)
        await self._keep(timer.id, again)

    async def _keep(self, timer_id: str, state: StoredTimer | None) -> None:
        """Save what has become of a timer; what cannot be written counts nevertheless, and is written later."""
        is_new = not self._unsaved
        self._unsaved[timer_id] = state
        try:
            await self._save(timer_id, state)
        except StorageError as error:
            log.warning("it cannot be written that the timer %s has rung: %s", timer_id, error)
            if is_new:
                self.unkept.tell(error)
        else:
            self._unsaved.pop(timer_id, None)

    async def _save(self, timer_id: str, state: StoredTimer | None) -> None:
        if state is None:
            await self._store.remove(timer_id)
        elif state.rang_at is None:
            await self._store.move(timer_id, state.due_at)
        else:
            if (due_at := self._next_of(state, state.rang_at)) is not None:
                # Stopping this ringing does not stop the repetition.
                await self._store.add_next(timer_id, replace(state, id=new_id(), due_at=due_at, rang_at=None))
                self._unsaved[timer_id] = replace(state, repeats=None)
            await self._store.mark_rung(timer_id, state.rang_at)

    async def _write_unsaved(self) -> None:
        """Write what could not be written before, if that is possible now."""
        for timer_id, state in tuple(self._unsaved.items()):
            try:
                await self._save(timer_id, state)
            except StorageError:
                return
            self._unsaved.pop(timer_id, None)

    async def _ring_on(self, timer: StoredTimer, now: datetime) -> float:
        """Go on ringing. Returns the seconds until it has rung long enough.

        What rang before Sori was started is told once, or rings on if it is a recent alarm or reminder.
        """
        rang_s = (now - (timer.rang_at or now)).total_seconds()
        if timer.id not in self._ringing:
            late_s = (now - timer.due_at).total_seconds()
            goes_on = timer.kind is not TimerKind.TIMER and late_s < RING_LIMIT_S
            words = self._words(timer, late_s) if goes_on else self._words_of_rung(timer, late_s)
            self._ring(timer, words, late_s, goes_on=goes_on)
            if not goes_on:
                await self._end(timer)
                return POLL_S
            self._ringing.add(timer.id)
        if rang_s >= RING_LIMIT_S:
            log.info("nobody has stopped the timer %s; it rings no more", timer.id)
            self._ring(timer, self._words_of_rung(timer, rang_s, "unstopped"), rang_s, goes_on=False, aloud=False)
            await self._end(timer)
            return POLL_S
        return RING_LIMIT_S - rang_s

    async def shown(self) -> Sequence[StoredTimer]:
        """The running and ringing timers, and the alarms and reminders that ring soon.

        Raises:
            StorageError: they could not be read.
        """
        soon = self._clock.now() + timedelta(seconds=SHOWN_AHEAD_S)
        rings = (each for each in await self.every() if each.kind is not TimerKind.REQUEST)
        return tuple(timer for timer in rings if timer.kind is TimerKind.TIMER or timer.due_at <= soon)

    async def _tell(self) -> None:
        timers, stored = await self.shown(), await self.every()
        self._ringing &= {timer.id for timer in timers}
        if (timers, stored) != self._told and self.changed:
            self._told = timers, stored
            self.changed.tell(timers)

    def _ring(self, timer: StoredTimer, text: str, late_s: float, *, goes_on: bool, aloud: bool = True) -> None:
        ring = Ring(
            id=timer.id,
            name=timer.name,
            duration_s=timer.duration_s,
            language=timer.language,
            text=text,
            late_s=late_s,
            goes_on=goes_on,
            aloud=aloud,
        )
        if not self.rung:
            log.warning("the timer %s rings and nobody listens", ring.id)
            return
        try:
            self.rung.tell(ring)
        except Exception:
            log.exception("the ringing of the timer %s failed", ring.id)

    def _words(self, timer: StoredTimer, late_s: float) -> str:
        texts, late = self.texts[timer.language], late_s >= _LATE_S
        values = self._values(timer, late_s)
        if timer.kind is TimerKind.TIMER:
            return texts("timer.rings_late" if late else "timer.rings", **values)
        kind = "reminder" if timer.name else "alarm"
        return texts(f"alarm.missed_{kind}" if late_s >= RING_LIMIT_S else f"alarm.{kind}_rings", **values)

    def _words_of_rung(self, timer: StoredTimer, late_s: float, how: str = "rang") -> str:
        """The words for what rang until Sori ended, or in vain (``unstopped``)."""
        kind = "timer" if timer.kind is TimerKind.TIMER else "reminder" if timer.name else "alarm"
        return self.texts[timer.language](f"alarm.{how}_{kind}", **self._values(timer, max(late_s, 1.0)))

    def _values(self, timer: StoredTimer, late_s: float) -> dict[str, str]:
        return {
            "timer": name_of(timer, self.texts[timer.language], timer.language),
            "late": spoken_duration(late_s, timer.language),
            "what": timer.name,
            "when": spoken_moment(timer.due_at, self._clock.now(), timer.language),
        }

    async def _wait(self, seconds: float) -> None:
        await first_of(self._clock.sleep(seconds), self._woken.wait())


def name_of(timer: StoredTimer, texts: Texts, language: Language) -> str:
    """The timer's name in a language: ``라면 타이머``, ``5분 타이머``, ``pasta timer``, ``오전 7시 알람``."""
    if timer.kind is TimerKind.REQUEST:
        return timer.name
    if timer.kind is not TimerKind.TIMER:
        at = spoken_time(timer.due_at, language)
        return texts("alarm.titled" if timer.name else "alarm.called", what=timer.name, at=at)
    what = timer.name or duration_before_noun(timer.duration_s, language)
    return texts("timer.called", what=what)
