"""What turns leave for later, done between them."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

log = logging.getLogger(__name__)


class Afterwards:
    """Work in the background that may be stopped at any time, for it is begun again when it matters.

    A failure is only logged: nothing that anybody waits for depends on it.
    """

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Do this from now on."""
        task = asyncio.create_task(work, name="after the turn")
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def stop(self) -> None:
        """Stop everything, without waiting for it to end."""
        for task in self._tasks:
            task.cancel()

    async def settle(self) -> None:
        """Wait until nothing is going on any more."""
        while self._tasks:
            await asyncio.wait(set(self._tasks))

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.warning("what a turn has left for later failed", exc_info=error)
