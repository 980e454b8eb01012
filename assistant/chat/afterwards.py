"""Runs background work between turns: what a turn has left, and what lets the next one begin sooner."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from assistant.core.errors import SoriError

log = logging.getLogger(__name__)


class Afterwards:
    """Runs background work that may be stopped at any time and is started again when it is needed.

    A failure is only logged, because nobody waits for this work.
    """

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def idle(self) -> bool:
        """Whether no work is running."""
        return not self._tasks

    def begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start this work, and return its task."""
        task = asyncio.create_task(work, name="between turns")
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def stop(self) -> None:
        """Cancel all work, without waiting for its end."""
        for task in self._tasks:
            task.cancel()

    async def settle(self) -> None:
        """Wait until all work has ended."""
        while self._tasks:
            await asyncio.wait(set(self._tasks))

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            expected = isinstance(error, SoriError)
            log.warning("the work between turns failed: %s", error, exc_info=None if expected else error)
