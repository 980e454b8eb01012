"""The parts that follow settings which they cannot read at each use, because they build something from them."""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from typing import Any

from assistant.core.errors import SoriError
from assistant.core.settings import Settings
from assistant.tasks import TaskSupervisor

Apply = Callable[[Settings], Awaitable[None]]
"""Uses settings from now on. Returns when they are in force; raises ``SoriError`` if the former ones stay in force."""


class Follower:
    """One part. It applies one change after another; of several that wait, the newest.

    Args:
        names: the settings that it follows.
        apply: uses them.
        tasks: runs it.
        on_failure: told the names and the error when the former values stay in force.
    """

    def __init__(
        self,
        names: Collection[str],
        apply: Apply,
        tasks: TaskSupervisor,
        on_failure: Callable[[tuple[str, ...], SoriError], None],
    ) -> None:
        self.names = frozenset(names)
        self._apply, self._tasks, self._on_failure = apply, tasks, on_failure
        self._wanted: Settings | None = None
        self._task: asyncio.Task[None] | None = None
        self.former: dict[str, Any] = {}
        """The values in force, by name, of settings whose written values are not in force."""
        self.trouble: SoriError | None = None
        """Why they are not; ``None`` while they are being applied."""

    def follow(self, before: dict[str, Any], settings: Settings) -> None:
        """Apply a change.

        Args:
            before: the values before of the settings that changed, by name.
            settings: the new settings.
        """
        self.former = {**before, **self.former}
        self.trouble, self._wanted = None, settings
        if self._task is None or self._task.done():
            self._task = self._tasks.start(self._run(), name="follow settings")

    async def settled(self) -> None:
        """Wait until the newest change is in force or has failed."""
        if self._task is not None:
            await asyncio.wait({self._task})

    async def _run(self) -> None:
        error = None
        while (settings := self._newest()) is not None:
            error = await self._applied(settings)
        if error is None:
            self.former = {}
        else:
            self.trouble = error
            self._on_failure(tuple(self.former), error)

    def _newest(self) -> Settings | None:
        wanted, self._wanted = self._wanted, None
        return wanted

    async def _applied(self, settings: Settings) -> SoriError | None:
        try:
            await self._apply(settings)
        except SoriError as error:
            return error
        return None
