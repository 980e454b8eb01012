"""The domain of weights: fetches, checks and deletes them."""

import asyncio
from collections.abc import Awaitable, Callable

from assistant.core.service.events import Audience
from assistant.core.service.requests import models as rq
from assistant.core.updates import Update, WeightsRead
from assistant.engine.models.background_fetch import beside
from assistant.engine.serving.table import Asker, Domain, serves
from assistant.weights.progress import FetchProgress
from assistant.weights.store import ModelStore


async def _nobody_shows() -> None:
    """Nobody shows the weights."""


class Weights(Domain):
    """Owns the requests for weights.

    Args:
        store: gives the store of the models.
        tell: takes events for one client; may be called on any thread.
        changed: shows the weights that are here.
    """

    def __init__(
        self,
        store: Callable[[], ModelStore],
        tell: Callable[[Update, Audience], None],
        changed: Callable[[], Awaitable[None]] = _nobody_shows,
    ) -> None:
        self._store, self._tell, self._changed = store, tell, changed

    @serves()
    async def _pull_model(self, request: rq.PullModel, asker: Asker) -> None:
        """Fetch weights; asking for a model by its name ends its pause.

        Raises:
            ModelFileError: the model is unknown or cannot be fetched.
        """
        store = self._store()
        store.resume(request.model)
        await beside(
            lambda tell: store.ensure([request.model], tell, allow_unverified=request.allow_unverified),
            lambda progress: self._show(progress, asker),
        )
        await self._changed()

    @serves()
    async def _verify_model(self, request: rq.VerifyModel, asker: Asker) -> tuple[rq.ModelFault, ...]:
        store = self._store()
        faults = await beside(
            lambda tell: store.verify([request.model], tell), lambda progress: self._show(progress, asker)
        )
        return tuple(rq.ModelFault(model=each.model, file=each.file, flaw=each.flaw.value) for each in faults)

    @serves()
    async def _remove_model(self, request: rq.RemoveModel) -> None:
        """Delete weights.

        Raises:
            ModelFileError: the model is unknown, cannot be deleted, or is the user's own.
        """
        await asyncio.to_thread(self._store().remove, request.model)
        await self._changed()

    def _show(self, progress: FetchProgress, asker: Asker) -> None:
        event = WeightsRead(model=progress.model, done=progress.done, total=progress.total)
        self._tell(event, Audience(client=asker.client))
