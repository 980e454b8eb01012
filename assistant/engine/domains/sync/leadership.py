"""Whether this device may do what one device alone does for all: in an account only while it leads (S-03).

It competes for the lead once a round of syncing has succeeded, because before it does not know what the others have
done. How the syncing stands decides what comes then:

- alike: it goes on.
- starting, working, silent: nothing has come of the round yet, so all stays as it was.
- offline: it neither takes nor renews a lease. What it has ends by itself, unless a round succeeds before: a short
  failure does not interrupt what is being done, and a device that cannot sync for long keeps nobody from the work.
- anything else, as stuck: it can do none of the work, and gives its lease back at once.
"""

import asyncio
from typing import TYPE_CHECKING, Final

from assistant.core.clock import Clock
from assistant.core.errors import StorageError
from assistant.core.listeners import Listeners
from assistant.core.records.sync import SyncStanding
from assistant.tasks import TaskSupervisor

if TYPE_CHECKING:
    from assistant.sync.leading import Leading
    from assistant.sync.store import SyncStore

_GOES_ON: Final = frozenset({SyncStanding.STARTING, SyncStanding.WORKING, SyncStanding.SILENT})


class Leadership:
    """One kind of work. Use it on the engine's loop; only ``may`` is for any thread.

    Args:
        work: the kind of work.
        free: whether the device is in no account, and may do it without asking.
        wanted: whether the device competes for the work; see ``want``.

    Attributes:
        changed: told when ``may`` has changed, or may have.
    """

    def __init__(self, work: str, *, free: bool = True, wanted: bool = False) -> None:
        self._work, self._free, self._wanted = work, free, wanted
        self._standing = SyncStanding.STARTING
        self._account: tuple[SyncStore, Clock] | None = None
        self._leading: Leading | None = None
        self._tasks = TaskSupervisor()
        self._settling = asyncio.Lock()
        self.changed: Listeners[[], None] = Listeners()

    @property
    def free(self) -> bool:
        """Whether the device is in no account, so that no other one does the work."""
        return self._free

    @property
    def may(self) -> bool:
        """Whether this device may do the work at this moment."""
        leading = self._leading
        return self._free or (leading is not None and leading.leads)

    async def join(self, store: "SyncStore", clock: Clock) -> None:
        """Be in an account from now on. ``stand`` tells when this device may compete in it."""
        await self.leave(free=False)
        self._account = store, clock

    async def leave(self, *, free: bool) -> None:
        """Lead no longer, and give the lease back.

        Args:
            free: whether the device may do the work without asking from now on.
        """
        self._account, self._free, self._standing = None, free, SyncStanding.STARTING
        await self._settle()
        self.changed.tell()

    async def want(self, wanted: bool) -> None:
        """Compete for the work, or not. Without this a device never leads."""
        self._wanted = wanted
        await self._settle()

    async def stand(self, standing: SyncStanding) -> None:
        """Compete or step down, as the syncing stands."""
        if standing not in _GOES_ON:
            self._standing = standing
            await self._settle()

    async def once(self, effect: str) -> bool:
        """Note an effect of the work before it is done; whether this device may do it, because nobody has noted it.

        Raises:
            StorageError: this device does not lead, or the server cannot be asked.
        """
        from assistant.sync.store import RevokedError, StaleLeaseError

        if self._free:
            return True
        if self._leading is None:
            raise _not_leading(self._work)
        try:
            return await self._leading.once(effect)
        except (StaleLeaseError, RevokedError) as error:
            raise _not_leading(self._work) from error

    async def _settle(self) -> None:
        async with self._settling:
            alike = self._standing is SyncStanding.ALIKE
            if self._account is None or not self._wanted or not (alike or self._standing is SyncStanding.OFFLINE):
                await self._tasks.close()
                self._leading = None
            elif self._leading is not None:
                self._leading.renew(alike)
            elif alike:
                self._compete(*self._account)

    def _compete(self, store: "SyncStore", clock: Clock) -> None:
        from assistant.sync.leading import Leading

        leading = self._leading = Leading(store, self._work, clock)
        leading.changed.add(self._changed)
        self._tasks.start(leading.run(), name=f"lead {self._work}")

    def _changed(self, _: bool) -> None:
        self.changed.tell()


def _not_leading(work: str) -> StorageError:
    return StorageError("postgresql", f"another device leads {work}")
