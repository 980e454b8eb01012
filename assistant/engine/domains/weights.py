"""The domain of weights: deletes them. A command has it in its process while no engine runs."""

import asyncio
from collections.abc import Awaitable, Callable

from assistant.core.service.requests import models as rq
from assistant.engine.serving.table import Domain, serves
from assistant.weights.store import ModelStore


async def _nobody_shows() -> None:
    """Nobody shows the weights."""


class Weights(Domain):
    """Owns the request to delete weights.

    Args:
        store: gives the store of the models.
        changed: shows the weights that are left.
    """

    def __init__(self, store: Callable[[], ModelStore], changed: Callable[[], Awaitable[None]] = _nobody_shows) -> None:
        self._store, self._changed = store, changed

    @serves()
    async def _remove_model(self, request: rq.RemoveModel) -> None:
        """Delete weights.

        Raises:
            ModelFileError: the model is unknown, cannot be deleted, or is the user's own.
        """
        await asyncio.to_thread(self._store().remove, request.model)
        await self._changed()
