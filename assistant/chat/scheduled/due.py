"""Scheduled requests whose time has come (F-09). That one runs is written before ``due`` tells of it.

Of the devices of an account the leading one alone carries out what is due. It notes each time on the account's server
before, so none is carried out twice, however the lead changes. What the user wants now runs where the user is.

It has a loop of its own, because timers must not wait for a server to ring.
"""

import asyncio
import logging
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Protocol

from assistant.chat.run_states import elsewhere, state_at
from assistant.chat.timers import POLL_S, Timers
from assistant.core.clock import Clock
from assistant.core.errors import StorageError
from assistant.core.listeners import Listeners
from assistant.storage.timers import Job, RunOutcome, StoredTimer
from assistant.tasks import first_of

log = logging.getLogger(__name__)


class RunLead(Protocol):
    """Whether this device carries out what is due."""

    @property
    def free(self) -> bool:
        """Whether no other device carries it out."""
        ...

    @property
    def may(self) -> bool:
        """Whether this device carries it out at this moment."""
        ...

    async def once(self, effect: str) -> bool:
        """Note that something is about to be done; whether nobody has noted it.

        Raises:
            StorageError: this device does not carry it out, or the server cannot be asked.
        """
        ...


class DueRequests:
    """Finds what is due, and tells of it.

    Args:
        timers: keeps the requests.
        clock: tells the time and the user's time zone.
        lead: whether this device carries them out.
        unread: ids of requests of which another device has a form that this Sori cannot read.

    Attributes:
        due: told of the requests that are due, were missed or were interrupted, all at once.
    """

    def __init__(self, timers: Timers, clock: Clock, lead: RunLead, unread: Collection[str] = ()) -> None:
        self._timers, self._clock, self._lead, self._unread = timers, clock, lead, unread
        self._runs: set[str] = set()
        """The turns of requests that run in this process."""
        self._noted: set[str] = set()
        """What was noted, but is not written here yet."""
        self._woken = asyncio.Event()
        self.due: Listeners[[Sequence[StoredTimer]], None] = Listeners()
        timers.changed.add(lambda _: self._woken.set())

    async def run(self) -> None:
        """Tell of what is due until cancelled."""
        while True:
            self._woken.clear()
            try:
                wait_s = await self._look()
            except StorageError as error:
                log.warning("the scheduled requests could not be read: %s", error)
                wait_s = POLL_S
            await first_of(self._clock.sleep(wait_s), self._woken.wait())

    async def _look(self) -> float:
        """Tell of what is due. Returns the seconds until the next look. What cannot be written is tried again then."""
        now, told, wait_s = self._clock.now(), list[StoredTimer](), POLL_S
        for request in await self._timers.requests():
            try:
                state = await self._moved_on(request, now)
            except StorageError as error:
                log.warning("the request %s is not carried out now: %s", request.id, error)
                continue
            if state is not None:
                told.append(state)
            if (left_s := (request.due_at - now).total_seconds()) > 0:
                wait_s = min(wait_s, left_s)
        if told:
            self.due.tell(tuple(told))
        return wait_s

    async def _moved_on(self, request: StoredTimer, now: datetime) -> StoredTimer | None:
        """Write what has become of a request; ``None`` if there is nothing to tell.

        Raises:
            StorageError: it cannot be noted or written; it stays as it was.
        """
        was = request.job or Job()
        if request.id in self._unread or not (self._lead.may or was.asked_at):
            return None
        state = state_at(request, now, self._clock.moment, self._runs, alone=self._lead.free)
        if state is None or state.job is None:
            return None
        effect, begins = _effect(request), state.job.ran_at != was.ran_at and not was.asked_at
        if begins and not await self._note(effect):
            await self._timers.swap(request.id, request, elsewhere(state, request.due_at))
            return None
        if state.job.outcome is RunOutcome.RUNNING:
            self._runs.add(state.job.turn)
        if not await self._timers.swap(request.id, request, state):
            return None  # It was changed meanwhile; the next look takes it as it is.
        self._noted.discard(effect)
        return state if (state.job.outcome, state.job.ran_at) != (was.outcome, was.ran_at) else None

    async def _note(self, effect: str) -> bool:
        if effect not in self._noted:
            if not await self._lead.once(effect):
                return False
            self._noted.add(effect)
        return True


def _effect(request: StoredTimer) -> str:
    return f"schedule:{request.id}:{request.due_at.astimezone(UTC).isoformat()}"
