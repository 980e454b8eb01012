"""The embedded server's process does not outlive who ends it."""

import asyncio
from contextlib import suppress

from assistant.llm.embedded.server import _Child


async def test_a_process_whose_end_is_waited_for_is_killed_when_the_wait_is_cancelled() -> None:
    child = await _Child.spawn()
    ending = asyncio.create_task(child.end())
    await asyncio.sleep(0)
    assert child.process.returncode is None
    ending.cancel()
    with suppress(asyncio.CancelledError):
        await ending
    assert ending.cancelled()
    assert child.process.returncode is not None
