"""Fetches models on a thread, beside the event loop."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from assistant.weights.progress import FetchProgress, Progress
from assistant.weights.store import ModelStore

T = TypeVar("T")


class _AbandonedError(Exception):
    """The caller no longer waits for the models."""


async def fetch_models(store: ModelStore, names: Sequence[str], progress: Callable[[FetchProgress], None]) -> None:
    """Make models usable.

    Args:
        store: the store of the models.
        names: names of the models.
        progress: takes the progress; called on the loop.

    Raises:
        ModelFileError: a model is unknown or cannot be fetched.
    """
    await beside(lambda tell: store.ensure(names, tell), progress)


async def beside(work: Callable[[Progress], T], progress: Callable[[FetchProgress], None]) -> T:
    """Do work with weights on a thread. A cancellation ends it and keeps partial files for the next time.

    Without this, quitting Sori would wait for the end of a download.

    Args:
        work: the work, given what takes its progress.
        progress: takes the progress; called on the loop.
    """
    loop = asyncio.get_running_loop()
    left = threading.Event()

    def tell(state: FetchProgress) -> None:
        if left.is_set():
            raise _AbandonedError
        # The loop may have ended while this thread is still fetching.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(progress, state)

    try:
        return await asyncio.to_thread(work, tell)
    finally:
        left.set()
