"""Stores the trace of each turn when the turn is over."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from assistant.core.errors import StorageError
from assistant.core.machine.states import TurnId
from assistant.tasks import TaskSupervisor
from assistant.voice.trace import Trace

log = logging.getLogger(__name__)

SaveTrace = Callable[[str, TurnId, Sequence[dict[str, Any]]], Awaitable[None]]
"""Stores the trace of a turn of a conversation."""


class TraceKeeper:
    """Takes the events of a trace, and stores them as those of a turn.

    Args:
        trace: collects the events.
        save: stores them; ``None`` to store nothing.
        tasks: runs the storing in the background.
    """

    def __init__(self, trace: Trace, save: SaveTrace | None, tasks: TaskSupervisor) -> None:
        self._trace = trace
        self._save = save
        self._tasks = tasks

    def keep(self, conversation: str, turn: TurnId) -> None:
        """Store the events since the last call as the trace of ``turn``."""
        events = self._trace.take()
        if self._save is not None:
            self._tasks.start(self._store(self._save(conversation, turn, events)), name="store a trace")

    async def _store(self, saving: Awaitable[None]) -> None:
        try:
            await saving
        except StorageError as error:
            log.warning("the trace of a turn is lost: %s", error)
