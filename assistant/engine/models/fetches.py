"""Fetches the weights of Sori's own server in the background, each model once, and tells the remaining time."""

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from assistant.agent.context.wording import rough_duration
from assistant.core import updates as up
from assistant.core.errors import ModelFileError, SoriError
from assistant.core.listeners import Listeners
from assistant.core.live_settings import LiveSettings
from assistant.engine.models.background_fetch import fetch_models
from assistant.tasks import TaskSupervisor
from assistant.weights.progress import FetchProgress
from assistant.weights.store import ModelStore

_log = logging.getLogger(__name__)

_TELL_S = 0.25
_PART = "progress.language_model"
PAUSED = "error.model_paused"


@dataclass(slots=True)
class _Fetch:
    """A running fetch."""

    task: asyncio.Task[None] | None = None
    progress: FetchProgress | None = None
    told_at: float = field(default=float("-inf"))


class ModelFetches:
    """The running fetches. Lives on one event loop.

    Args:
        store: the store of the models.
        live: the settings; the remaining time is given in their language.
        tell: takes updates about the progress.
    """

    def __init__(
        self,
        store: ModelStore,
        live: LiveSettings,
        tell: Callable[[up.Update], None],
    ) -> None:
        self.store = store
        self.changed: Listeners[[str], None] = Listeners()
        """Told a model's name when more of it has arrived, and when its fetch begins or ends."""
        self.ended: Listeners[[SoriError | None], None] = Listeners()
        """Told ``None`` when a model has been fetched, and the error when it cannot be."""
        self._live = live
        self._tell = tell
        self._running: dict[str, _Fetch] = {}
        self._tasks = TaskSupervisor()

    async def ensure(self, name: str) -> None:
        """Wait until a model is here, without a limit. A cancellation ends only this wait, not the fetch.

        Raises:
            SoriError: the model cannot be fetched, or the user has paused it.
        """
        fetch = self._running.get(name)
        if fetch is None:
            if await self.here(name):
                return
            fetch = self._begin(name)
        if fetch.task is not None:
            await asyncio.shield(fetch.task)

    async def have(self, name: str) -> None:
        """Return if a model is here; otherwise begin to fetch it and raise.

        Raises:
            ModelFileError: ``model_on_its_way`` while it is being fetched, ``model_paused`` if the user has paused the
                fetch; or the model cannot be fetched.
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
        """Fetch a model in the background. This ends a pause.

        Raises:
            ModelFileError: there is no such model, or the pause cannot be removed from the disk.
        """
        self.store.resume(name)
        if name not in self._running:
            self._begin(name)

    def pause(self, name: str) -> None:
        """Stop fetching a model until ``begin``, in this process and in later ones.

        Raises:
            ModelFileError: there is no such model, or the pause cannot be written to the disk.
        """
        self.store.pause(name)

    async def rescan(self) -> None:
        """Find the models that the user has put into the models folder, or removed from it, since the last scan."""
        self.store = await asyncio.to_thread(self.store.again)

    async def here(self, name: str) -> bool:
        """Whether a model can be used.

        Raises:
            ModelFileError: there is no such model.
        """
        if name not in self.store.manifest:
            await self.rescan()
        try:
            await asyncio.to_thread(self.store.path, name)
        except ModelFileError as error:
            if error.message_key in ("error.model_missing", "error.model_damaged"):
                return False
            raise
        return True

    def progress(self, name: str) -> FetchProgress | None:
        """Progress of a fetch; ``None`` if the model is not being fetched."""
        fetch = self._running.get(name)
        return None if fetch is None else fetch.progress or FetchProgress(model=name, done=0, total=1)

    def left(self, name: str) -> str:
        """Remaining time of a fetch, in words; empty if it is unknown."""
        progress = self.progress(name)
        return "" if progress is None else self._words(progress)

    async def close(self) -> None:
        """End all fetches. Partial files are kept."""
        await self._tasks.close()

    def _begin(self, name: str) -> _Fetch:
        fetch = self._running[name] = _Fetch()
        # The next request for the model reports a failure.
        fetch.task = self._tasks.start(self._fetch(name, fetch), name=f"fetch {name}", handled=True)
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
            self.ended.tell(error)
            raise
        except asyncio.CancelledError:
            self._running.pop(name, None)
            raise
        self._end(name)
        self.ended.tell(None)

    def _end(self, name: str) -> None:
        self._running.pop(name, None)
        self._tell(up.EngineProgressed(part=_PART, fraction=1.0))
        self.changed.tell(name)

    def _show(self, progress: FetchProgress) -> None:
        words = self._words(progress)
        self._tell(up.EngineProgressed(part=_PART, fraction=min(progress.fraction, 0.99), left=words))
        self.changed.tell(progress.model)

    def _words(self, progress: FetchProgress) -> str:
        return "" if progress.left_s is None else rough_duration(progress.left_s, self._live.current.language)
