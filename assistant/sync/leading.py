"""Whether this device leads one kind of work for the account, so that of several devices one alone does it (S-03).

The server gives the lease. This device believes in it for a shorter time than the server: it counts from the moment at
which it asked, by its own clock, which a suspended computer does not stop. So no two devices ever believe that they
lead, however wrong their clocks are, and however late an answer comes. Without an answer it stops in time.
"""

import asyncio
import logging
from typing import Final

from assistant.core.clock import Clock
from assistant.core.errors import StorageError
from assistant.core.listeners import Listeners
from assistant.sync.store import LEASE_S, Lease, RevokedError, StaleLeaseError, SyncStore
from assistant.tasks import TaskSupervisor

log = logging.getLogger(__name__)

RENEW_S: Final = 20.0
"""Seconds between two renewals. Two of them may fail before the lease ends."""
TRY_S: Final = 4.0
"""Seconds between two tries to take the lease, or to renew it after a failure."""
MARGIN_S: Final = 5.0
"""A device stops believing in its lease so many seconds before the server does."""
_GIVE_BACK_S: Final = 3.0
"""Longest wait for the server at the end. The lease ends by itself."""


class Leading:
    """Takes the lease for one kind of work and renews it.

    Args:
        store: the account's server.
        work: the kind of work.
        clock: counts and waits.

    Attributes:
        changed: told whether this device leads, at each change.
    """

    def __init__(self, store: SyncStore, work: str, clock: Clock) -> None:
        self._store, self._work, self._clock = store, work, clock
        self._lease: Lease | None = None
        self._until = 0.0
        self._told = False
        self._taken, self._renews = asyncio.Event(), asyncio.Event()
        self._renews.set()
        self.changed: Listeners[[bool], None] = Listeners()

    @property
    def leads(self) -> bool:
        """Whether this device leads at this moment. Ask again after each wait."""
        return self._lease is not None and self._clock.uptime() < self._until

    async def run(self) -> None:
        """Take and renew the lease until cancelled, or until this device is shut out; then give it back."""
        async with TaskSupervisor() as tasks:
            tasks.start(self._stop_in_time(), name=f"the end of a lease: {self._work}")
            try:
                await self._renew()
            except RevokedError:
                log.warning("this device may not lead %s: it was shut out", self._work)
            finally:
                await self._give_back()

    def renew(self, wanted: bool) -> None:
        """Take and renew the lease, or neither: then what this device has ends by itself."""
        if wanted:
            self._renews.set()
        else:
            self._renews.clear()

    async def once(self, effect: str) -> bool:
        """Note an effect on the server, in one transaction with the check of the lease.

        Returns:
            Whether it was not noted before, so that this device may do it now.

        Raises:
            StaleLeaseError: this device does not lead, or no longer.
            StorageError: the server cannot be reached. Whether the effect was noted is not known.
            RevokedError: this device was shut out.
        """
        lease = self._lease
        if lease is None or not self.leads:
            raise StaleLeaseError
        try:
            new = await self._store.once(lease, effect)
        except (StaleLeaseError, RevokedError):
            if self._lease == lease:
                self._step_down()
            raise
        if not self.leads:
            raise StaleLeaseError
        return new

    async def _renew(self) -> None:
        while True:
            await self._renews.wait()
            asked_at, pause_s = self._clock.uptime(), TRY_S
            try:
                lease = await self._store.lease(self._work)
            except StorageError as error:
                # It goes on leading until the lease may have ended.
                log.info("the lease for %s: %s", self._work, error)
            else:
                if lease is None:
                    self._step_down()
                else:
                    self._lease, self._until = lease, asked_at + LEASE_S - MARGIN_S
                    self._taken.set()
                    pause_s = RENEW_S if self.leads else TRY_S
                self._tell()
            await self._clock.sleep(pause_s)

    async def _stop_in_time(self) -> None:
        """Tell of the end of the lease also while an answer of the server is waited for."""
        while True:
            await self._taken.wait()
            while self.leads:
                await self._clock.sleep(self._until - self._clock.uptime())
            self._taken.clear()
            self._tell()

    def _step_down(self) -> None:
        self._lease = None
        self._tell()

    def _tell(self) -> None:
        if self.leads is not self._told:
            self._told = not self._told
            log.info("this device %s %s", "leads" if self._told else "no longer leads", self._work)
            self.changed.tell(self._told)

    async def _give_back(self) -> None:
        lease, self._lease = self._lease, None
        self._tell()
        if lease is None:
            return
        try:
            await asyncio.wait_for(self._store.give_back(lease), _GIVE_BACK_S)
        except (StorageError, RevokedError, TimeoutError) as error:
            log.info("the lease for %s ends by itself: %r", self._work, error)
