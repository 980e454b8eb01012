"""Fetches the weights of Sori's own server beside everything else, each model once, and tells how long it takes."""

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from assistant.agent.context.wording import rough_duration
from assistant.app.engine.background_fetch import fetch_models
from assistant.core import updates as up
from assistant.core.errors import ModelFileError, SoriError
from assistant.core.live_settings import LiveSettings
from assistant.weights.progress import FetchProgress
from assistant.weights.store import ModelStore

_log = logging.getLogger(__name__)

_TELL_S = 0.25
_PART = "progress.language_model"
PAUSED = "error.model_paused"


@dataclass(slots=True)
class _Fetch:
    """A fetch that goes on."""

    task: asyncio.Task[None] | None = None
    progress: FetchProgress | None = None
    told_at: float = field(default=float("-inf"))


class ModelFetches:
    """What is being fetched. Lives on one event loop.

    Args:
        store: where models belong.
        live: the settings; their language is that of the words for the time that is left.
        tell: takes the progress, as updates.
    """

    def __init__(
        self,
        store: ModelStore,
        live: LiveSettings,
        tell: Callable[[up.Update], None],
    ) -> None:
        self.store = store
        self.on_change: Callable[[str], None] = lambda _: None
        """Told the model's name whenever more of it is here, or its fetching begins or ends."""
        self.on_ended: Callable[[SoriError | None], None] = lambda _: None
        """Called when a model has come, and with the error when it is not to be had."""
        self._live = live
        self._tell = tell
        self._running: dict[str, _Fetch] = {}

    async def ensure(self, name: str) -> None:
        """Have a model here, however long that takes; being cancelled leaves the fetching to others who wait.

        Raises:
            SoriError: it cannot be had, or the user has paused it.
        """
        fetch = self._running.get(name)
        if fetch is None:
            if await self.here(name):
                return
            fetch = self._begin(name)
        if fetch.task is not None:
            await asyncio.shield(fetch.task)

    async def have(self, name: str) -> None:
        """See that a model is here, and begin to fetch it where it is not.

        Raises:
            ModelFileError: ``model_on_its_way`` while it is fetched, ``model_paused`` where the user has paused that;
                or it is none that could be fetched.
        """
        if name not in self._running:
            if await self.here(name):
                return
            if self.store.paused(name):
                raise ModelFileError("its fetching is paused", model=name, message_key="model_paused")
            self._begin(name)
        left = self.left(name)
        raise ModelFileError(
            "it is being fetched",
            model=name,
            message_key="model_on_its_way" if left else "model_on_its_way_soon",
            values={"left": left},
        )

    def begin(self, name: str) -> None:
        """Fetch a model in the background; a pause ends with it.

        Raises:
            ModelFileError: there is no such model, or the disk does not take it.
        """
        self.store.resume(name)
        if name not in self._running:
            self._begin(name)

    def pause(self, name: str) -> None:
        """Fetch no more of a model until it is begun again, in this process or a later one.

        Raises:
            ModelFileError: there is no such model, or the disk does not take the note.
        """
        self.store.pause(name)

    async def here(self, name: str) -> bool:
        """Whether a model can be used.

        Raises:
            ModelFileError: there is no such model.
        """
        if name not in self.store.manifest:
            self.store = self.store.again()
        try:
            await asyncio.to_thread(self.store.path, name)
        except ModelFileError as error:
            if error.message_key in ("error.model_missing", "error.model_damaged"):
                return False
            raise
        return True

    def progress(self, name: str) -> FetchProgress | None:
        """How far a fetch is; ``None`` where none goes on."""
        fetch = self._running.get(name)
        return None if fetch is None else fetch.progress or FetchProgress(model=name, done=0, total=1)

    def left(self, name: str) -> str:
        """How long a fetch still takes, in words; empty where nothing can be said."""
        progress = self.progress(name)
        return "" if progress is None else self._words(progress)

    async def close(self) -> None:
        """End what goes on; what has arrived is kept."""
        tasks = [each.task for each in self._running.values() if each.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _begin(self, name: str) -> _Fetch:
        fetch = self._running[name] = _Fetch()
        fetch.task = asyncio.create_task(self._fetch(name, fetch), name=f"fetch {name}")
        fetch.task.add_done_callback(_look_at)
        return fetch

    async def _fetch(self, name: str, fetch: _Fetch) -> None:
        def arrived(progress: FetchProgress) -> None:
            fetch.progress = progress
            now = time.monotonic()
            if now - fetch.told_at >= _TELL_S:
                fetch.told_at = now
                self._show(progress)

        try:
            await fetch_models(self.store, [name], arrived)
        except SoriError as error:
            _log.warning("%s is not fetched: %s", name, error)
            self._end(name)
            self.on_ended(error)
            raise
        except asyncio.CancelledError:
            self._running.pop(name, None)
            raise
        self._end(name)
        self.on_ended(None)

    def _end(self, name: str) -> None:
        self._running.pop(name, None)
        self._tell(up.EngineProgressed(part=_PART, fraction=1.0))
        self.on_change(name)

    def _show(self, progress: FetchProgress) -> None:
        words = self._words(progress)
        self._tell(up.EngineProgressed(part=_PART, fraction=min(progress.fraction, 0.99), left=words))
        self.on_change(progress.model)

    def _words(self, progress: FetchProgress) -> str:
        return "" if progress.left_s is None else rough_duration(progress.left_s, self._live.current.language)


def _look_at(task: asyncio.Task[None]) -> None:
    """Mark a failure as seen: whoever asks for the model next is told of it."""
    if not task.cancelled():
        task.exception()
