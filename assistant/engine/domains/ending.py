"""The domain of the engine's end."""

from collections.abc import Callable

from assistant.agent.context.wording import spoken_moment
from assistant.chat.timers import Timers, name_of
from assistant.core.clock import Clock
from assistant.core.service.requests.engine import EndEngine, ListWhatEnds, WhatEnds
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.engine.serving.hub import Hub
from assistant.engine.serving.table import Asker, Domain, serves
from assistant.storage.timers import StoredTimer


class EngineEnd(Domain):
    """Ends the engine, and tells what would be lost.

    Args:
        end: ends the engine.
        timers: what would not ring.
        hub: knows the other clients.
        clock: what is called today and tomorrow.
        texts: the user's words.
        rings: whether this engine rings the timers; otherwise another process does.
    """

    def __init__(
        self, end: Callable[[], None], timers: Timers, hub: Hub, clock: Clock, texts: Texts, *, rings: bool
    ) -> None:
        self._end, self._timers, self._hub = end, timers, hub
        self._clock, self._texts, self._rings = clock, texts, rings

    @serves()
    async def _end_engine(self, _: EndEngine) -> None:
        self._end()

    @serves()
    async def _list_what_ends(self, _: ListWhatEnds, asker: Asker) -> WhatEnds:
        waiting = await self._timers.waiting() if self._rings else ()
        return WhatEnds(rings=tuple(map(self._words, waiting)), followers=self._hub.followers(besides=asker.client))

    def _words(self, timer: StoredTimer) -> str:
        language: Language = "ko" if self._texts.language == "ko" else "en"
        when = spoken_moment(timer.due_at, self._clock.now(), language)
        return self._texts("ending.ring", title=name_of(timer, self._texts, language), when=when)
