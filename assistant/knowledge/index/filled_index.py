"""The index of passages as projects use it: opened when it is first needed, its vectors filled in the background."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assistant.core.knowledge.passages import Passage
from assistant.knowledge.idle_times import AlwaysIdle, IdleTimes
from assistant.knowledge.index.passage_index import Hit, IndexState
from assistant.knowledge.index.passage_store import PassageQuery
from assistant.knowledge.index.texts import plain
from assistant.tasks import TaskSupervisor

if TYPE_CHECKING:
    from assistant.knowledge.index.filling import Filling


class FilledIndex:
    """``PassageIndex`` over a store on this machine or on a server.

    Engines of search take 0.3 s to load, which a start without projects saves. A server that cannot be reached fails
    what is asked of it and not the start, and is tried again by the next request.

    Args:
        open_filling: opens the store, and what fills it.
    """

    def __init__(self, open_filling: Callable[[], Awaitable["Filling"]]) -> None:
        self._open = open_filling
        self._opening = asyncio.Lock()
        self._filling: Filling | None = None
        self._pause: IdleTimes = AlwaysIdle()
        self._tasks = TaskSupervisor()

    def pause_while(self, pause: IdleTimes) -> None:
        """See ``PassageIndex``."""
        self._pause = pause
        if self._filling is not None:
            self._filling.pause = pause

    async def settled(self) -> None:
        """Wait until all meanings are there, or none can be computed at present."""
        if self._filling is not None:
            await self._filling.settled()

    async def replace(self, project: str, file: str, passages: Sequence[Passage], *, name: str = "") -> None:
        """See ``PassageIndex``."""
        filling = await self._opened()
        await filling.store.replace(project, file, passages, name)
        filling.wake()

    async def remove(self, project: str, file: str | None = None) -> None:
        """See ``PassageIndex``."""
        await (await self._opened()).store.remove(project, file)

    async def search(
        self, question: str, projects: Collection[str], *, files: Collection[str] | None = None, limit: int = 10
    ) -> Sequence[Hit]:
        """See ``PassageIndex``."""
        filling, question = await self._opened(), plain(question)
        vector, asked = await filling.question(question), tuple(dict.fromkeys(projects))
        query = PassageQuery(question=question, vector=vector, projects=asked, files=files, limit=limit)
        hits = await filling.store.search(query)
        return hits if filling.is_scaled else [replace(each, nearness=None) for each in hits]

    async def state(self, project: str) -> IndexState:
        """See ``PassageIndex``."""
        filling = await self._opened()
        passages, waiting = await filling.store.counts(project)
        return IndexState(passages=passages, waiting=waiting, meaning=filling.works or waiting < passages)

    async def files(self, project: str) -> frozenset[str]:
        """See ``PassageIndex``."""
        return await (await self._opened()).store.files(project)

    async def close(self) -> None:
        """See ``PassageIndex``."""
        async with self._opening:
            await self._tasks.close()
            if self._filling is not None:
                await self._filling.close()

    async def _opened(self) -> "Filling":
        if self._filling is None:
            async with self._opening:
                if self._filling is None:
                    self._filling = await self._open()
                    self._filling.pause = self._pause
                    self._tasks.start(self._filling.run(), name="vectors of passages")
        return self._filling
