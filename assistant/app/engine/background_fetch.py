"""Fetching models on a thread while the loop goes on."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

from assistant.weights.progress import FetchProgress
from assistant.weights.store import ModelStore


class _AbandonedError(Exception):
    """Nobody waits for the models any more."""


async def fetch_models(store: ModelStore, names: Sequence[str], progress: Callable[[FetchProgress], None]) -> None:
    """Make models usable; being cancelled ends the fetching, and what has arrived is kept for the next time.

    Without that, leaving Sori would wait for the end of a download.

    Args:
        store: where the models belong.
        names: which.
        progress: told how far it is; called on the loop.

    Raises:
        ModelFileError: one of them is unknown or cannot be had.
    """
    loop = asyncio.get_running_loop()
    left = threading.Event()

    def tell(state: FetchProgress) -> None:
        if left.is_set():
            raise _AbandonedError
        # The loop may have ended while this thread still fetches.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(progress, state)

    try:
        await asyncio.to_thread(store.ensure, names, tell)
    finally:
        left.set()
