"""What turns leave for later, and what makes the next one begin sooner, done between them."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from assistant.core.errors import SoriError

log = logging.getLogger(__name__)


class Afterwards:
    """Work in the background that may be stopped at any time, for it is begun again when it matters.

    A failure is only logged: nothing that anybody waits for depends on it.
    """

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def idle(self) -> bool:
        """Whether nothing is going on."""
        return not self._tasks

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Do this from now on."""
        task = asyncio.create_task(work, name="between turns")
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
            expected = isinstance(error, SoriError)
            log.warning("what is done between turns failed: %s", error, exc_info=None if expected else error)
