"""Waiting for work that must end, also while the waiting task is cancelled."""

import asyncio


async def wait_whole(work: asyncio.Future[None]) -> None:
    """Wait for the end of the work even while being cancelled again, then pass that cancellation on.

    The work's own error is not raised.
    """
    cancelled: asyncio.CancelledError | None = None
    while not work.done():
        try:
            await asyncio.wait({work})
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled
