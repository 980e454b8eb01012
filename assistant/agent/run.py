"""Runs the work of one request on a task of its own, apart from the consumer of its packets.

Turns of a conversation and agents by themselves run this way: the consumer may be slow, or leave, and the run still
ends in order.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Protocol

from assistant.agent.emitter import Emitter
from assistant.core.packets import Done, Packet
from assistant.llm.backend import Finish
from assistant.tasks import TaskSupervisor, wait_whole

FLUSH_S = 0.25
"""Seconds between two calls of ``flush`` while the work goes on."""
_STOP_GRACE_S = 0.05
"""Seconds that cancelled work may take to clean up. After that the run ends without waiting for it (C-33)."""


async def _nothing() -> None:
    """Flush nothing."""


class RunControl:
    """Stops one run.

    Attributes:
        tasks: runs its work. The end of work that ignores its cancellation is not waited for (C-33).
    """

    def __init__(self) -> None:
        self.tasks = TaskSupervisor()
        self._work: asyncio.Task[Finish] | None = None
        self._cancelled = False

    @property
    def cancelled(self) -> bool:
        """Whether the run was asked to stop."""
        return self._cancelled

    def cancel(self) -> None:
        """Stop the work at once. A run that has not begun is stopped when it begins; one that is over ignores this."""
        self._cancelled = True
        if self._work is not None:
            self._work.cancel()

    def attach(self, work: asyncio.Task[Finish]) -> None:
        """Set the task that ``cancel`` cancels."""
        self._work = work
        if self.cancelled:
            work.cancel()

    async def watch(self, work: asyncio.Task[Finish], flush: Callable[[], Awaitable[None]] = _nothing) -> None:
        """Wait until the work is over, or was cancelled and does not end in time.

        Args:
            work: the task.
            flush: awaited every ``FLUSH_S`` seconds.
        """
        grace = False
        while not work.done() and not grace:
            grace = self.cancelled
            await asyncio.wait({work}, timeout=_STOP_GRACE_S if grace else FLUSH_S)
            if not work.done():
                await flush()


class Run(Protocol):
    """One request that is being answered."""

    @property
    def name(self) -> str:
        """The name of its task, for logs."""
        ...

    @property
    def emitter(self) -> Emitter:
        """Takes its packets."""
        ...

    @property
    def control(self) -> RunControl:
        """Stops it."""
        ...

    async def run(self) -> None:
        """Do the work. Ends the emitter, whatever happens."""
        ...


async def packets_of(run: Run) -> AsyncGenerator[Packet, None]:
    """Start a run, and yield its packets as they come. The last one is ``Done``.

    Closing the generator, or cancelling a task that waits for a packet, stops the run. Both return when the run is
    over.
    """
    running = TaskSupervisor().start(run.run(), name=run.name)
    try:
        while True:
            packet = await run.emitter.next()
            yield packet
            if isinstance(packet, Done):
                return
    finally:
        run.control.cancel()
        await wait_whole(running)
