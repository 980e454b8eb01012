"""Whether this device may do what one device alone does for all: in an account only while it leads (S-03)."""

from typing import TYPE_CHECKING

from assistant.core.clock import Clock
from assistant.core.errors import StorageError
from assistant.core.listeners import Listeners
from assistant.tasks import TaskSupervisor

if TYPE_CHECKING:
    from assistant.sync.leading import Leading
    from assistant.sync.store import SyncStore


class Leadership:
    """One kind of work. Use it on the engine's loop; only ``may`` is for any thread.

    Args:
        work: the kind of work.
        free: whether the device is in no account, and may do it without asking.

    Attributes:
        changed: told when ``may`` has changed, or may have.
    """

    def __init__(self, work: str, *, free: bool = True) -> None:
        self._work, self._free = work, free
        self._wanted = False
        self._account: tuple[SyncStore, Clock] | None = None
        self._leading: Leading | None = None
        self._tasks = TaskSupervisor()
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
        """Be in an account from now on."""
        await self.leave(free=False)
        self._account = store, clock
        self._compete()

    async def leave(self, *, free: bool) -> None:
        """Lead no longer, and give the lease back.

        Args:
            free: whether the device may do the work without asking from now on.
        """
        self._account, self._free = None, free
        await self._stop()
        self.changed.tell()

    async def want(self, wanted: bool) -> None:
        """Compete for the work, or not. Without this a device never leads."""
        if wanted is self._wanted:
            return
        self._wanted = wanted
        if wanted:
            self._compete()
        else:
            await self._stop()

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

    def _compete(self) -> None:
        from assistant.sync.leading import Leading

        if self._account is None or not self._wanted:
            return
        leading = self._leading = Leading(self._account[0], self._work, self._account[1])
        leading.changed.add(self._changed)
        self._tasks.start(leading.run(), name=f"lead {self._work}")

    def _changed(self, _: bool) -> None:
        self.changed.tell()

    async def _stop(self) -> None:
        await self._tasks.close()
        self._leading = None


def _not_leading(work: str) -> StorageError:
    return StorageError("postgresql", f"another device leads {work}")
