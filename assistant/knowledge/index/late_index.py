"""An index that is opened when it is first needed."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence

from assistant.core.knowledge.passages import Passage
from assistant.knowledge.idle_times import AlwaysIdle, IdleTimes
from assistant.knowledge.index.passage_index import Hit, IndexState, PassageIndex


class LateIndex:
    """``PassageIndex`` that opens another when it is first asked.

    Engines of search take 0.3 s to load, which a start without projects saves. A server that cannot be reached fails
    what is asked of it and not the start, and is tried again by the next request.

    Args:
        open_index: opens the other.
    """

    def __init__(self, open_index: Callable[[], Awaitable[PassageIndex]]) -> None:
        self._open = open_index
        self._opening = asyncio.Lock()
        self._index: PassageIndex | None = None
        self._pause: IdleTimes = AlwaysIdle()

    def pause_while(self, pause: IdleTimes) -> None:
        """See ``PassageIndex``."""
        self._pause = pause
        if self._index is not None:
            self._index.pause_while(pause)

    async def settled(self) -> None:
        """Wait until all meanings are there, or none can be computed at present."""
        if self._index is not None:
            await self._index.settled()

    async def replace(self, project: str, file: str, passages: Sequence[Passage], *, name: str = "") -> None:
        """See ``PassageIndex``."""
        await (await self._opened()).replace(project, file, passages, name=name)

    async def remove(self, project: str, file: str | None = None) -> None:
        """See ``PassageIndex``."""
        await (await self._opened()).remove(project, file)

    async def search(
        self, question: str, projects: Collection[str], *, files: Collection[str] | None = None, limit: int = 10
    ) -> Sequence[Hit]:
        """See ``PassageIndex``."""
        return await (await self._opened()).search(question, projects, files=files, limit=limit)

    async def state(self, project: str) -> IndexState:
        """See ``PassageIndex``."""
        return await (await self._opened()).state(project)

    async def files(self, project: str) -> frozenset[str]:
        """See ``PassageIndex``."""
        return await (await self._opened()).files(project)

    async def close(self) -> None:
        """See ``PassageIndex``."""
        async with self._opening:
            if self._index is not None:
                await self._index.close()

    async def _opened(self) -> PassageIndex:
        async with self._opening:
            if self._index is None:
                index = await self._open()
                index.pause_while(self._pause)
                self._index = index
            return self._index
