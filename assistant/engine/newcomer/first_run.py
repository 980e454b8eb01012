"""The domain of the first run (D-02): where it stands, kept once for a home."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from assistant.core.service.requests import engine as rq
from assistant.engine.serving.table import Domain, serves
from assistant.storage.kept_object import damage_of, read_object, write_object


class FirstRun(Domain):
    """Owns the requests for the first run.

    A home in which somebody has written to Sori before there was a first run counts as one that had it.

    Args:
        path: the file; made when the user takes the first step.
        is_used: whether somebody has written to Sori in this home.
    """

    def __init__(self, path: Path, is_used: Callable[[], Awaitable[bool]]) -> None:
        self._path, self._is_used = path, is_used

    @serves()
    async def _show(self, _: rq.ShowFirstRun) -> rq.FirstRunStanding:
        kept = await asyncio.to_thread(self._read)
        return kept or rq.FirstRunStanding(over=await self._is_used())

    @serves(lane="first run")
    async def _keep(self, request: rq.KeepFirstRun) -> None:
        """Keep where it stands.

        Raises:
            StorageError: the file cannot be written.
        """
        await asyncio.to_thread(write_object, self._path, {"step": request.step, "over": request.over})

    def _read(self) -> rq.FirstRunStanding | None:
        kept = read_object(self._path, ", so the first run counts as over")
        match kept:
            case {"step": str(step), "over": bool(over)}:
                return rq.FirstRunStanding(step=step, over=over)
            case _:
                return rq.FirstRunStanding(over=True) if kept or damage_of(self._path) else None
