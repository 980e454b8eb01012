"""Fetches the weights of Sori's own server in the background, each model once, and tells how each fetch stands.

A fetch that no server can be reached for is tried again by itself (``FetchRetry``). Until new bytes arrive it counts as
failed, so that nothing promises a model that may not come.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from assistant.agent.context.wording import rough_duration
from assistant.core import updates as up
from assistant.core.clock import Clock
from assistant.core.errors import ModelFileError, SoriError
from assistant.core.listeners import Listeners
from assistant.core.live_settings import LiveSettings
from assistant.engine.models.background_fetch import fetch_models
from assistant.engine.models.fetch_retry import FetchRetry, may_pass
from assistant.host.clock import SystemClock
from assistant.setup.network import has_route
from assistant.tasks import TaskSupervisor
from assistant.weights.progress import FetchProgress
from assistant.weights.store import ModelStore

_log = logging.getLogger(__name__)

_TELL_S = 0.25
_PART = "progress.language_model"
_PARTS = {"embedding": "progress.meaning_model"}
PAUSED = "error.model_paused"
_STALLED_S = 5.0
"""Seconds without a new byte after which no remaining time is told."""
_LOOK_S = 1.0


@dataclass(slots=True)
class _Fetch:
    """A running fetch.

    Attributes:
        asked: whether the user has begun it, rather than Sori after a failure.
        moved_at: when the last byte arrived.
    """

    task: asyncio.Task[None] | None = None
    progress: FetchProgress | None = None
    told_at: float = field(default=float("-inf"))
    asked: bool = True
    moved_at: float = field(default=float("-inf"))


class ModelFetches:
    """The running fetches. Lives on one event loop.

    Args:
        store: the store of the models.
        live: the settings; the remaining time is given in their language.
        tell: takes updates about the progress.
        clock: waits between attempts.
        route: whether the system knows a way to other computers.
    """

    def __init__(
        self,
        store: ModelStore,
        live: LiveSettings,
        tell: Callable[[up.Update], None],
        *,
        clock: Clock | None = None,
        route: Callable[[], bool] = has_route,
    ) -> None:
        self.store = store
        self.changed: Listeners[[str], None] = Listeners()
        """Told a model's name when more of it has arrived, and when its fetch begins or ends."""
        self.ended: Listeners[[SoriError | None], None] = Listeners()
        """Told ``None`` when a model has been fetched, and the error when it cannot be; a failed attempt that brought
        nothing after another one is not told again."""
        self.resumed: Listeners[[str], None] = Listeners()
        """Told a model's name when bytes arrive again after a failure."""
        self._live = live
        self._tell = tell
        self._clock, self._route = clock or SystemClock(), route
        self._running: dict[str, _Fetch] = {}
        self._failed: dict[str, SoriError] = {}
        """Why the last attempt failed, until a new one brings something."""
        self._retries: dict[str, asyncio.Task[None]] = {}
        self._waits: dict[str, FetchRetry] = {}
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
            ModelFileError: ``model_on_its_way`` while it arrives, ``model_waits_for_network`` after an attempt that the
                network has failed, ``model_paused`` if the user has paused the fetch; or the model cannot be fetched.
        """
        if name not in self._running:
            if await self.here(name):
                return
            if self.store.paused(name):
                raise ModelFileError("its fetching is paused", model=name, message_key="model_paused")
            self._begin(name, asked=name not in self._failed)
        if (failed := self._failed.get(name)) is not None:
            raise self._not_coming(name, failed)
        left = self.left(name)
        raise ModelFileError(
            "it is being fetched",
            model=name,
            message_key="model_on_its_way" if left else "model_on_its_way_soon",
            values={"left": left},
        )

    def _not_coming(self, name: str, failed: SoriError) -> SoriError:
        if not may_pass(failed):
            return failed
        return ModelFileError(failed.detail, model=name, message_key="model_waits_for_network")

    def begin(self, name: str) -> None:
        """Fetch a model in the background. This ends a pause.

        Raises:
            ModelFileError: there is no such model, or the pause cannot be removed from the disk.
        """
        self.store.resume(name)
        if name in self._running:
            self._running[name].asked = True
        else:
            self._begin(name)

    def pause(self, name: str) -> None:
        """Stop fetching a model until ``begin``, in this process and in later ones.

        Raises:
            ModelFileError: there is no such model, or the pause cannot be written to the disk.
        """
        self.store.pause(name)
        self._failed.pop(name, None)
        self._retry_no_more(name)

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
        """Progress of a fetch; ``None`` if the model is not being fetched, or only tried again after a failure."""
        fetch = self._running.get(name)
        if fetch is None or (name in self._failed and not fetch.asked):
            return None
        return fetch.progress or FetchProgress(model=name, done=0, total=1)

    def trouble(self, name: str) -> SoriError | None:
        """Why a model is not coming; ``None`` while it is, or nobody has tried."""
        return None if self.progress(name) is not None else self._failed.get(name)

    def left(self, name: str) -> str:
        """Remaining time of a fetch, in words; empty if it is unknown."""
        progress = self.progress(name)
        return "" if progress is None else self._words(progress)

    async def close(self) -> None:
        """End all fetches. Partial files are kept."""
        await self._tasks.close()

    def _begin(self, name: str, *, asked: bool = True) -> _Fetch:
        self._retry_no_more(name)
        fetch = self._running[name] = _Fetch(asked=asked)
        # The next request for the model reports a failure.
        fetch.task = self._tasks.start(self._fetch(name, fetch), name=f"fetch {name}", handled=True)
        return fetch

    async def _fetch(self, name: str, fetch: _Fetch) -> None:
        looking = self._tasks.start(self._look_for_a_stall(fetch), name=f"watch {name}")
        try:
            await fetch_models(self.store, [name], lambda progress: self._arrived(fetch, progress))
        except SoriError as error:
            _log.warning("%s is not fetched: %s", name, error)
            again = name in self._failed
            self._failed.pop(name, None)
            if error.message_key != PAUSED:
                self._failed[name] = error
            self._end(name)
            if may_pass(error):
                self._retries[name] = self._tasks.start(self._retry(name), name=f"fetch {name} again")
            if not again:
                self.ended.tell(error)
            raise
        except asyncio.CancelledError:
            self._running.pop(name, None)
            raise
        finally:
            looking.cancel()
        self._failed.pop(name, None)
        self._waits.pop(name, None)
        self._end(name)
        self.ended.tell(None)

    def _arrived(self, fetch: _Fetch, progress: FetchProgress) -> None:
        before, fetch.progress = fetch.progress, progress
        now = time.monotonic()
        if before is None or progress.arrived > before.arrived:
            fetch.moved_at = now
        if progress.arrived and self._failed.pop(progress.model, None) is not None:
            self._waits.pop(progress.model, None)
            self.resumed.tell(progress.model)
        if now - fetch.told_at >= _TELL_S:
            self._show(fetch, now)

    async def _look_for_a_stall(self, fetch: _Fetch) -> None:
        """Take the remaining time back when nothing arrives: a source that waits reports nothing itself."""
        while True:
            await asyncio.sleep(_LOOK_S)
            progress = fetch.progress
            if progress is not None and progress.left_s is not None and self._is_stalled(fetch):
                fetch.progress = replace(progress, left_s=None)
                self._show(fetch, time.monotonic())

    @staticmethod
    def _is_stalled(fetch: _Fetch) -> bool:
        return time.monotonic() - fetch.moved_at >= _STALLED_S

    async def _retry(self, name: str) -> None:
        wait = self._waits.setdefault(name, FetchRetry(self._clock, self._route))
        await wait.wait()
        self._retries.pop(name, None)
        if name not in self._running and not await self.here(name):
            self._begin(name, asked=False)

    def _retry_no_more(self, name: str) -> None:
        if (retry := self._retries.pop(name, None)) is not None:
            retry.cancel()

    def _end(self, name: str) -> None:
        self._running.pop(name, None)
        self._tell(up.EngineProgressed(part=self._part(name), fraction=1.0))
        self.changed.tell(name)

    def _show(self, fetch: _Fetch, now: float) -> None:
        progress = fetch.progress
        if progress is None or self.progress(progress.model) is None:
            return
        fetch.told_at = now
        words = self._words(progress)
        part = self._part(progress.model)
        self._tell(up.EngineProgressed(part=part, fraction=min(progress.fraction, 0.99), left=words))
        self.changed.tell(progress.model)

    def _part(self, name: str) -> str:
        known = self.store.manifest.get(name)
        return _PARTS.get(known.purpose, _PART) if known else _PART

    def _words(self, progress: FetchProgress) -> str:
        return "" if progress.left_s is None else rough_duration(progress.left_s, self._live.current.language)
