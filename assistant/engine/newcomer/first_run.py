"""The domain of the first run (D-02): where it stands, kept once for a home."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

from assistant.core.service.requests import engine as rq
from assistant.engine.serving.table import Domain, serves
from assistant.storage.atomic import write_text

log = logging.getLogger(__name__)


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
        text = json.dumps({"step": request.step, "over": request.over}, ensure_ascii=False)
        await asyncio.to_thread(write_text, self._path, text)

    def _read(self) -> rq.FirstRunStanding | None:
        try:
            kept = json.loads(self._path.read_text(encoding="utf-8"))
            return rq.FirstRunStanding(step=str(kept["step"]), over=kept["over"] is True)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            log.warning("%s cannot be read, so the first run counts as over: %s", self._path, error)
            return rq.FirstRunStanding(over=True)
